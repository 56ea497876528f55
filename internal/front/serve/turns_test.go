package serve

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A line of requests gets its turns in the order that the table gives: each is TENANT/TOKEN, and
// takes a second.
func TestOrderOfTurns(t *testing.T) {
	for _, c := range []struct {
		name string
		come []string
		want []string // the order in which they begin, after those that begin at once
		most int
	}{
		{"first come", []string{"a/1", "a/1", "a/1"}, []string{"0", "1", "2"}, 2},
		{"half for a tenant", []string{"a/1", "a/1", "a/1", "b/1"},
			[]string{"0", "1", "3", "2"}, 4},
		{"the tenant that used least",
			[]string{"a/1", "b/1", "a/1", "a/1", "b/1", "c/1"},
			[]string{"0", "1", "5", "2", "4", "3"}, 1},
		{"the token that used least", []string{"a/1", "a/1", "a/1", "a/2"},
			[]string{"0", "3", "1", "2"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Unix(1e9, 0)
			q := newTurns(c.most, func() time.Time { return now })
			var all []*waiter
			for _, name := range c.come {
				all = append(all, q.enter(name[:1], name[2:]))
			}
			var got []string
			ended := map[int]bool{}
			for len(ended) < len(all) {
				var run []int
				for i, w := range all {
					if w.has && !ended[i] {
						run = append(run, i)
					}
				}
				if len(run) == 0 {
					t.Fatalf("nobody has a turn after %v", got)
				}
				now = now.Add(time.Second)
				for _, i := range run {
					ended[i] = true
					got = append(got, fmt.Sprint(i))
				}
				for _, i := range run {
					q.leave(all[i])
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// What a tenant has used is forgotten after 10 s, and then the tenant.
func TestUsedTimePasses(t *testing.T) {
	now := time.Unix(1e9, 0)
	q := newTurns(2, func() time.Time { return now })
	w := q.enter("a", "1")
	now = now.Add(3 * time.Second)
	q.leave(w)
	for _, c := range []struct{ second, want time.Duration }{{0, 3}, {9, 3}, {11, 0}} {
		got := q.tenants["a"].used(q.clock() + c.second*time.Second)
		if got != c.want*time.Second {
			t.Errorf("after %d s %s, want %d s", c.second, got, c.want)
		}
	}
	now = now.Add(time.Hour)
	for i := range 200 {
		q.leave(q.enter(fmt.Sprint(i), ""))
	}
	if q.tenants["a"] != nil {
		t.Error("it is still known after an hour")
	}
}

// A wait that ends takes no turn along, whether it had one by then or not.
func TestWaitThatEnds(t *testing.T) {
	q := newTurns(2, time.Now)
	done, err := q.take(context.Background(), "a", "1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("the caller is gone")
	cancel(gone)
	if _, err := q.take(ctx, "a", "1"); !errors.Is(err, gone) {
		t.Errorf("%v, want %v", err, gone)
	}
	done()
	if q.busy.Load() != 0 || q.tenants["a"].waits != 0 || q.tenants["a"].held != 0 {
		t.Errorf("%+v", q.tenants["a"])
	}
}

// However tenants come and go, at most all turns are busy, a tenant has at most half, and none is
// free while a tenant that has less than half waits.
func TestTurnsAreUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1e9, 0)
		most := rapid.IntRange(1, 9).Draw(t, "most")
		q := newTurns(most, func() time.Time { return now })
		var all []*waiter
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				tenant := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "tenant")
				token := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "token")
				all = append(all, q.enter(tenant, token))
			},
			"go": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				q.leave(all[i])
				all = append(all[:i], all[i+1:]...)
			},
			"time": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 5e9).Draw(t, "ns")))
			},
			"": func(t *rapid.T) {
				held, waits := map[string]int{}, map[string]int{}
				busy := 0
				for _, w := range all {
					if w.has {
						held[w.tenant]++
						busy++
					} else {
						waits[w.tenant]++
					}
				}
				if busy != int(q.busy.Load()) || busy > most {
					t.Fatalf("%d are busy of %d, and it counts %d", busy, most, q.busy.Load())
				}
				for tenant, s := range q.tenants {
					half := max(1, most/2)
					if s.held != held[tenant] || s.waits != waits[tenant] || s.held > half {
						t.Fatalf("%s: %d, %d, want %d, %d", tenant, s.held, s.waits,
							held[tenant], waits[tenant])
					}
					if busy < most && s.waits > 0 && s.held < half {
						t.Fatalf("%s waits for nothing", tenant)
					}
					if s.used(q.clock()) < 0 {
						t.Fatal("less than no time was used")
					}
				}
			},
		})
	})
}

// While other work has a turn, a tenant begins few writes; when the last of it has ended, those go
// on that waited.
func TestWritesGiveWay(t *testing.T) {
	work, writes := newTurns(4, time.Now), newTurns(20, time.Now)
	writes.giveWay(work, 2)
	held := func(what string, want int) {
		t.Helper()
		if got := int(writes.busy.Load()); got != want {
			t.Errorf("%d writes run %s, want %d", got, what, want)
		}
	}
	bundle, list := work.enter("a", "1"), work.enter("b", "1")
	var all []*waiter
	for range 4 {
		all = append(all, writes.enter("a", "1"), writes.enter("b", "1"))
	}
	held("beside other work of two tenants", 4)
	work.leave(bundle)
	held("while a list has its turn", 4)
	work.leave(list)
	held("beside nothing", 8)
	bundle = work.enter("a", "1")
	for _, w := range all[:4] {
		writes.leave(w)
	}
	if late := writes.enter("a", "2"); late.has {
		t.Error("a third write of a tenant begins beside a bundle")
	}
	if other := writes.enter("c", "1"); !other.has {
		t.Error("the write of a third tenant waits")
	}
	work.leave(bundle)
	held("at the end", 6)
}
