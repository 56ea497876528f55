package compact_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/test/storetest"
)

// A long tail is folded by several goroutines, to the same view.
func TestLongTail(t *testing.T) {
	w := storetest.NewWorld(t)
	text := `"` + strings.Repeat("long ", 400) + `"`
	for i := range 20 {
		var pairs []string
		for k := range 60 {
			pairs = append(pairs, fmt.Sprintf("/k/%d", k*(i+1)%97),
				strings.Replace(text, "long", fmt.Sprint(i), 1))
		}
		w.Set(pairs...)
	}
	want := w.Live()
	v, err := w.Files().Load()
	w.Must(err)
	if v.Lines != 1200 || v.Size() < 1<<20 {
		t.Errorf("%d lines, %d bytes", v.Lines, v.Size())
	}
	v.Close()
	w.Compact(storetest.KeepLog)
	storetest.Same(t, "after a compaction", w.Live(), want)
}

// A compaction in passes ends like one in one: state, checkpoint, index, and the same file by file.
func TestPassesEndLikeOneCompaction(t *testing.T) {
	for _, limits := range []backend.Limits{storetest.KeepLog, storetest.RotateLog} {
		whole, passes := storetest.Specimen(t), storetest.Specimen(t)
		for _, w := range []*storetest.World{whole, passes} {
			for i := range 40 {
				w.Set(fmt.Sprintf("/n/%d", i%13), fmt.Sprint(i), fmt.Sprintf("/m/%d", i),
					[]string{`"kept"`, "null"}[i%2])
			}
		}
		job := passes.Job(limits)
		job.PassBytes = 700
		surveys := 0
		job.Lock = func() (func() error, error) { surveys++; return storetest.NoLock() }
		rep, err := job.Run()
		passes.Must(err)
		want := whole.Compact(limits)
		if rep.Keys != want.Keys || rep.Lines != want.Lines ||
			rep.Archive == "" != (want.Archive == "") {
			t.Errorf("%+v, want %+v", rep, want)
		}
		if surveys < 6 {
			t.Errorf("only %d locks: there were no passes", surveys)
		}
		storetest.Same(t, "in passes", passes.Live(), whole.Live())
	}
}

// A damaged line whose sound copy is in the index is taken in again once, wherever the passes end.
func TestDamagedLineOfAnEarlyPass(t *testing.T) {
	w := storetest.NewWorld(t)
	for i := range 40 {
		w.Set(fmt.Sprintf("/k/%02d", i), fmt.Sprintf(`"value %d of some length"`, i))
	}
	want := w.Live()
	w.Edit("log.jsonl", func(b []byte) []byte {
		return bytes.Replace(b, []byte("value 1 "), []byte("valve 1 "), 1)
	})
	job := w.Job(storetest.KeepLog)
	job.PassBytes = 1000
	locks := 0
	job.Lock = func() (func() error, error) {
		if locks++; locks > 100 {
			return nil, errors.New("the compaction does not end")
		}
		return storetest.NoLock()
	}
	_, err := job.Run()
	w.Must(err)
	storetest.Same(t, "after the compaction", w.Live(), want)
	w.Repair()
	storetest.Same(t, "after a repair", w.Live(), want)
}
