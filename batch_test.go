package mem_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
)

func TestBatchIsAllOrNothing(t *testing.T) {
	f := newStore(t)
	batch := `{"key":"/a","content":1,"source":"s"}
{"key":"no slash","content":1,"source":"s"}

{"key":"/b","content":2,"source":"s"}
{"key":"/c","source":"s"}
`
	rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch), mem.BatchOptions{})
	var bad *mem.BatchError
	if !errors.As(err, &bad) || len(bad.Lines) != 2 || bad.Lines[0].Line != 2 ||
		bad.Lines[1].Line != 5 || rep.Written != 0 {
		t.Fatalf("report %+v, error %v", rep, err)
	}
	if f.Made() {
		t.Error("a refused batch made the store")
	}
	rep, err = f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch),
		mem.BatchOptions{KeepGoing: true})
	if !errors.As(err, &bad) || rep.Written != 2 || f.Keys() != "/a /b" {
		t.Errorf("keep going: %+v %v, keys %s", rep, err, f.Keys())
	}
}

func TestBatchNamesTheFirstOfManyBadLines(t *testing.T) {
	for bad, want := range map[int]string{20: "line 20:", 21: "line 21:", 22: "2 more bad lines"} {
		f := newStore(t)
		_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(strings.Repeat("no JSON\n", bad)),
			mem.BatchOptions{})
		lines := strings.Split(err.Error(), "\n")
		if last := lines[len(lines)-1]; len(lines) > 21 || !strings.HasPrefix(last, want) {
			t.Errorf("%d bad lines: %d are told, the last %q", bad, len(lines), last)
		}
	}
}

func TestABatchOfManyGroupsIsOneStore(t *testing.T) {
	f := newStore(t)
	var batch bytes.Buffer
	const n = 25_000
	for i := range n {
		fmt.Fprintf(&batch, `{"key":"/n/%d/%d","content":%d}`+"\n", i%50, i%5000, i)
	}
	rep, err := f.SetAll(ctx, mem.Caller{}, &batch, mem.BatchOptions{Source: []byte(`"test"`)})
	f.Must(err)
	if rep.Written != n {
		t.Errorf("%+v", rep)
	}
	if got := f.Content("/n/49/4999"); got != "24999" {
		t.Errorf("the last write of a key is %s", got)
	}
}

func TestImportIsIdempotentAndRaisesNothing(t *testing.T) {
	f := newStore(t)
	f.Put("/a", "1")
	f.Put("/b", "2")
	data := []byte(f.Logged())
	imported := func() mem.BatchReport {
		rep, err := f.SetAll(ctx, mem.Caller{}, bytes.NewReader(data), mem.BatchOptions{})
		f.Must(err)
		return rep
	}
	if rep := imported(); rep.Unchanged != 2 || rep.Written != 0 {
		t.Errorf("the same again: %+v", rep)
	}
	f.Put("/a", "null")
	f.Put("/b", "3")
	if rep := imported(); rep.Stale != 2 || rep.Written != 0 {
		t.Errorf("older than what is there: %+v", rep)
	}
	_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.Must(err)
	if rep := imported(); rep.Stale != 2 || f.Keys() != "/b" {
		t.Errorf("after the tombstone left the state: %+v, keys %s", rep, f.Keys())
	}
	_, err = f.SetAll(ctx, mem.Caller{},
		strings.NewReader(`{"key":"/x","ts":"2026-02-23T12:00:01Z","content":1,"source":"s"}`),
		mem.BatchOptions{})
	if !errors.Is(err, mem.ErrFuture) {
		t.Errorf("from more than a day ahead: %v", err)
	}
	older := []byte(`{"key":"/c","ts":"2020-01-01T00:00:00Z","content":"old","source":"s"}` + "\n" +
		`{"key":"/c","ts":"2021-01-01T00:00:00Z","content":"newer","source":"s"}`)
	rep, err := f.SetAll(ctx, mem.Caller{}, bytes.NewReader(older), mem.BatchOptions{})
	f.Must(err)
	if rep.Written != 2 || f.Content("/c") != `"newer"` {
		t.Errorf("an older import of a new key: %+v, %s", rep, f.Content("/c"))
	}
}

// An import is compared with what came between its groups, from others and from the batch itself.
func TestImportBetweenOtherWrites(t *testing.T) {
	line := func(key, ts, content string) string {
		return fmt.Sprintf(`{"key":%q,"ts":%q,"content":%q,"source":"s"}`+"\n", key, ts, content)
	}
	var fillers strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&fillers, `{"key":"/filler/%d","content":1,"source":"s"}`+"\n", i)
	}
	t.Run("a new write of the batch is newer", func(t *testing.T) {
		f := newStore(t)
		batch := line("/k", "2020-01-01T00:00:00Z", "import-1") +
			`{"key":"/k","content":"new","source":"s"}` + "\n" + fillers.String() +
			line("/k", "2021-01-01T00:00:00Z", "import-2")
		_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch), mem.BatchOptions{})
		f.Must(err)
		if got := f.Content("/k"); got != `"new"` {
			t.Errorf("get returns %s", got)
		}
	})
	t.Run("another writer voids it meanwhile", func(t *testing.T) {
		f := newStore(t)
		deleted := false
		f.Progress = func(string, int, int) {
			if !deleted {
				deleted = true
				f.Put("/k", "null")
			}
		}
		f.Open()
		batch := line("/k", "2020-01-01T00:00:00Z", "import-1") + fillers.String() +
			fillers.String() + line("/k", "2021-01-01T00:00:00Z", "import-2")
		rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch), mem.BatchOptions{})
		f.Must(err)
		if got := f.Content("/k"); got != "(none)" || rep.Stale != 1 {
			t.Errorf("get returns %s, report %+v", got, rep)
		}
	})
}
