package e2e

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// Whatever the clock does between writes, compactions, kills of the watermark and reboots: the
// later write of a key wins, its ts is greater, and a read never goes back. A year that four digits
// cannot write is refused, with nothing stored.
func TestClockGoesAnywhere(t *testing.T) {
	t.Setenv("MEM_BOOT_ID", "boot")
	years := []int{-1, 0, 1, 1901, 1969, 1970, 2016, 2026, 2027, 2099, 9998, 10_000, 20_000}
	rapid.Check(t, func(rt *rapid.T) {
		f := &fixture{&storetest.Store{T: t, Root: storetest.Dir(t) + "/memory", Clock: noon}}
		f.Open()
		defer func() { f.Close() }()
		last := map[string]string{}
		var newest log.Stamp
		for n := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				if _, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil &&
					!errors.Is(err, log.ErrTime) {
					rt.Fatal(err)
				}
			case 1:
				os.Remove(f.Root + "/watermark")
			case 2:
				f.Close()
				os.Setenv("MEM_BOOT_ID", fmt.Sprint("boot-", n))
				f.Open()
			case 3:
				f.Clock = time.Date(rapid.SampledFrom(years).Draw(rt, "year"), 5, 6, 7, 8, 9, 0,
					time.UTC)
			}
			key, content := fmt.Sprint("/k", n%3), fmt.Sprint(n)
			out, err := f.Set(ctx, mem.Caller{}, write(key, content), mem.SetOptions{})
			switch {
			case err == nil:
				if out.TS <= newest && len(last) > 0 {
					rt.Fatalf("write %d has ts %s, the one before %s", n, out.TS, newest)
				}
				newest, last[key] = out.TS, content
			case !errors.Is(err, log.ErrTime):
				rt.Fatalf("write %d at %s: %v", n, f.Clock, err)
			}
			for key, content := range last {
				if got := f.Content(key); got != content {
					rt.Fatalf("after write %d at %s: %s is %s, want %s", n, f.Clock, key, got,
						content)
				}
			}
		}
		live, err := contents(f.Store)
		if err != nil || fmt.Sprint(live) != fmt.Sprint(last) {
			rt.Fatalf("the list has %v (%v), want %v", live, err, last)
		}
	})
}
