package session_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// Whatever is done to a session, its size is that of a recount and never above its limit, and
// nothing that was dropped was a preference or comes back.
func TestSizeIsARecount(t *testing.T) {
	for _, kind := range []storetest.Kind{storetest.Files, storetest.Memory} {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				s := storetest.NewStore(&closing{TB: t}, kind)
				defer s.T.(*closing).close()
				w := &world{fixture: &fixture{Store: s}, rt: rt, live: map[string]string{},
					back: map[string]log.Stamp{}}
				w.run()
			})
		})
	}
}

// A compaction drops what a look at every record would, wherever these stand.
func TestCompactionLooksAtAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := storetest.NewStore(&closing{TB: t}, storetest.Files)
		defer s.T.(*closing).close()
		w := &world{fixture: &fixture{Store: s}, rt: rt, live: map[string]string{}, limit: 1 << 20}
		w.Configure(`{"auto_compact":false,"storage":{"max_session_size_mb":1}}`)
		id, err := session.Create(ctx, w.Store.Store, none, session.CreateOptions{User: "ada"})
		w.Must(err)
		w.id = id
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			rapid.SampledFrom([]func(*rapid.T){w.remembers, w.remembers, w.remembers,
				func(rt *rapid.T) {
					if len(w.live) > 0 {
						w.expires(rt)
					}
				},
				func(*rapid.T) { w.compactStore() },
				func(*rapid.T) { w.loseCache() },
			}).Draw(rt, "step")(rt)
		}
		w.Clock = w.Clock.Add(time.Duration(rapid.IntRange(0, 2000).Draw(rt, "h")) * time.Hour)
		w.compacts(rt)
	})
}

// closing is a test that ends before the one that it is part of.
type closing struct {
	testing.TB
	last []func()
}

func (c *closing) Cleanup(fn func()) { c.last = append(c.last, fn) }

func (c *closing) TempDir() string { return c.TB.TempDir() }

func (c *closing) close() {
	for _, fn := range slices.Backward(c.last) {
		fn()
	}
}

// world is a session to which anything is done, and what is known to be live in it.
type world struct {
	*fixture
	rt    *rapid.T
	live  map[string]string    // ids and their types
	gone  []string             // lines of what was deleted, to be imported again
	lost  []string             // ids of what was deleted or dropped
	back  map[string]log.Stamp // when something of lost was brought back
	slack int64                // bytes of tombstones brought back since the last compaction
	last  log.Stamp            // compaction
	limit int64
}

func (w *world) run() {
	w.configure()
	id, err := session.Create(ctx, w.Store.Store, none, session.CreateOptions{User: "ada"})
	w.Must(err)
	w.id = id
	w.rt.Repeat(map[string]func(*rapid.T){
		"remember": w.remembers, "remember more": w.remembers, "forget": w.forgets,
		"touch": w.touches, "compact the session": w.compacts,
		"compact the store": func(*rapid.T) { w.compactStore() },
		"import":            w.imports, "undo": w.undoes,
		"reopen":         func(*rapid.T) { w.reopen() },
		"lose the cache": func(*rapid.T) { w.loseCache() },
		"wait": func(rt *rapid.T) {
			w.Clock = w.Clock.Add(time.Duration(rapid.IntRange(1, 2000).Draw(rt, "h")) * time.Hour)
		},
		"": w.check,
	})
	if w.Root != "" {
		w.loseIndex()
		w.repair()
		w.check(w.rt)
	}
}

// configure draws a limit of a few records.
func (w *world) configure() {
	mb := rapid.SampledFrom([]float64{0.003, 0.006, 0.02}).Draw(w.rt, "limit")
	w.limit = int64(mb * (1 << 20))
	w.Configure(fmt.Sprintf(`{"storage":{"max_session_size_mb":%v,"compaction_threshold":%v,`+
		`"auto_compact":%v}}`, mb, rapid.SampledFrom([]float64{0, 0.5, 0.9, 1}).Draw(w.rt, "threshold"),
		rapid.IntRange(0, 3).Draw(w.rt, "auto") > 0))
}

func (w *world) reopen() {
	if w.Root != "" {
		w.Must(w.Close())
		w.Open()
	}
}

