package setup

import (
	"runtime"
	"sync"
	"testing"
)

// Setups at the same time end as if they had run one after the other, in files that they share too.
func TestSetupsAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no directory can be locked there")
	}
	f := newFixture(t)
	var asks []Request
	for _, client := range []string{"codex", "opencode", "kilo", "droid", "pi", "agents-md"} {
		asks = append(asks, f.request(client, Project))
	}
	at := func(plan func(Request) ([]Change, error)) {
		var all sync.WaitGroup
		for _, r := range asks {
			all.Go(func() {
				unlock, err := r.Place.Lock()
				if err != nil {
					t.Error(err)
					return
				}
				defer unlock()
				if err := apply(plan, r); err != nil {
					t.Errorf("%s: %v", r.Client.Name, err)
				}
			})
		}
		all.Wait()
	}
	at(Install)
	for _, r := range asks {
		for _, c := range f.plan(r) {
			if c.Changed() {
				t.Errorf("%s: %s is %s", r.Client.Name, c.Path, c.State)
			}
		}
	}
	at(Uninstall)
	if got := f.snapshot(); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}
