package transfer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// disorder stores versions of keys that are older than others of theirs, as a merge by git does.
func disorder(s *storetest.Store) {
	if s.Root == "" {
		return // nothing gets there without its rules
	}
	lines := strings.Join(strings.SplitAfter(s.Logged(), "\n")[:5], "") // as after a rotation
	for _, v := range []struct{ key, ts, content string }{
		{"/merged/a", "13:00:00.000002", "2"}, {"/merged/a", "13:00:00.000001", "1"},
		{"/merged/b", "13:00:00.000001", "1"}, {"/merged/a", "13:00:00.000003", "null"},
		{"/merged/c", "13:00:00.000009", "9"}, {"/merged/b", "13:00:00.000000", "0"},
		{"/merged/c", "13:00:00.000009", "8"}, {"/merged/a", "13:00:00.000002", "2"},
	} {
		ts, err := log.ParseTime("2026-02-21T" + v.ts + "Z")
		s.Must(err)
		lines += string(log.Envelope{Key: keypath.MustParse(v.key), TS: ts,
			Source: []byte(`"git"`), Content: []byte(v.content)}.Line()) + "\n"
	}
	appendTo(s, lines)
}

// The versions of a key come in their order, whatever that of the history is, and each once.
func TestOutOfOrder(t *testing.T) {
	for _, late := range []int{1, 1 << 20} { // one key at once, or all
		for _, kind := range []storetest.Kind{storetest.Files, storetest.Memory} {
			p := &pair{TB: t, from: storetest.NewStore(t, storetest.Files),
				to: storetest.NewStore(t, kind)}
			restore := transfer.SetLimits(100, late)
			fill(p.from)
			disorder(p.from)
			job := p.job()
			job.DryRun = true
			rep, err := transfer.Copy(ctx, mem.Caller{}, job)
			p.from.Must(err)
			p.counts(rep, 11+7)
			p.counts(p.copies(), 11+7)
			restore()
		}
	}
}

// What had no checksum gets one, and wins against nothing that it lost against.
func TestUnsealedLines(t *testing.T) {
	p := &pair{TB: t, from: storetest.NewStore(t, storetest.Files),
		to: storetest.NewStore(t, storetest.Memory)}
	p.from.Dirty = true
	p.from.Put("/sealed", `1`)
	ts := log.StampOf(p.from.Clock)
	appendTo(p.from, `{"key":"/bare","ts":"2026-02-21T00:00:00Z","source":"x","content":7}`+"\n"+
		fmt.Sprintf(`{"key":"/sealed","ts":%q,"source":"x","content":9}`, ts)+"\n")
	rep, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	if err != nil {
		t.Fatal(err)
	}
	if p.to.Content("/bare") != "7" || p.to.Content("/sealed") != "1" ||
		len(versions(p.to)) != 2 {
		t.Errorf("%+v: %s", rep, p.to.Logged())
	}
}

// Whatever is written to a store, before a copy and while it runs, both have one history.
func TestHistoryIsTheSame(t *testing.T) { eachPair(t, testHistoryIsTheSame) }

func testHistoryIsTheSame(t *testing.T, p *pair) {
	keys := rapid.SampledFrom([]string{"/a", "/a/b", "/a-b", "/user/牙科", "/b/c", "/z"})
	texts := rapid.SampledFrom([]string{`1`, `null`, `{"text":"x"}`, `"牙科"`,
		`{"expired_at":"2026-02-22T11:00:00Z"}`})
	rapid.Check(t, func(rt *rapid.T) {
		restore := transfer.SetLimits(rapid.IntRange(1, 4).Draw(rt, "batch"), 100)
		defer restore()
		q := &pair{TB: t, from: storetest.NewStore(t, kindOf(p.from)),
			to: storetest.NewStore(t, kindOf(p.to))}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0:
				q.from.Clock = q.from.Clock.Add(time.Minute)
				q.to.Clock = q.from.Clock
			case 1:
				_, err := q.from.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
				q.from.Must(err)
			default:
				q.from.Put(keys.Draw(rt, "key"), texts.Draw(rt, "content"))
			}
		}
		q.from.Put("/last", `1`)
		more := rapid.IntRange(0, 3).Draw(rt, "meanwhile")
		q.progress = func(int) {
			if more--; more >= 0 {
				q.from.Put(keys.Draw(rt, "key"), texts.Draw(rt, "content"))
			}
		}
		q.copies()
	})
}
