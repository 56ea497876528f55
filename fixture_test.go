package mem_test

import (
	"context"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
)

// ctx is that of every call.
var ctx = context.Background()

var noon, write = storetest.Noon, storetest.Write

// newStore returns an empty store in memory, and newFiles one of files.
func newStore(t testing.TB) *storetest.Store { return storetest.NewStore(t, storetest.Memory) }

func newFiles(t testing.TB) *storetest.Store { return storetest.NewStore(t, storetest.Files) }
