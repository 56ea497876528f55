package exchange_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

var ctx = context.Background()

// machine is one of a person's machines.
type machine struct {
	*storetest.Store
	id    string
	state string // the directory of its files
}

// fleet is the machines of a person and the depots between them.
type fleet struct {
	t        testing.TB
	key      parcel.Key
	machines []*machine
	depots   []string
}

func newFleet(t testing.TB, machines, depots int) *fleet {
	f := &fleet{t: t, key: parcel.New()}
	for i := range machines {
		m := &machine{Store: storetest.NewStore(t, storetest.Files), id: fmt.Sprintf("%032x", i+1),
			state: storetest.Dir(t)}
		m.Clock = m.Clock.Add(time.Duration(i*5-12) * time.Hour) // clocks are off
		f.machines = append(f.machines, m)
	}
	for range depots {
		path := filepath.Join(storetest.Dir(t), "depot")
		info, err := depot.NewInfo(func(string) ([]byte, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		d, err := depot.MakeFolder(path, info)
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
		f.depots = append(f.depots, path)
	}
	return f
}

// sync exchanges the memory of a machine with a depot.
func (f *fleet) sync(m *machine, path string) (exchange.Report, error) {
	d, err := depot.OpenFolder(path)
	if err != nil {
		return exchange.Report{}, err
	}
	defer d.Close()
	return exchange.Run(ctx, mem.Caller{}, exchange.Job{Store: m.Store.Store,
		Scope: exchange.User, Place: d, Key: f.key, Machine: exchange.Machine{ID: m.id},
		Seen: filepath.Join(m.state, filepath.Base(filepath.Dir(path)))})
}

// settle exchanges until all machines have exchanged with all depots, and nothing was sent.
func (f *fleet) settle() {
	for round := range 12 {
		moved := 0
		for _, m := range f.machines {
			for _, path := range f.depots {
				rep, err := f.sync(m, path)
				if err != nil {
					f.t.Fatal(err)
				}
				if len(rep.Rejected)+len(rep.Waiting)+len(rep.Remains) > 0 {
					f.t.Errorf("%+v", rep)
				}
				moved += rep.Sent + rep.Received + rep.Purged + rep.Cleaned
			}
		}
		if moved == 0 && round > 0 {
			return
		}
	}
	f.t.Fatal("the exchanges never end")
}

// history returns the lines that a machine has had, without those that stay there.
func (m *machine) history() map[string]bool {
	m.T.Helper()
	lines := map[string]bool{}
	m.Must(m.Everything(ctx, func(rec log.Record) error {
		if mem.Travels(rec) {
			lines[string(rec.Envelope.Line())] = true
		}
		return nil
	}))
	return lines
}

func (m *machine) live() (list []string) {
	m.T.Helper()
	m.Must(m.List(ctx, mem.Caller{}, mem.Filter{All: true, Expired: true},
		func(rec log.Record) error {
			list = append(list, string(rec.Envelope.Line()))
			return nil
		}))
	slices.Sort(list)
	return list
}

// finds reports whether a text is in a file below a directory.
func finds(dir, text string) (in string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), text) {
				in = path
			}
		}
		return nil
	})
	return in
}

// atDepot returns the lines that a depot holds.
func (f *fleet) atDepot(path string) (lines string) {
	d, err := depot.OpenFolder(path)
	if err != nil {
		f.t.Fatal(err)
	}
	defer d.Close()
	other := &fleet{t: f.t, key: f.key, machines: []*machine{{
		Store: storetest.NewStore(f.t, storetest.Files), id: "reader", state: storetest.Dir(f.t)}}}
	reader := other.machines[0]
	reader.Clock = reader.Clock.Add(48 * time.Hour)
	if _, err := other.sync(reader, path); err != nil {
		f.t.Fatal(err)
	}
	return strings.Join(slices.Collect(maps.Keys(reader.history())), "\n")
}

var errKilled = errors.New("killed")

// killed runs fn, of which every change of the disk fails from the n-th on.
func killed(n int, fn func()) {
	count := 0
	disk.SetHook(func(op disk.Op, _ string) error {
		if op.Mutates() {
			if count++; count >= n {
				return errKilled
			}
		}
		return nil
	})
	defer disk.SetHook(nil)
	fn()
}

