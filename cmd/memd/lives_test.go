package main

import (
	"testing"

	"github.com/set-memory/mem/internal/test/life"
)

// The lives of people with several machines end with all that they wrote and nothing that they
// purged, on all of them.
func TestLives(t *testing.T) {
	life.Check(t, build())
}
