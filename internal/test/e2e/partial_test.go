package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// numbered returns a batch of n lines, each of a key of its own.
func numbered(n int) io.Reader {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"key":"/n/%d/%d","content":%d}`+"\n", i%50, i, i)
	}
	return strings.NewReader(b.String())
}

var fromTest = mem.BatchOptions{Source: []byte(`"test"`)}

// between returns a store like f whose batches call fn after each group.
func (f *fixture) between(wait time.Duration, fn func(done int)) *mem.Store {
	f.T.Helper()
	s, err := mem.Open(f.Root, mem.Options{
		Now: func() time.Time { return noon }, LockWait: wait,
		Warn:     func(msg string) { f.Warnings = append(f.Warnings, msg) },
		Progress: func(_ string, done, _ int) { fn(done) },
	})
	f.Must(err)
	f.T.Cleanup(func() { s.Close() })
	return s
}

// A batch of which a part is stored waits for the lock as long as it takes, whatever the limit, and
// says that it waits.
func TestBatchThatHasBegunWaits(t *testing.T) {
	for _, wait := range []time.Duration{20 * time.Millisecond, -1} {
		f := newStore(t)
		f.Put("/first", "1")
		freed := make(chan struct{})
		s := f.between(wait, func(done int) {
			if done != 10_000 {
				return
			}
			dir, err := disk.Open(f.Root)
			f.Must(err)
			lock, err := log.Acquire(dir, "backup", noon, time.Minute)
			f.Must(err)
			go func() {
				defer close(freed)
				defer dir.Close()
				time.Sleep(300 * time.Millisecond)
				lock.Unlock()
			}()
		})
		rep, err := s.SetAll(ctx, mem.Caller{}, numbered(11_000), fromTest)
		<-freed
		if err != nil || rep.Written != 11_000 {
			t.Errorf("wait %s: %+v, %v", wait, rep, err)
		}
		if told := strings.Join(f.Warnings, "\n"); strings.Count(told, "\n") != 0 ||
			!strings.Contains(told, "10000 of 11000 stored") || !strings.Contains(told, "backup") {
			t.Errorf("wait %s: warned %q", wait, told)
		}
	}
}

// The limit holds for the first group: nothing is stored yet.
func TestBatchThatHasNotBegunDoesNotWait(t *testing.T) {
	f := newStore(t)
	f.Put("/first", "1")
	dir, err := disk.Open(f.Root)
	f.Must(err)
	defer dir.Close()
	lock, err := log.Acquire(dir, "backup", noon, time.Minute)
	f.Must(err)
	rep, err := f.between(20*time.Millisecond, func(int) {}).SetAll(ctx, mem.Caller{},
		numbered(25_000), fromTest)
	var part *mem.PartialError
	if !errors.Is(err, log.ErrLocked) || errors.As(err, &part) || rep.Written != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	f.Must(lock.Unlock())
}

// What ends a batch in the middle says how much of it is stored, and a resumed batch stores the
// rest.
func TestBatchThatStopsSaysHowFarItCame(t *testing.T) {
	f := newStore(t)
	stop, cancel := context.WithCancel(ctx)
	s := f.between(0, func(done int) {
		if done >= 10_000 {
			cancel()
		}
	})
	rep, err := s.SetAll(stop, mem.Caller{}, numbered(11_000), fromTest)
	var part *mem.PartialError
	if !errors.As(err, &part) || part.Stored != 10_000 || part.Total != 11_000 ||
		!errors.Is(err, context.Canceled) || rep.Written != 10_000 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "10000 of 11000 stored, then: ") {
		t.Error(text)
	}
	if got := mem.FailureOf(err); got.Code != mem.KindCanceled || got.Stored == nil ||
		*got.Stored != 10_000 || *got.Total != 11_000 {
		t.Errorf("%+v", got)
	}
	resumed := fromTest
	resumed.Resume = true
	rep, err = f.SetAll(ctx, mem.Caller{}, numbered(11_000), resumed)
	f.Must(err)
	if rep.Written != 1_000 || rep.Unchanged != 10_000 {
		t.Errorf("resumed: %+v", rep)
	}
}

// A resumed batch leaves out what has the same content and source. Where --source and the time of
// the call made the source, the time does not count.
func TestResumedBatch(t *testing.T) {
	from := func(day int) []byte {
		return fmt.Appendf(nil, `{"kind":"user","name":"Ada","retrieved_at":"2026-02-%dT10:00:00Z"}`,
			day)
	}
	for _, tc := range []struct {
		name, line string
		source     []byte
		stored     int
	}{
		{"the same", `{"key":"/k","content":1,"source":"s"}`, nil, 0},
		{"other spelling", `{"source": "s", "content": 1, "key": "/k"}`, nil, 0},
		{"other content", `{"key":"/k","content":2,"source":"s"}`, nil, 1},
		{"other source", `{"key":"/k","content":1,"source":"t"}`, nil, 1},
		{"other given source", `{"key":"/k","content":1}`, []byte(`"t"`), 1},
		{"same given source", `{"key":"/k","content":1}`, []byte(`"s"`), 0},
		{"given source of another day", `{"key":"/d","content":1}`, from(22), 0},
		{"line of another day", fmt.Sprintf(`{"key":"/d","content":1,"source":%s}`, from(22)), nil, 1},
		{"gone already", `{"key":"/none","content":null,"source":"s"}`, nil, 0},
		{"not there", `{"key":"/none","content":0,"source":"s"}`, nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newStore(t)
			batch := `{"key":"/k","content":1,"source":"s"}` + "\n" +
				fmt.Sprintf(`{"key":"/d","content":1,"source":%s}`, from(21))
			_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch), mem.BatchOptions{})
			f.Must(err)
			rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(tc.line),
				mem.BatchOptions{Source: tc.source, Resume: true})
			f.Must(err)
			if rep.Written != tc.stored || rep.Unchanged != 1-tc.stored {
				t.Errorf("%+v", rep)
			}
		})
	}
}

// Whoever waits for the lines of a batch can stop.
func TestBatchWhoseInputDoesNotCome(t *testing.T) {
	f := newStore(t)
	in, out := io.Pipe()
	defer out.Close()
	stop, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := f.SetAll(stop, mem.Caller{}, in, fromTest)
	if !errors.Is(err, context.Canceled) || f.Exists() {
		t.Errorf("%v, made %v", err, f.Exists())
	}
}
