package pgstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/pgstore"
)

// TestSilentNetwork is a network that swallows what goes over the connections that there are, and
// ends none: a write over them is delayed by seconds, and stored once.
func TestSilentNetwork(t *testing.T) {
	t.Parallel()
	for _, idle := range []time.Duration{0, 1100 * time.Millisecond} {
		t.Run(fmt.Sprint(idle), func(t *testing.T) {
			t.Parallel()
			ctx, place := context.Background(), newPlace(t, database(t))
			between, behind := newProxy(t, place.URL(), 1)
			s := openPlace(t, behind)
			var told verdicts
			for i := range 20 {
				must(t, add(ctx, s, fmt.Sprint("/a/", i), fmt.Sprint(i)))
				told.add(verdict{content: fmt.Sprint(i)})
			}
			time.Sleep(idle)
			between.swallow()
			for i, write := range []func() error{
				func() error { return add(ctx, s, "/b/1", `"blind"`) },
				func() error { return put(ctx, s, "/b/2", `"looked"`, true) },
			} {
				begin := time.Now()
				must(t, write())
				if took := time.Since(begin); took > 6*time.Second {
					t.Errorf("write %d took %s", i, took)
				} else {
					t.Logf("write %d took %s", i, took)
				}
				told.add(verdict{content: []string{`"blind"`, `"looked"`}[i]})
			}
			told.hold(t, openPlace(t, place))
		})
	}
}

// TestSlowServer is a server that is alive: a write waits for another one's lock as long as ever.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	place := newPlace(t, database(t))
	s := openPlace(t, place)
	must(t, add(context.Background(), s, "/a", `"first"`))
	release := pgstore.Hold(t, place)
	time.AfterFunc(6*time.Second, release)
	must(t, add(context.Background(), s, "/b", `"second"`))
}
