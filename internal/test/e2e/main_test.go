package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// TestMain runs the tests in the root of the module.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
	built.Remove()
}

var built = testkit.NewPrograms("", "./cmd/mem", "./cmd/memd")

// buildMem returns the directory of mem and memd.
func buildMem(t testing.TB) string {
	t.Helper()
	return built.In(t)
}