func (w *world) remembers(rt *rapid.T) {
	w.tick()
	kind := session.Types[rapid.IntRange(0, 3).Draw(rt, "type")].Type
	text := strings.Repeat("x", rapid.IntRange(1, 900).Draw(rt, "length"))
	at := w.Clock.Add(-time.Duration(rapid.IntRange(-50, 5000).Draw(rt, "age")) * time.Hour)
	before := w.Logged()
	id, err := w.try(session.Record{Type: kind, Text: text, At: log.StampOf(at),
		Importance: importance(rapid.Float64Range(0, 1).Draw(rt, "importance"))})
	var full *session.FullError
	switch {
	case err == nil:
		w.live[id] = kind
		if w.Content("/session/"+w.id+"/"+id) == "(none)" {
			rt.Errorf("%s was acknowledged and is not there", id)
		}
		if size := w.recount(); size > w.limit+w.slack {
			rt.Errorf("%d bytes were taken, at most %d", size, w.limit)
		}
	case !errors.As(err, &full):
		rt.Fatal(err)
	case full.Limit != w.limit || full.Size <= w.limit || w.Logged() != before:
		rt.Errorf("%+v, or it left something", full)
	}
}

// tick lets some time pass, so that no two writes have one time.
func (w *world) tick() { w.Clock = w.Clock.Add(time.Second) }

// one draws a record that is live.
func (w *world) one(rt *rapid.T) (id string) {
	ids := slices.Sorted(maps.Keys(w.live))
	if len(ids) == 0 {
		rt.Skip("nothing there")
	}
	return ids[rapid.IntRange(0, len(ids)-1).Draw(rt, "which")]
}

func (w *world) forgets(rt *rapid.T) {
	w.tick()
	id := w.one(rt)
	rec, err := w.Get(ctx, none, w.key(id), true)
	w.Must(err)
	w.gone = append(w.gone, string(rec.Line))
	_, _, err = w.delete(id)
	w.Must(err)
	delete(w.live, id)
	w.lost = append(w.lost, id)
}

func (w *world) touches(rt *rapid.T) {
	w.tick()
	tag := fmt.Sprint("t", rapid.IntRange(0, 9).Draw(rt, "tag"))
	w.touch(rt, edit.Changes{Add: []string{tag}})
}

func (w *world) touch(rt *rapid.T, change edit.Changes) {
	before := w.Logged()
	_, err := edit.Touch(ctx, w.Store.Store, none, []keypath.Key{w.key(w.one(rt))}, change,
		edit.Author{})
	var full *session.FullError
	if !errors.As(err, &full) {
		w.Must(err)
	} else if full.Limit != w.limit || full.Size <= w.limit || w.Logged() != before {
		rt.Errorf("%+v, or it left something", full) // a change is held to the limit, too
	}
}

func (w *world) compacts(*rapid.T) {
	w.tick()
	before, worthless := len(w.live), w.worthless()
	done, err := session.Compact(ctx, w.Store.Store, none, w.id)
	w.Must(err)
	if done.Before != before || done.Dropped != worthless {
		w.rt.Errorf("%+v, want %d of %d dropped", done, worthless, before)
	}
	if done.After != done.Before-done.Dropped || done.To != w.recount() || done.To > done.From {
		w.rt.Errorf("%+v, want %d bytes", done, w.recount())
	}
}

// worthless counts the records that a compaction is to drop.
func (w *world) worthless() (n int) {
	conf, err := w.Config(ctx)
	w.Must(err)
	now := log.StampOf(w.Clock)
	for id, kind := range w.live {
		rec, err := w.Get(ctx, none, w.key(id), true)
		w.Must(err)
		parts := session.Rules{Config: conf}.PartsOf(rec, now, 1)
		if kind != "preference" && (content.Expired(rec.Content, now) ||
			parts.Relevance() < conf.Decay.MinRelevance) {
			n++
		}
	}
	return n
}

// expires sets the time a record ends at.
func (w *world) expires(rt *rapid.T) {
	w.tick()
	at := w.Clock.Add(time.Duration(rapid.IntRange(1, 2000).Draw(rt, "for how long")) * time.Hour)
	w.touch(rt, edit.Changes{Expires: log.StampOf(at).String()})
}

