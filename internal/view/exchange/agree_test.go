package exchange_test

import (
	"bytes"
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
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// life is some time in the life of a fleet, and what its machines have acknowledged meanwhile.
// Every version that is written has a word of its own, as w00012x.
type life struct {
	*fleet
	rt    *rapid.T
	now   time.Time
	off   map[*machine]time.Duration
	words int

	lines map[string]bool      // acknowledged, under keys that no exchange changes
	notes map[string]bool      // words of acknowledged notes
	taken map[string]bool      // words of notes that a purge may have taken
	gone  map[string]bool      // lines that an acknowledged purge has taken
	runs  map[string]int       // how often a step was taken; "killed" has those that were killed
	asked map[keypath.Key]bool // keys that ever were
}

// steps are what a machine does; one that stands there twice is drawn twice as often.
var steps = []string{"set", "set", "note", "edit", "supersede", "delete", "purge", "compact",
	"sync", "sync", "sync", "sync", "copy"}

// Machines begin with memories of their own. They write, correct, delete, purge and compact apart,
// exchange in any order through any depots, are killed at any call that changes the disk and have
// clocks that are off by up to 12 h. In the end all answer the same: no acknowledged line is lost,
// and no purged text is in any file of theirs or at a depot.
func TestMachinesAgree(t *testing.T) {
	runs := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		tied := &tied{t, rt}
		defer func() { tied.to = t }()
		l := &life{fleet: newFleet(tied, rapid.IntRange(3, 5).Draw(rt, "machines"),
			rapid.IntRange(1, 3).Draw(rt, "depots")), rt: rt, now: storetest.Noon,
			off: map[*machine]time.Duration{}, lines: map[string]bool{}, notes: map[string]bool{},
			taken: map[string]bool{}, gone: map[string]bool{}, runs: runs,
			asked: map[keypath.Key]bool{}}
		for _, m := range l.machines {
			seconds := rapid.IntRange(-12*3600, 12*3600).Draw(rt, "off")
			l.off[m] = time.Duration(seconds) * time.Second
			for range rapid.IntRange(1, 3).Draw(rt, "begins with") {
				l.step(m, rapid.SampledFrom([]string{"set", "note"}).Draw(rt, "first"), 0)
			}
		}
		for range rapid.IntRange(10, 30).Draw(rt, "steps") {
			calls := 0
			if rapid.IntRange(0, 3).Draw(rt, "killed") == 0 {
				calls = rapid.IntRange(1, 60).Draw(rt, "at call")
			}
			l.step(rapid.SampledFrom(l.machines).Draw(rt, "machine"),
				rapid.SampledFrom(steps).Draw(rt, "step"), calls)
		}
		l.end()
	})
	t.Logf("%v", runs)
	for what, least := range map[string]int{"sync": 200, "killed": 150, "killed sync": 40,
		"purge": 60, "killed purge": 6, "edit": 60, "supersede": 30, "compact": 60, "note": 200,
		"copy": 40} {
		if runs[what] < least/testkit.Extent(12, 1, 1) {
			t.Errorf("only %d of %s", runs[what], what)
		}
	}
}

// step does one thing on a machine, which is killed at some call; at 0 it is not.
func (l *life) step(m *machine, what string, call int) {
	l.now = l.now.Add(time.Second)
	m.Clock = l.now.Add(l.off[m])
	do := l.prepare(m, what)
	if do == nil {
		return // there is nothing to edit
	}
	l.runs[what]++
	l.rt.Logf("machine %s: %s, killed at %d, up to w%05dx", m.id[30:], what, call, l.words)
	var acknowledged func()
	var err error
	died := call > 0 && killed(call, func() { acknowledged, err = do() })
	switch {
	case call == 0:
		acknowledged, err = do()
	case died:
		l.runs["killed"]++
		l.runs["killed "+what]++
		m.Close()
		m.Open()
	}
	if err == nil {
		acknowledged() // also where it died in what may fail
	} else if !died {
		l.rt.Fatalf("%s: %v", what, err)
	}
}

