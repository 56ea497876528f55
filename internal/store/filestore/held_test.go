package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// held is a store of a world that is held open.
type held struct {
	w *storetest.World
	s *filestore.Store
	t *testing.T
}

func holdOpen(t *testing.T) held { return holdOpenAs(t, filestore.Options{}) }

func holdOpenAs(t *testing.T, o filestore.Options) held {
	w := storetest.NewWorld(t)
	w.Shared = o.Shared
	t.Setenv("MEM_BOOT_ID", w.Boot)
	o.Now = func() time.Time { return w.Now }
	s, err := filestore.Open(w.Path, o)
	w.Must(err)
	t.Cleanup(func() { s.Close() })
	return held{w, s, t}
}

func (h held) put(key, text string) {
	h.t.Helper()
	h.w.Must(h.update(func(tx backend.Tx) error {
		e := log.Envelope{
			Key: keypath.MustParse(key), Source: []byte(`"test"`), Content: []byte(text),
		}
		_, err := tx.Append(backend.Write{Envelope: e})
		return err
	}))
}

func (h held) update(fn func(backend.Tx) error) error {
	return h.s.Update(context.Background(), backend.Caller{}, "test", fn)
}

// count returns how many live keys a new snapshot has.
func (h held) count() (n int) {
	h.t.Helper()
	snap, err := h.s.Snapshot(context.Background())
	h.w.Must(err)
	defer snap.Close()
	for _, err := range snap.ScanBelow(context.Background(), keypath.Prefix{}) {
		h.w.Must(err)
		n++
	}
	return n
}

func (h held) nextNumber() (n int64) {
	h.t.Helper()
	h.w.Must(h.update(func(tx backend.Tx) (err error) {
		n, err = tx.NextNumber(context.Background(), "note")
		return err
	}))
	return n
}

// A panic in one update is its caller's alone, and the store goes on.
func TestPanicOfAnUpdate(t *testing.T) {
	h := holdOpen(t)
	func() {
		defer func() {
			if cause := recover(); cause != "boom" {
				t.Errorf("recovered %v", cause)
			}
		}()
		h.update(func(backend.Tx) error { panic("boom") })
	}()
	h.put("/after", "1")
	if h.count() != 1 {
		t.Error("the write after it is not there")
	}
}

// A state that somebody cuts while a view of it is kept is told by its missing bytes.
func TestStateCutWhileItsViewIsKept(t *testing.T) {
	h := holdOpen(t)
	for i := range 20 {
		h.put(fmt.Sprintf("/k/%02d", i), "1")
	}
	h.w.Compact(storetest.KeepLog)
	if n := h.count(); n != 20 {
		t.Fatalf("%d keys", n)
	}
	for _, size := range []int64{1000, 10, 0} {
		h.w.Must(os.Truncate(h.w.File("state.jsonl"), size))
		if n := h.count(); n != 20 {
			t.Errorf("%d keys with the state cut to %d bytes", n, size)
		}
		rec, found, err := h.s.Get(context.Background(), keypath.MustParse("/k/19"))
		if err != nil || !found || string(rec.Content) != "1" {
			t.Errorf("get with the state cut to %d bytes: %v, %v", size, found, err)
		}
	}
	h.put("/last", "1")
	h.w.Compact(storetest.KeepLog)
}

// Counters that were read from a log are read again where a backup was copied over it, which keeps
// its inode.
func TestNumbersAfterARestoreInPlace(t *testing.T) {
	h := holdOpen(t)
	h.put("/note/user/m-1", `{"text":"one"}`)
	backup := filepath.Join(t.TempDir(), "backup")
	h.w.Must(exec.Command("cp", "-a", h.w.Path, backup).Run())
	for i := 2; i < 9; i++ {
		h.put(fmt.Sprintf("/note/user/m-%d", i), `{"text":"lost with the restore"}`)
	}
	if n := h.nextNumber(); n != 9 {
		t.Errorf("number %d", n)
	}
	h.w.Must(exec.Command("cp", "-a", backup+"/.", h.w.Path).Run())
	for i := 20; i < 40; i++ {
		h.w.Set(fmt.Sprintf("/note/user/m-%d", i), `{"text":"of another process"}`)
	}
	if n := h.nextNumber(); n != 40 {
		t.Errorf("number %d is given a second time", n)
	}
	h.w.Repair() // index files of what the restore took away
}