// imports brings back lines that were deleted, which stay deleted.
func (w *world) imports(rt *rapid.T) {
	w.tick()
	if len(w.gone) == 0 {
		rt.Skip("nothing there")
	}
	_, err := w.SetAll(ctx, none, strings.NewReader(strings.Join(w.gone, "\n")),
		mem.BatchOptions{Force: true})
	w.Must(err)
}

// undoes brings back what was deleted, by a compaction or not.
func (w *world) undoes(rt *rapid.T) {
	w.tick()
	if len(w.lost) == 0 {
		rt.Skip("nothing there")
	}
	id := w.lost[len(w.lost)-1]
	tombstone := w.newest(id)
	done, err := edit.Undo(ctx, w.Store.Store, none, w.key(id), nil, edit.Author{})
	if errors.Is(err, session.ErrFull) {
		return
	}
	w.Must(err)
	w.lost = w.lost[:len(w.lost)-1]
	w.live[id] = content.Parse([]byte(w.Content("/session/" + w.id + "/" + id))).Type
	w.back[id] = done.TS
	w.slack += int64(len(tombstone.Line)) + 1
}

// newest returns the newest line of a record.
func (w *world) newest(id string) (newest log.Record) {
	w.Must(w.Everything(ctx, func(rec log.Record) error {
		if rec.Key == w.key(id) && (newest.Line == nil || rec.Wins(newest)) {
			newest = rec.Clone()
		}
		return nil
	}))
	return newest
}

// check holds the session against what is known of it.
func (w *world) check(rt *rapid.T) {
	w.dropped(rt)
	sum := w.show()
	if sum.LastCompact != nil && *sum.LastCompact != w.last {
		w.last, w.slack = *sum.LastCompact, 0
	}
	if got := w.recount(); sum.Bytes > got || sum.Bytes < got-w.slack {
		rt.Errorf("%d bytes, want %d, at most %d less", sum.Bytes, got, w.slack)
	}
	held := w.All()
	if sum.Entries != len(w.live) || len(held) != len(w.live)+1 {
		rt.Errorf("%d entries and %d live keys, want %d", sum.Entries, len(held), len(w.live))
	}
	for id := range w.live {
		if held["/session/"+w.id+"/"+id] == "" {
			rt.Errorf("%s is lost", id)
		}
	}
	for _, found := range w.search(mem.SearchOptions{Limit: 1000}) {
		if found.Score < 0 || found.Score > 1.5 {
			rt.Errorf("%s is worth %v", found.Record.Key, found.Score)
		}
	}
}

// dropped takes note of what compactions have dropped, none of which may be a preference.
func (w *world) dropped(rt *rapid.T) {
	w.Must(w.Everything(ctx, func(rec log.Record) error {
		key := rec.Key.String()
		id := key[strings.LastIndexByte(key, '/')+1:]
		kind, known := w.live[id]
		if rec.Valid() || !known || rec.TS < w.back[id] ||
			!strings.Contains(string(rec.Source), `"session-compaction"`) {
			return nil
		}
		w.lost = append(w.lost, id)
		if delete(w.live, id); kind == "preference" {
			rt.Errorf("the preference %s was dropped: %s", id, rec.Source)
		}
		return nil
	}))
}

// Whatever other hands have written as importance or time, the relevance is in its bounds.
func TestRelevanceOfAnything(t *testing.T) {
	f := &fixture{Store: storetest.NewStore(t, storetest.Memory)}
	conf, err := f.Config(ctx)
	f.Must(err)
	value := rapid.SampledFrom([]string{"-1", "0", "1", "1.0", "5", "10", "1e400", "-1e400", "null",
		`"x"`, "[]", "true", `"2026-02-22T12:00:00Z"`, `"0001-01-01T00:00:00Z"`, "99999999999999999999"})
	rapid.Check(t, func(rt *rapid.T) {
		rec := log.Record{}
		rec.TS = log.StampOf(f.Clock)
		rec.Content = fmt.Appendf(nil, `{"type":%q,"importance":%s,"timestamp":%s}`, "finding",
			value.Draw(rt, "importance"), value.Draw(rt, "time"))
		parts := session.Rules{Config: conf}.PartsOf(rec, rec.TS, 1)
		if rel := parts.Relevance(); !(rel >= 0 && rel <= 1.5) {
			rt.Errorf("%s: %v of %+v", rec.Content, rel, content.Parse(rec.Content))
		}
	})
}