// prepare draws a step, and returns a function that takes it; that returns one that notes what was
// acknowledged.
func (l *life) prepare(m *machine, what string) (do func() (func(), error)) {
	key := keypath.MustParse(fmt.Sprintf("/k/%d", rapid.IntRange(0, 4).Draw(l.rt, "key")))
	here := m.keys()
	if what == "delete" || what == "purge" || what == "edit" || what == "supersede" {
		if len(here) < 2 {
			return nil
		}
		key = rapid.SampledFrom(here).Draw(l.rt, "one")
	}
	l.words++
	word := fmt.Sprintf("w%05dx", l.words)
	nothing := func() {}
	switch what {
	case "set":
		return func() (func(), error) {
			_, err := m.Set(ctx, mem.Caller{}, storetest.Write(key.String(),
				fmt.Sprintf(`{"text":"text %s"}`, word)), mem.SetOptions{Force: true})
			return func() { l.wrote(m, key, word) }, err
		}
	case "note":
		return func() (func(), error) {
			added, err := note.Add(ctx, m.Store.Store, mem.Caller{}, "fact "+word+".",
				note.Options{Scope: "user", IDs: l.ids()})
			return func() { l.wrote(m, added.Key, word) }, err
		}
	case "edit":
		return l.edit(m, key, word)
	case "supersede":
		by := rapid.SampledFrom(here).Draw(l.rt, "by")
		return func() (func(), error) {
			_, err := edit.Supersede(ctx, m.Store.Store, m.Store.Store, mem.Caller{}, key, by,
				edit.Author{})
			if errors.Is(err, edit.ErrSame) || errors.Is(err, edit.ErrCycle) {
				return nothing, nil
			}
			return nothing, err
		}
	case "delete":
		if lines := m.versions(key); !mem.Travels(log.Record{Envelope: log.Envelope{Key: key}}) {
			l.take(lines) // a note that was deleted under an id of this machine alone stays there
		}
		return func() (func(), error) {
			_, _, err := m.Delete(ctx, mem.Caller{}, []keypath.Key{key}, nil)
			return nothing, err
		}
	case "purge":
		return l.purge(m, key)
	case "compact":
		return func() (func(), error) {
			_, err := m.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
			return nothing, err
		}
	}
	path := rapid.SampledFrom(l.depots).Draw(l.rt, "depot")
	return func() (func(), error) {
		if what == "copy" {
			return nothing, l.conflict(path)
		}
		_, err := l.sync(m, path)
		return nothing, err
	}
}

// ids returns how the next note is called: with letters that no other note has.
func (l *life) ids() note.IDs {
	return note.IDs{User: true, Draw: func() string {
		letters := []byte("aaaaaa")
		for i, n := 0, l.words; n > 0; i, n = i+1, n/26 {
			letters[i] += byte(n % 26)
		}
		return string(letters)
	}}
}

// edit replaces the word of a memory.
func (l *life) edit(m *machine, key keypath.Key, word string) func() (func(), error) {
	was, err := m.Get(ctx, mem.Caller{}, key, false)
	m.Must(err)
	begin := strings.Index(string(was.Content), " w")
	text := string(was.Content[:begin+1]) + word + strings.TrimLeft(string(was.Content[begin+2:]),
		"0123456789x")
	return func() (func(), error) {
		_, err := edit.Replace(ctx, m.Store.Store, mem.Caller{}, was, []byte(text), edit.Author{})
		return func() { l.wrote(m, key, word) }, err
	}
}

func (l *life) purge(m *machine, key keypath.Key) func() (func(), error) {
	lines := m.versions(key)
	l.take(lines)
	return func() (func(), error) {
		_, err := m.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{key}})
		return func() {
			for _, line := range lines {
				l.gone[line] = true
			}
		}, err
	}
}

// take notes that versions need not be there in the end.
func (l *life) take(lines []string) {
	for _, line := range lines {
		l.taken[wordOf(line)] = true
	}
}

// wrote notes an acknowledged version.
func (l *life) wrote(m *machine, key keypath.Key, word string) {
	rec, err := m.Get(ctx, mem.Caller{}, key, false)
	m.Must(err)
	if !strings.Contains(string(rec.Content), word) {
		l.rt.Errorf("%s: wrote %s, got %s", key, word, rec.Content)
	}
	if mem.Travels(rec) {
		l.lines[string(rec.Envelope.Line())] = true
	} else {
		l.notes[word] = true // it gets another id
	}
}

// wordOf returns the word of a version.
func wordOf[T ~string | ~[]byte](text T) string {
	_, rest, _ := strings.Cut(string(text), " w")
	number, _, _ := strings.Cut(rest, "x")
	return "w" + number + "x"
}

// end lets all machines exchange until nothing moves, and looks at them and the depots.
func (l *life) end() {
	l.now = l.now.Add(time.Minute)
	for _, m := range l.machines {
		m.Clock = l.now.Add(l.off[m])
	}
	l.settle()
	for _, m := range l.machines {
		m.Put("/own/"+m.id, `{"text":"text w00000x"}`) // the next writer heals what a killed one left
		rep, err := m.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
		if m.Must(err); len(rep.Found) > 0 {
			l.rt.Errorf("machine %s: %v", m.id[30:], rep.Found)
		}
	}
	l.settle()
	latest := l.now.Add(12 * time.Hour)
	first := l.machines[0]
	have := first.history()
	for line := range have {
		e, err := log.Decode([]byte(line))
		first.Must(err)
		l.asked[e.Key] = true
	}
	var want map[string]string
	for _, m := range l.machines {
		m.Clock = latest
		answers := l.answers(m)
		if want == nil {
			want = answers
		}
		for question, answer := range answers {
			if answer != want[question] {
				l.rt.Errorf("machine %s: %s:\n%s\nwant\n%s", m.id[30:], question, answer,
					want[question])
			}
		}
		if !maps.Equal(m.history(), have) {
			l.rt.Errorf("the history differs:\n%q\n%q", slices.Sorted(maps.Keys(m.history())),
				slices.Sorted(maps.Keys(have)))
		}
	}
	l.checkLines(have)
	l.checkGone(have)
}

