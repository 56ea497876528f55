package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// newPlain makes a plain depot.
func (f *fleet) newPlain() string {
	path := filepath.Join(storetest.Dir(f.t), "plain")
	info, err := depot.NewInfo(nil)
	if err != nil {
		f.t.Fatal(err)
	}
	d, err := depot.MakeFolder(path, info)
	if err != nil {
		f.t.Fatal(err)
	}
	d.Close()
	return path
}

// with exchanges with a depot.
func (f *fleet) with(m *machine, path string) exchange.Report {
	f.t.Helper()
	d, err := depot.OpenFolder(path)
	if err != nil {
		f.t.Fatal(err)
	}
	defer d.Close()
	j := exchange.Job{Store: m.Store.Store, Scope: exchange.User, Place: d, Key: f.key,
		Machine: places.Machine{ID: m.id}, Seen: m.seenOf(path)}
	if d.Info().Plain {
		j.Plain, j.Key = true, exchange.Unsealed{}
	}
	rep, err := exchange.Run(ctx, mem.Caller{}, j)
	if err != nil {
		f.t.Fatal(err)
	}
	return rep
}

func (m *machine) seenOf(path string) string {
	return filepath.Join(m.state, filepath.Base(filepath.Dir(path))+filepath.Base(path))
}

// Whatever others write, delete and purge at a plain depot, the memories that a machine has itself
// stay as they are, and nothing of the others goes to another depot.
func TestOthersAtAPlainDepot(t *testing.T) {
	came, asked, stayed := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		f := newFleet(t, 3, 1)
		own, other, second := f.machines[0], f.machines[1], f.machines[2]
		plain, sealed := f.newPlain(), f.depots[0]
		mine := map[string]bool{}
		for i := range rapid.IntRange(8, 30).Draw(rt, "steps") {
			m := rapid.SampledFrom([]*machine{own, other}).Draw(rt, "machine")
			m.Clock = m.Clock.Add(time.Minute)
			key := keypath.MustParse(fmt.Sprintf("/k/%d", rapid.IntRange(0, 3).Draw(rt, "key")))
			switch rapid.SampledFrom([]string{"set", "set", "delete", "purge", "purge", "sync",
				"sync", "forget"}).Draw(rt, "step") {
			case "set":
				m.Put(key.String(), fmt.Sprintf(`"text %d"`, i))
				mine[key.String()] = mine[key.String()] || m == own
			case "delete":
				_, _, err := m.Delete(ctx, mem.Caller{}, []keypath.Key{key}, nil)
				m.Must(err)
			case "purge":
				_, err := m.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{key}})
				m.Must(err)
			case "forget": // the file is lost
				os.Remove(own.seenOf(plain))
			case "sync":
				f.with(other, plain)
				before := own.texts(mine)
				rep := f.with(own, plain)
				came, asked = came+rep.Received, asked+rep.Asked
				if after := own.texts(mine); !slices.Equal(before, after) {
					rt.Fatalf("others changed\n%q to\n%q", before, after)
				}
			}
		}
		f.with(own, sealed)
		f.with(second, sealed)
		have := second.history()
		own.Must(own.Everything(ctx, func(rec log.Record) error {
			if content.Claim(rec.Source) == content.FromDepot {
				if stayed++; have[string(rec.Envelope.Line())] {
					rt.Errorf("a line of others went on: %s", rec.Envelope.Line())
				}
			} else if mem.Travels(rec) && !have[string(rec.Envelope.Line())] {
				rt.Errorf("an own line did not: %s", rec.Envelope.Line())
			}
			return nil
		}))
	})
	t.Logf("%d lines of others, %d purges asked for, %d lines stayed", came, asked, stayed)
	if came < testkit.Extent(2, 20, 20) || asked < testkit.Extent(0, 3, 3) ||
		stayed < testkit.Extent(2, 20, 20) {
		t.Error("that is too little")
	}
}

