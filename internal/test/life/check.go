package life

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/test/testkit"
	"pgregory.net/rapid"
)

// Check runs lives with a program, of which it prints how to see a failing one again. MEM_LIVES is
// their number; without it as many run as take half a minute, the same ones each time, so that a
// failure is that of a change: make life draws others.
func Check(t *testing.T, build app.Build) {
	lives := testkit.Extent("40", "40", "2000")
	if testkit.Race { // a life runs one verb after the other: a few of them show what races
		lives = "7"
	}
	set(t, "rapid.checks", cmp.Or(os.Getenv("MEM_LIVES"), lives))
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		set(t, "rapid.seed", "401")
	}
	t.Chdir(".") // back where the test began
	clearEnvironment(t)
	w := &world{t: t, dir: takeDir(t), build: build, runs: map[string]int{}, drawn: weighed(steps)}
	t.Setenv("TMPDIR", w.temporary())
	defer disk.SetHook(nil)
	rapid.Check(reporter{t}, func(rt *rapid.T) { w.live(rt) })
	for _, what := range slices.Sorted(maps.Keys(w.runs)) {
		t.Logf("%6d %s", w.runs[what], what)
	}
}

// takeDir returns a directory that no other test lives in, in memory where there is one. Its name
// is the same each time, as far as nobody else has it: the names of stores and segments follow from
// it, and a life is to be seen again.
func takeDir(t *testing.T) string {
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = os.TempDir()
	}
	for n := range 1000 {
		dir := filepath.Join(base, fmt.Sprintf("mem-lives-%d", n))
		mine := flock.New(dir + ".lock")
		if ok, err := mine.TryLock(); err != nil || !ok {
			continue // another user's, or another test lives there
		}
		t.Cleanup(func() {
			os.RemoveAll(dir)
			mine.Close()
		})
		return dir
	}
	t.Fatal("no directory to live in")
	return ""
}

// set sets a flag of rapid.
func set(t *testing.T, name, value string) {
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
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

// reporter is a test that prints, with a failure, the command that shows it again.
type reporter struct{ *testing.T }

var drawnBy = regexp.MustCompile(`-rapid\.seed=\d+`)

// Errorf reports a failure.
func (r reporter) Errorf(format string, args ...any) {
	r.Helper()
	text := fmt.Sprintf(format, args...)
	if seed := drawnBy.FindString(text); seed != "" {
		text = "this life again: MEM_LIVES=1 go test -run '" + r.Name() + "$' ./cmd/memd " +
			seed + "\n" + text
	}
	r.Error(text)
}

// world is where lives are lived, one after the other.
type world struct {
	t     *testing.T
	dir   string
	build app.Build
	runs  map[string]int // how often each step was taken, and how it ended
	drawn []step         // each step as often as it weighs
	awake *machine       // the machine whose home is in its place
}
