package life

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"pgregory.net/rapid"
)

// Check runs lives with a program. MEM_LIVES is their number; without it as many run as take half a
// minute. Package rapid prints how to see a failing one again.
func Check(t *testing.T, build app.Build) {
	lives := cmp.Or(os.Getenv("MEM_LIVES"), testkit.Extent("70", "70", "2000"))
	if err := flag.Set("rapid.checks", lives); err != nil {
		t.Fatal(err)
	}
	readWithout()
	t.Chdir(".") // back where the test began
	clearEnvironment(t)
	w := &world{dir: storetest.Dir(t), build: build, runs: map[string]int{},
		drawn: weighed(steps)}
	defer disk.SetHook(nil)
	rapid.Check(t, func(rt *rapid.T) { w.live(rt) })
	for _, what := range slices.Sorted(maps.Keys(w.runs)) {
		t.Logf("%6d %s", w.runs[what], what)
	}
}

// clearEnvironment leaves a verb nothing of the environment of the test that would change it.
func clearEnvironment(t *testing.T) {
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if name == "PATH" || name == "TMPDIR" || name == "GOCOVERDIR" {
			continue
		}
		t.Setenv(name, "") // restores it in the end
		os.Unsetenv(name)
	}
}

// world is where lives are lived, one after the other.
type world struct {
	dir   string
	build app.Build
	runs  map[string]int // how often each step was taken, and how it ended
	drawn []step         // each step as often as it weighs
	awake *machine       // the machine whose home is in its place
}
