package main

import (
	"slices"
	"testing"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// Every verb that mem lists as one of memd memd has, and no other.
func TestVerbsAreThoseThatMemLists(t *testing.T) {
	var own []string
	for name := range build().Verbs {
		own = append(own, name)
	}
	listed := cli.DaemonVerbs()
	slices.Sort(own)
	slices.Sort(listed)
	if !slices.Equal(own, listed) {
		t.Errorf("memd has %q, mem lists %q", own, listed)
	}
}

const testBuild = "-X main.version=1.2.3 -X main.commit=abc"

var built = testkit.NewPrograms(testBuild, "../mem", ".")

// programs returns the directory of mem and memd.
func programs(t testing.TB) string {
	t.Helper()
	return built.In(t)
}

func TestMain(m *testing.M) {
	m.Run()
	pgtest.Stop()
	built.Remove()
}
