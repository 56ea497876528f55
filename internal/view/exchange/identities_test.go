package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/view/exchange"
)

// The identities of a repository reach the other machines with its lines and, where they change,
// without any: the newest machine's last one stays the last.
func TestIdentitiesTravel(t *testing.T) {
	f := newFleet(t, 3, 1)
	run := func(i int, identities ...string) string {
		t.Helper()
		d, err := depot.OpenFolder(f.depots[0])
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		job := f.job(f.machines[i], d, f.depots[0])
		job.Identities = identities
		rep, err := exchange.Run(ctx, mem.Caller{}, job)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(rep.Identities, " ")
	}
	names := func() int {
		d, err := depot.OpenFolder(f.depots[0])
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		list, err := d.List()
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	f.machines[0].Put("/a", "1")
	run(0, "random")
	if got := run(1); got != "random" {
		t.Errorf("with a line: %q", got)
	}
	run(0, "random", "origin")
	before := names()
	if run(0, "random", "origin"); names() != before {
		t.Errorf("%d segments, then %d without a change", before, names())
	}
	if got := run(1, "other"); got != "random origin" {
		t.Errorf("without a line: %q", got)
	}
	got := strings.Fields(run(2))
	slices.Sort(got)
	if !slices.Equal(got, []string{"origin", "other", "random"}) {
		t.Errorf("of two machines: %q", got)
	}
}
