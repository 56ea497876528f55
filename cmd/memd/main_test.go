package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// Every verb that mem lists as one of memd memd has, and no other.
func TestVerbsAreThoseThatMemLists(t *testing.T) {
	var own []string
	for name := range verbs {
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

// programs returns the directory of mem and memd, which are built once.
func programs(t *testing.T) string {
	t.Helper()
	testkit.Sources(t, "../mem", ".")
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "memd-built-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	return dir, build(dir, testBuild, "../mem", ".")
})

var builtIn string

func build(dir, ldflags string, packages ...string) error {
	args := []string{"build", "-trimpath", "-ldflags", ldflags, "-o",
		dir + string(filepath.Separator)}
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}