// texts returns the live memories of some keys.
func (m *machine) texts(keys map[string]bool) (list []string) {
	m.T.Helper()
	m.Must(m.List(ctx, mem.Caller{}, mem.Filter{All: true}, func(rec log.Record) error {
		if keys[rec.Key.String()] {
			list = append(list, string(rec.Envelope.Line()))
		}
		return nil
	}))
	return list
}

// What comes from a plain depot is no rule, and a purge there waits for a person, once.
func TestPlainDepot(t *testing.T) {
	f := newFleet(t, 2, 0)
	own, other, plain := f.machines[0], f.machines[1], f.newPlain()
	other.Clock = own.Clock
	rule := `{"text":"obey","type":"preference","pinned":true}`
	key := keypath.MustParse("/user/style")
	_, err := other.Set(ctx, mem.Caller{}, mem.Write{Key: key, Content: []byte(rule),
		Source: []byte(`{"kind":"user","name":"eve"}`)}, mem.SetOptions{})
	other.Must(err)
	f.with(other, plain)
	if rep := f.with(own, plain); rep.Received != 1 {
		t.Fatalf("%+v", rep)
	}
	op, err := own.Begin(mem.Caller{}, policy.Rm)
	own.Must(err)
	rec, err := own.Get(ctx, mem.Caller{}, key, false)
	own.Must(err)
	if op.IsRule(ctx, rec) {
		t.Error("a rule of others counts")
	}
	other.Clock = other.Clock.Add(time.Hour)
	_, err = other.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{key}})
	other.Must(err)
	f.with(other, plain)
	for range 2 {
		if rep := f.with(own, plain); rep.Purged != 0 {
			t.Fatalf("%+v", rep)
		}
	}
	list, err := proposal.List(ctx, own.Store.Store, mem.Caller{})
	if own.Must(err); len(list) != 1 || list[0].Change != proposal.Purge || list[0].Key != key {
		t.Fatalf("%+v", list)
	}
	if _, err := proposal.Approve(ctx, own.Store.Store, mem.Caller{}, list[0].Shown()); err != nil {
		t.Fatal(err)
	}
	if in := finds(own.Root, "obey"); in != "" {
		t.Errorf("the purged text is in %s", in)
	}
	list, err = proposal.List(ctx, own.Store.Store, mem.Caller{})
	if own.Must(err); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// A line of one's own other machine that came over a plain depot first counts as one's own as soon
// as it comes over a sealed one.
func TestOwnLineOverBoth(t *testing.T) {
	f := newFleet(t, 2, 1)
	one, two, plain := f.machines[0], f.machines[1], f.newPlain()
	key := keypath.MustParse("/user/style")
	_, err := one.Set(ctx, mem.Caller{}, mem.Write{Key: key,
		Content: []byte(`{"text":"no dashes","type":"preference","pinned":true}`),
		Source:  []byte(`{"kind":"user","name":"ada"}`)}, mem.SetOptions{})
	one.Must(err)
	f.with(one, plain)
	f.with(one, f.depots[0])
	for i, path := range []string{plain, f.depots[0]} {
		f.with(two, path)
		op, err := two.Begin(mem.Caller{}, policy.Rm)
		two.Must(err)
		rec, err := two.Get(ctx, mem.Caller{}, key, false)
		if two.Must(err); op.IsRule(ctx, rec) != (i == 1) {
			t.Errorf("over %s: %s", path, rec.Envelope.Line())
		}
	}
}

// A copy of a segment of a plain depot is named as what may hold a purged text, too.
func TestCopiesAtAPlainDepot(t *testing.T) {
	f := newFleet(t, 1, 0)
	path := f.newPlain()
	f.put(0, "/k/a", `"a"`)
	f.with(f.machines[0], path)
	if err := f.conflict(path); err != nil {
		t.Fatal(err)
	}
	f.checkCopies(path, exchange.PlainBegin)
}
