package pgstore_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func keysOf(texts ...string) (keys []keypath.Key) {
	for _, text := range texts {
		keys = append(keys, keypath.MustParse(text))
	}
	return keys
}

const secret = "purgedsecretword"

// behind returns how many copies the server knows that have not followed every purge, and all.
func behind(t testing.TB, space string) (late, all int) {
	t.Helper()
	from := `FROM mem.followers f JOIN mem.spaces s ON s.name = f.space WHERE s.name = $1`
	return number(t, database(t), "SELECT count(*) "+from+" AND f.gen < s.gen", space),
		number(t, database(t), "SELECT count(*) "+from, space)
}

// What another machine purges while the copy is away is gone from it after the next read, and the
// server knows that.
func TestPurgedWhileAway(t *testing.T) {
	for _, running := range []bool{true, false} {
		t.Run(fmt.Sprint(running), func(t *testing.T) {
			f := followed(t)
			f.put(secret, "/k/secret")
			f.right("before")
			_, err := f.Compact(ctx, backend.Caller{}, backend.CompactOptions{})
			must(t, err)
			f.put(secret+" in the tail", "/k/secret")
			f.right("tail")
			if len(f.holds(secret)) < 2 {
				t.Fatalf("the copy has it in %q alone", f.holds(secret))
			}
			if !running {
				must(t, f.Close())
			}
			follow(t, f.place, t.TempDir()).erase("/k/secret")
			if !running {
				f.open()
			}
			if late, all := behind(t, f.place.Space); late != 1 || all != 2 {
				t.Errorf("the server knows %d of %d copies to be behind", late, all)
			}
			f.right("after")
			if list := f.holds(secret); len(list) > 0 {
				t.Errorf("it is still in %q", list)
			}
			if late, all := behind(t, f.place.Space); late != 0 || all != 2 {
				t.Errorf("the server knows %d of %d copies to be behind, after the read", late, all)
			}
		})
	}
}