// Machines that write, delete, correct and purge apart, exchange in any order through any depots,
// are killed at any call and have wrong clocks, have the same history and the same memories in the
// end: no acknowledged line is lost, no purged text is anywhere.
func TestMachinesAgree(t *testing.T) {
	exchanges, kills, purges := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		f := newFleet(t, rapid.IntRange(2, 4).Draw(rt, "machines"),
			rapid.IntRange(1, 3).Draw(rt, "depots"))
		acknowledged, noted := map[string]bool{}, map[string]bool{}
		number := 0
		for range rapid.IntRange(5, 30).Draw(rt, "steps") {
			m := rapid.SampledFrom(f.machines).Draw(rt, "machine")
			m.Clock = m.Clock.Add(time.Second)
			key := fmt.Sprintf("/k/%d", rapid.IntRange(0, 4).Draw(rt, "key"))
			switch rapid.SampledFrom([]string{"set", "set", "delete", "purge", "fold", "sync",
				"sync", "kill", "note", "edit"}).Draw(rt, "step") {
			case "set":
				number++
				m.Put(key, fmt.Sprintf(`"text %d"`, number))
				rec, err := m.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
				m.Must(err)
				acknowledged[string(rec.Envelope.Line())] = true
			case "edit":
				m.editNote(rt, number)
			case "note":
				number++
				text := fmt.Sprintf("fact %d of the %s,", number, m.id[30:])
				_, err := note.Add(ctx, m.Store.Store, mem.Caller{}, text+" and more.",
					note.Options{Scope: "user", IDs: note.IDs{User: true}})
				m.Must(err)
				noted[text] = true
			case "delete":
				_, _, err := m.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse(key)}, nil)
				m.Must(err)
			case "purge":
				purges++
				_, err := m.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
					Keys: []keypath.Key{keypath.MustParse(key)}})
				m.Must(err)
			case "fold":
				_, err := m.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
				m.Must(err)
			case "sync":
				exchanges++
				_, err := f.sync(m, rapid.SampledFrom(f.depots).Draw(rt, "depot"))
				m.Must(err)
			case "kill":
				kills++
				path := rapid.SampledFrom(f.depots).Draw(rt, "depot")
				killed(rapid.IntRange(1, 40).Draw(rt, "call"), func() { f.sync(m, path) })
			}
		}
		f.settle()
		for _, m := range f.machines {
			m.Put("/own/"+m.id, "1") // the next writer heals what a killed one left
			rep, err := m.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
			if m.Must(err); len(rep.Found) > 0 {
				rt.Errorf("machine %s: %v", m.id[30:], rep.Found)
			}
		}
		f.settle()
		first := f.machines[0]
		for _, m := range f.machines[1:] {
			if !maps.Equal(m.history(), first.history()) {
				rt.Errorf("the history differs:\n%q\n%q", slices.Sorted(maps.Keys(m.history())),
					slices.Sorted(maps.Keys(first.history())))
			}
			if !slices.Equal(m.live(), first.live()) {
				rt.Errorf("%q\n%q", m.live(), first.live())
			}
		}
		f.checkLines(acknowledged)
		for text := range noted {
			if n := strings.Count(strings.Join(first.live(), "\n"), text); n != 1 {
				rt.Errorf("%d notes say %s:\n%s", n, text, strings.Join(first.live(), "\n"))
			}
		}
		for _, path := range f.depots {
			if in := finds(path, "text"); in != "" {
				rt.Errorf("plain text is in %s", in)
			}
			if rand.IntN(4) == 0 {
				have := first.history()
				for line := range strings.SplitSeq(f.atDepot(path), "\n") {
					if line != "" && !have[line] {
						rt.Errorf("the depot alone has %s", line)
					}
				}
			}
		}
	})
	t.Logf("%d exchanges, %d killed, %d purges", exchanges, kills, purges)
	if exchanges < 100 || kills < 50 || purges < 50 {
		t.Error("that is too little")
	}
}

// editNote replaces the text of a note by one that has it inside.
func (m *machine) editNote(rt *rapid.T, n int) {
	list := slices.DeleteFunc(m.live(), func(line string) bool {
		return !strings.Contains(line, `"/note/`)
	})
	if len(list) == 0 {
		return
	}
	e, err := log.Decode([]byte(rapid.SampledFrom(list).Draw(rt, "note")))
	m.Must(err)
	text := strings.Replace(string(e.Content), `."`, fmt.Sprintf(`, edit %d."`, n), 1)
	_, err = m.Set(ctx, mem.Caller{}, mem.Write{Key: e.Key, Content: []byte(text),
		Source: []byte(`"chat"`)}, mem.SetOptions{Force: true})
	m.Must(err)
}

// checkLines holds the lines that machines have acknowledged against what all have in the end: a
// line before the mark of a purge is in no file, any other in the history.
func (f *fleet) checkLines(acknowledged map[string]bool) {
	first := f.machines[0]
	marks, have := map[keypath.Key]log.Stamp{}, first.history()
	for line := range have {
		e, err := log.Decode([]byte(line))
		first.Must(err)
		if content.IsPurgeMark(log.Record{Envelope: e}) {
			marks[e.Key] = max(marks[e.Key], e.TS)
		}
	}
	for line := range acknowledged {
		e, err := log.Decode([]byte(line))
		first.Must(err)
		if e.TS >= marks[e.Key] { // a live line wins against a mark of the same time
			if !have[line] {
				f.t.Errorf("lost: %s", line)
			}
			continue
		}
		for _, m := range f.machines {
			if in := cmp.Or(finds(m.Root, string(e.Content)), finds(m.state, "text")); in != "" {
				f.t.Errorf("%s was purged, and is in %s", e.Content, in)
			}
		}
	}
}
