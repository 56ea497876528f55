package mem_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

// Many goroutines on one Store write in groups: every acknowledged write is there, and each key
// holds its last one.
func TestGroupsLoseNothing(t *testing.T) {
	f := newFiles(t)
	const writers, each = 32, 20
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if _, err := f.Set(ctx, mem.Caller{},
					write(fmt.Sprintf("/w%d/k%d", w, i%4), strconv.Itoa(i)),
					mem.SetOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for w := range writers {
		for k := range 4 {
			if got, want := f.Content(fmt.Sprintf("/w%d/k%d", w, k)),
				strconv.Itoa(each-4+k); got != want {
				t.Errorf("/w%d/k%d is %s, want %s", w, k, got, want)
			}
		}
	}
	st, err := f.Stat(ctx, mem.Caller{})
	f.Must(err)
	if st.LogLines != writers*each {
		t.Errorf("%d lines, want %d", st.LogLines, writers*each)
	}
}

// A counter that many raise by compare-and-set: within a group too, each sees the one before.
func TestComparisonsSeeTheGroup(t *testing.T) {
	f := newFiles(t)
	f.Put("/n", "0")
	const writers, each = 16, 5
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				for !raise(t, f) {
				}
			}
		})
	}
	all.Wait()
	if got := f.Content("/n"); got != strconv.Itoa(writers*each) {
		t.Errorf("the counter is %s, want %d", got, writers*each)
	}
}

// raise adds one to the counter, unless somebody came between.
func raise(t *testing.T, f *storetest.Store) bool {
	rec, err := f.Get(ctx, mem.Caller{}, keypath.MustParse("/n"), false)
	if err != nil {
		t.Error(err)
		return true
	}
	n, _ := strconv.Atoi(string(rec.Content))
	_, err = f.Set(ctx, mem.Caller{}, write("/n", strconv.Itoa(n+1)), mem.SetOptions{IfTS: &rec.TS})
	var lost *mem.ConflictError
	switch {
	case errors.As(err, &lost) && len(lost.Newest.Line) > 0:
		return false
	case err != nil:
		t.Error(err)
	}
	return true
}

// One of many that want an absent key gets it.
func TestOneOfAGroupIsFirst(t *testing.T) {
	f := newFiles(t)
	var all sync.WaitGroup
	results := make([]error, 20)
	for i := range results {
		all.Go(func() {
			_, results[i] = f.Set(ctx, mem.Caller{}, write("/one", strconv.Itoa(i)),
				mem.SetOptions{IfAbsent: true})
		})
	}
	all.Wait()
	won := 0
	for i, err := range results {
		switch {
		case err == nil:
			won++
			if got := f.Content("/one"); got != strconv.Itoa(i) {
				t.Errorf("%d won, but the key holds %s", i, got)
			}
		case !errors.Is(err, mem.ErrConflict):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d won", won)
	}
}

// BenchmarkSet compares one goroutine with many on one Store, on the disk that TMPDIR names.
func BenchmarkSet(b *testing.B) {
	for _, writers := range []int{1, 32} {
		b.Run(fmt.Sprintf("goroutines=%d", writers), func(b *testing.B) {
			s, err := mem.Open(b.TempDir(), mem.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := w; i < b.N; i += writers {
						if _, err := s.Set(ctx, mem.Caller{},
							write(fmt.Sprintf("/bench/%d/%d", w, i%100),
								`{"type":"finding","text":"one of many"}`),
							mem.SetOptions{}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}