// A process that is slower than another on the same copy does not bring back what was purged.
func TestPurgedWhileWriting(t *testing.T) {
	for name, late := range map[string]func(slow *follower) func(){
		"tail": func(slow *follower) func() { return slow.SaveLater() },
		"state": func(slow *follower) func() {
			compact := slow.CompactLater(t)
			return func() {
				if done, err := compact(); done || err != nil {
					t.Errorf("an old state is written: %t, %v", done, err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := follow(t, newPlace(t, database(t)), t.TempDir())
			slow := follow(t, f.place, f.cache)
			slow.right("empty")
			release := lockCopy(t, f)
			f.put(secret, "/k/secret")
			slow.right("not saved")
			act := late(slow)
			release()
			follow(t, f.place, t.TempDir()).forget("/k/secret")
			f.right("purged")
			act()
			if list := f.holds(secret); len(list) > 0 {
				t.Errorf("it is back in %q", list)
			}
			slow.right("purged")
			if list := f.holds(secret); len(list) > 0 {
				t.Errorf("it is back in %q after a read", list)
			}
			if late, all := behind(t, f.place.Space); late != 0 || all != 2 {
				t.Errorf("the server knows %d of %d copies to be behind", late, all)
			}
		})
	}
}

// lockCopy takes the copy as another process does.
func lockCopy(t testing.TB, f *follower) (release func()) {
	t.Helper()
	dir, err := disk.Open(f.dir())
	must(t, err)
	lock, err := log.NewLockerOf(dir, "lock").Acquire(ctx, "test", time.Now(), time.Minute)
	must(t, err)
	return func() {
		must(t, lock.Unlock())
		must(t, dir.Close())
	}
}

// A purge while this process folds its copy stops neither.
func TestPurgedWhileFolding(t *testing.T) {
	f := followed(t)
	other := follow(t, f.place, t.TempDir())
	for n := range 5 {
		f.put("more", "/k/1")
		compact := f.CompactLater(t)
		other.erase(fmt.Sprintf("/k/%d", n+3))
		var wg sync.WaitGroup
		if n%2 == 1 { // else the compaction finds it
			wg.Go(func() { f.right("purged") })
		}
		wg.Go(func() {
			if _, err := compact(); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		f.right("after")
	}
}

// All of a space is purged, without a trace; it is read and written on.
func TestAllPurged(t *testing.T) {
	f := followed(t)
	var keys []keypath.Key
	for rec, err := range f.History(ctx) {
		must(t, err)
		keys = append(keys, rec.Key)
	}
	_, err := f.Erase(ctx, backend.Caller{}, backend.Erasure{Keys: keys, Forget: true,
		Source: []byte(`{"purged":true}`)})
	must(t, err)
	f.right("nothing")
	other := follow(t, f.place, t.TempDir())
	other.right("nothing, without a copy")
	other.put("new", "/k/1")
	other.right("something")
	f.right("something")
}

// Two processes have one copy: what either reads is not older than what was acknowledged to both.
func TestSharedCopy(t *testing.T) {
	pgstore.SmallCopies(t)
	first := follow(t, newPlace(t, database(t)), t.TempDir())
	second := follow(t, first.place, first.cache)
	var acked [4]atomic.Int64
	var writers, others sync.WaitGroup
	over := make(chan struct{})
	for i := range acked {
		f := []*follower{first, second}[i%2]
		writers.Go(func() {
			for n := int64(1); n <= 40; n++ {
				if err := f.tryPut(fmt.Sprint(n), fmt.Sprintf("/w/%d", i)); err != nil {
					t.Error(err)
					return
				}
				acked[i].Store(n)
			}
		})
		others.Go(func() { until(over, func() { f.notOlder(t, &acked) }) })
	}
	for _, f := range []*follower{first, second} {
		others.Go(func() {
			until(over, func() {
				_, err := f.Compact(ctx, backend.Caller{}, backend.CompactOptions{})
				if err != nil {
					t.Error(err)
				}
			})
		})
	}
	writers.Go(func() {
		for n := range 5 {
			key := fmt.Sprintf("/gone/%d", n)
			must(t, second.tryPut(secret, key))
			second.erase(key)
		}
	})
	writers.Wait()
	close(over)
	others.Wait()
	for _, f := range []*follower{first, second} {
		f.right("at the end")
		f.reopen()
		f.right("at the end, reopened")
		found, err := check(ctx, f, false)
		if err != nil || len(found) > 0 {
			t.Errorf("it is left with %v %v", found, err)
		}
	}
	if list := first.holds(secret); len(list) > 0 {
		t.Errorf("what was purged is in %q", list)
	}
}

// until does something again and again.
func until(over <-chan struct{}, do func()) {
	for {
		select {
		case <-over:
			return
		default:
			do()
		}
	}
}

// notOlder checks a read against what was acknowledged before it.
func (f *follower) notOlder(t *testing.T, acked *[4]atomic.Int64) {
	var least [4]int64
	for i := range acked {
		least[i] = acked[i].Load()
	}
	snap, err := f.Snapshot(ctx)
	if err != nil {
		t.Error(err)
		return
	}
	defer snap.Close()
	for i, want := range least {
		rec, _, err := snap.Get(ctx, keypath.MustParse(fmt.Sprintf("/w/%d", i)))
		n := int64(0)
		if len(rec.Content) > 0 {
			fmt.Sscanf(string(rec.Content), "\"%d\"", &n)
		}
		if err != nil || n < want {
			t.Errorf("/w/%d is read as %d, and %d was acknowledged: %v", i, n, want, err)
		}
	}
}

// A machine removes its journals once it hears of a purge on another one, whatever it does; and
// takes lines again.
func TestJournalOfBeforeAPurge(t *testing.T) {
	for name, use := range map[string]func(b *follower){
		"read":  func(b *follower) { b.right("after") },
		"write": func(b *follower) { b.put("new", "/k/1") },
		"start": func(b *follower) { b.reopen() },
	} {
		t.Run(name, func(t *testing.T) {
			a := followed(t)
			a.put(secret, "/k/secret")
			b := follow(t, a.place, t.TempDir())
			b.right("before")
			b.Journal("ops.jsonl").Append([]byte(`{"query":"`+secret+`"}`+"\n"), 1<<20)
			b.Journal("injections.jsonl").Append([]byte(`{"key":"`+secret+`"}`+"\n"), 1<<20)
			if list := b.holds(secret); len(list) < 2 {
				t.Fatalf("the journals are not there: %q", list)
			}
			a.erase("/k/secret")
			use(b)
			told := b.Journal("ops.jsonl")
			text, err := told.Read(1 << 20)
			if err != nil || strings.Contains(string(text), secret) {
				t.Errorf("the journal has %q after the purge, %v", text, err)
			}
			told.Append([]byte(`{"op":"later"}`+"\n"), 1<<20)
			text, err = told.Read(1 << 20)
			if err != nil || !strings.Contains(string(text), "later") {
				t.Errorf("the journal has %q, %v", text, err)
			}
			b.right("at the end")
			if list := b.holds(secret); len(list) > 0 {
				t.Errorf("it is still in %q", list)
			}
		})
	}
}

// The machine that purges keeps the other lines of its journals, those of other processes too.
func TestJournalOfAPurge(t *testing.T) {
	a := followed(t)
	a.put(secret, "/k/secret")
	other := follow(t, a.place, a.cache)
	other.right("before")
	other.Journal("ops.jsonl").Append([]byte(`{"op":"set","key":"/k/secret"}`+"\n"), 1<<20)
	other.Journal("ops.jsonl").Append([]byte(`{"op":"set","key":"/k/1"}`+"\n"), 1<<20)
	other.Journal("injections.jsonl").Append([]byte(`{"text":"`+secret+`"}`+"\n"), 1<<20)
	if _, err := other.Journal("ops.jsonl").Read(1 << 20); err != nil {
		t.Fatal(err)
	}
	a.erase("/k/secret")
	if list := a.holds(secret); len(list) > 0 {
		t.Errorf("it is still in %q", list)
	}
	other.right("after")
	for name, want := range map[string]string{"ops.jsonl": `{"op":"set","key":"/k/1"}` + "\n",
		"injections.jsonl": ""} {
		for _, f := range []*follower{a, other} {
			if text, err := f.Journal(name).Read(1 << 20); err != nil || string(text) != want {
				t.Errorf("%s has %q, %v, want %q", name, text, err, want)
			}
		}
	}
}

// The lines of a process that only looks keys up are not of before a purge.
func TestJournalOfLookups(t *testing.T) {
	a := followed(t)
	a.put("words", "/k/1", "/k/2")
	b := openPlace(t, a.place)
	told := b.Journal("ops.jsonl")
	if _, _, err := b.Get(ctx, keypath.MustParse("/k/1")); err != nil {
		t.Fatal(err)
	}
	told.Append([]byte(`{"key":"/k/2"}`+"\n"), 1<<20)
	a.erase("/k/2")
	if _, _, err := b.Get(ctx, keypath.MustParse("/k/1")); err != nil {
		t.Fatal(err)
	}
	told.Append([]byte(`{"key":"/k/1"}`+"\n"), 1<<20)
	text, err := told.Read(1 << 20)
	must(t, err)
	if len(text) > 0 {
		t.Errorf("the journal has %q after the purge", text)
	}
	told.Append([]byte(`{"op":"later"}`+"\n"), 1<<20)
	if text, err = told.Read(1 << 20); err != nil || !strings.Contains(string(text), "later") {
		t.Errorf("the journal has %q, %v", text, err)
	}
}

// A line that waits in one process while another one purges is not written after that.
func TestJournalWaitsAcrossAPurge(t *testing.T) {
	a := followed(t)
	a.put(secret, "/k/secret")
	for name, cache := range map[string]string{"here": a.cache, "elsewhere": t.TempDir()} {
		b := follow(t, a.place, cache)
		b.right("before")
		b.Journal("ops.jsonl").Append([]byte(`{"query":"`+secret+`"}`+"\n"), 1<<20)
		a.erase("/k/secret")
		b.right("after")
		must(t, b.Close())
		if list := b.holds(secret); len(list) > 0 {
			t.Errorf("%s: it is in %q", name, list)
		}
		b.open()
		a.put(secret, "/k/secret")
	}
}

// A journal takes lines while somebody has the space, and after its directory was removed.
func TestJournalAlone(t *testing.T) {
	a := followed(t)
	told := a.Journal("ops.jsonl")
	release := pgstore.Hold(t, a.place)
	told.Append([]byte("{\"op\":\"first\"}\n"), 1<<20)
	if text, err := told.Read(1 << 20); err != nil || !strings.Contains(string(text), "first") {
		t.Errorf("%q, %v", text, err)
	}
	release()
	must(t, os.RemoveAll(a.dir()))
	told.Append([]byte("{\"op\":\"lost\"}\n"), 1<<20)
	told.Append([]byte("{\"op\":\"next\"}\n"), 1<<20)
	if text, err := told.Read(1 << 20); err != nil || !strings.Contains(string(text), "next") {
		t.Errorf("%q, %v", text, err)
	}
	a.right("made anew")
}