// reopenWithNumber opens the store anew, with another number in its checkpoint.
func (h *held) reopenWithNumber(was, is int64) {
	h.t.Helper()
	h.w.Must(h.s.Close())
	name := h.w.File("checkpoint.json")
	text, err := os.ReadFile(name)
	h.w.Must(err)
	object, _, _ := strings.Cut(string(text), `,"checksum"`)
	object, rest, found := strings.Cut(object, fmt.Sprintf(`{"note":%d}`, was))
	if !found {
		h.t.Fatalf("no number %d in %s", was, text)
	}
	object += fmt.Sprintf(`{"note":%d}`, is) + rest + "}"
	h.w.Must(os.WriteFile(name, append(log.Seal([]byte(object)), '\n'), 0o600))
	h.s, err = filestore.Open(h.w.Path, filestore.Options{
		Now: func() time.Time { return h.w.Now },
	})
	h.w.Must(err)
	h.t.Cleanup(func() { h.s.Close() })
}

// A checkpoint of a build that counted every number does not end them.
func TestNumbersThatACheckpointUsedUp(t *testing.T) {
	h := holdOpen(t)
	h.put("/note/user/m-4", `{"text":"x"}`)
	h.w.Compact(storetest.KeepLog)
	h.reopenWithNumber(4, 999_999_999_999_998)
	if n := h.nextNumber(); n != 5 {
		t.Errorf("number %d", n)
	}
}

// The numbers have an end, where they were counted to it.
func TestNumbersThatAreUsedUp(t *testing.T) {
	h := holdOpen(t)
	h.put("/note/user/m-4", `{"text":"x"}`)
	h.w.Compact(storetest.KeepLog)
	h.reopenWithNumber(4, keypath.MaxCounted)
	h.put(fmt.Sprint("/note/user/m-", keypath.MaxCounted+keypath.MaxGap), "1")
	err := h.update(func(tx backend.Tx) error {
		_, err := tx.NextNumber(context.Background(), "note")
		return err
	})
	if !errors.Is(err, backend.ErrUsedUp) {
		t.Error(err)
	}
}

// However a line spells the key of a note, its number is taken.
func TestNumbersOfKeysInOtherSpellings(t *testing.T) {
	for _, key := range []string{
		`/note/user/m-1`, `//note/user/m-1`, `/note//user/m-1/`, `\/note\/user\/m-1`, `/\u006eote/user/m-1`,
	} {
		h := holdOpen(t)
		line := `{"key":"` + key + `","ts":"2026-02-22T10:00:00Z","source":"editor","content":{"text":"x"}}`
		h.w.Must(os.WriteFile(h.w.File(log.File), []byte(line+"\n"), 0o600))
		if n := h.nextNumber(); n != 2 {
			t.Errorf("number %d after %s", n, key)
		}
		h.put("/other", "1")
		h.w.Seal()
	}
}

// Readers go on while a failed append is cut off again.
func TestReadersWhileAnAppendFails(t *testing.T) {
	h := holdOpen(t)
	h.put("/a", "1")
	cause := errors.New("input/output error")
	var failed atomic.Int32
	stop, stopped := make(chan struct{}), make(chan struct{})
	other, err := filestore.Open(h.w.Path, filestore.Options{
		Now: func() time.Time { return h.w.Now },
	})
	h.w.Must(err)
	defer other.Close()
	disk.SetHook(func(op disk.Op, path string) error {
		if op == disk.OpSync && filepath.Base(path) == log.File {
			failed.Add(1)
			return cause
		}
		return nil
	})
	defer disk.SetHook(nil)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = other.Update(context.Background(), backend.Caller{}, "test",
					func(tx backend.Tx) error {
						_, err := tx.Append(backend.Write{Envelope: log.Envelope{
							Key: keypath.MustParse("/b"), Source: []byte(`"test"`),
							Content: fmt.Appendf(nil, "%q", make([]byte, 4000)),
						}})
						return err
					})
			}
		}
	}()
	for n := 0; n < 500 || failed.Load() < 50; n++ {
		snap, err := h.s.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		snap.Close()
	}
	close(stop)
	<-stopped
}