// answers returns what a machine answers to what a person may ask.
func (l *life) answers(m *machine) map[string]string {
	all := map[string]string{}
	say := func(question, format string, args ...any) {
		all[question] += fmt.Sprintf(format, args...) + "\n"
	}
	for key := range l.asked {
		rec, err := m.Get(ctx, mem.Caller{}, key, false)
		say("get "+key.String(), "%s %s %v", rec.TS, rec.Content, err)
		versions, err := m.History(ctx, mem.Caller{}, key)
		m.Must(err)
		for rec, err := range versions.Rows {
			say("history "+key.String(), "%s %v", rec.Envelope.Line(), err)
		}
	}
	m.Must(m.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		say("ls", "%s", rec.Envelope.Line())
		return nil
	}))
	words := []string{"text", "fact", "text fact"}
	for i := range 4 {
		words = append(words, fmt.Sprintf("w%05dx", (i*7)%(l.words+1)))
	}
	for _, word := range words {
		found, err := m.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: word})
		m.Must(err)
		for _, f := range found {
			// Hits are in the order of scores that were rounded so (package fts).
			say("search "+word, "%v %.9f %s", f.Record.Key, f.Score, f.Record.Content)
		}
	}
	notes, total, err := note.Find(ctx, m.Store.Store, mem.Caller{}, note.Filter{})
	m.Must(err)
	say("notes", "%d", total)
	for _, n := range notes {
		say("notes", "%+v", n)
	}
	var out bytes.Buffer
	_, err = transfer.Export(ctx, m.Store.Store, mem.Caller{}, &out, transfer.ExportOptions{})
	m.Must(err)
	say("export", "%s", out.String())
	return all
}

// checkLines holds the lines that machines have acknowledged against what all have in the end: one
// that is newer than the mark of each purge is there. A note is there under one key.
func (l *life) checkLines(have map[string]bool) {
	marks, under := map[keypath.Key]log.Stamp{}, map[string]map[keypath.Key]bool{}
	for line := range have {
		e, err := log.Decode([]byte(line))
		if err != nil {
			l.rt.Fatal(err)
		}
		if content.IsPurgeMark(log.Record{Envelope: e}) {
			marks[e.Key] = max(marks[e.Key], e.TS)
		}
		if e.Valid() {
			word := wordOf(e.Content)
			if under[word] == nil {
				under[word] = map[keypath.Key]bool{}
			}
			under[word][e.Key] = true
		}
	}
	for line := range l.lines {
		// A live line wins against a mark of the same time.
		if e, _ := log.Decode([]byte(line)); e.TS >= marks[e.Key] && !have[line] {
			l.rt.Errorf("lost: %s", line)
		}
	}
	for word := range l.notes {
		if n := len(under[word]); n > 1 || n == 0 && !l.taken[word] {
			l.rt.Errorf("the note %s is there %d times", word, n)
		}
	}
}

// checkGone looks for what was purged: in all files of all machines, and at the depots.
func (l *life) checkGone(have map[string]bool) {
	gone := map[string]bool{}
	for line := range l.gone {
		gone[wordOf(line)] = true
		if have[line] {
			l.rt.Errorf("it was purged, and is back: %s", line)
		}
	}
	for line := range have {
		delete(gone, wordOf(line)) // a machine has written it again before it knew of the purge
	}
	for word := range gone {
		for _, m := range l.machines {
			for _, dir := range []string{m.Root, m.state} {
				if in := finds(dir, word); in != "" {
					l.rt.Errorf("%s was purged, and is in %s", word, in)
				}
			}
		}
	}
	for _, path := range l.depots {
		for _, plain := range []string{"text", "fact"} {
			if in := finds(path, plain); in != "" {
				l.rt.Errorf("plain text is in %s", in)
			}
		}
		l.checkCopies(path)
		for name, text := range l.unsealed(path) {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, `{"v":`) {
					continue
				}
				if !have[line] {
					l.rt.Errorf("%s: the depot alone has %s", name, line)
				}
			}
		}
	}
}
