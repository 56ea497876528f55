package transfer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// pair is the two stores of a copy.
type pair struct {
	testing.TB
	from, to *storetest.Store
	progress func(done int) // may be nil
}

// eachPair runs a test on empty stores of each kind.
func eachPair(t *testing.T, test func(*testing.T, *pair)) {
	for _, kinds := range [][2]storetest.Kind{
		{storetest.Files, storetest.Files}, {storetest.Files, storetest.Memory},
		{storetest.Memory, storetest.Files}, {storetest.Memory, storetest.Memory},
	} {
		t.Run(string(kinds[0]+" to "+kinds[1]), func(t *testing.T) {
			from, to := storetest.NewStore(t, kinds[0]), storetest.NewStore(t, kinds[1])
			test(t, &pair{TB: t, from: from, to: to})
		})
	}
}

func (p *pair) job() transfer.CopyJob {
	return transfer.CopyJob{From: transfer.Side{Store: p.from.Store, Name: "FROM"},
		To: transfer.Side{Store: p.to.Store, Name: "TO"},
		Progress: func(_ string, done, _ int) {
			if p.progress != nil {
				p.progress(done)
			}
		}}
}

// copies copies, which must succeed, and leave both with one history.
func (p *pair) copies() transfer.CopyReport {
	p.Helper()
	rep, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	if err != nil {
		p.Fatal(err)
	}
	p.haveOneHistory()
	return rep
}

// counts checks what a copy reports.
func (p *pair) counts(rep transfer.CopyReport, versions int) {
	p.Helper()
	if rep.Versions != versions {
		p.Errorf("%+v, want %d versions", rep, versions)
	}
}

// renew replaces the target by an empty store, as a person does that begins a copy again.
func (p *pair) renew() { p.to = storetest.NewStore(p.TB, kindOf(p.to)) }

// haveOneHistory checks that both have the same versions of each key in one order, each once in the
// target.
func (p *pair) haveOneHistory() {
	p.Helper()
	from, to := p.sorted(), versions(p.to)
	if got, want := text(to), text(from); got != want {
		p.Errorf("TO has\n%swant\n%s", got, want)
	}
	if fmt.Sprint(p.from.All()) != fmt.Sprint(p.to.All()) {
		p.Errorf("live: %v, want %v", p.to.All(), p.from.All())
	}
}

// hasFirstVersions checks that of each key the target has the first versions, or none.
func (p *pair) hasFirstVersions() {
	p.Helper()
	from := p.sorted()
	for key, list := range versions(p.to) {
		if len(list) > len(from[key]) || !slices.EqualFunc(list, from[key][:len(list)], same) {
			p.Errorf("%s: %v, want the first of %v", key, list, from[key])
		}
	}
	if len(p.to.All()) == 0 {
		p.Error("nothing can be read")
	}
}

// sorted returns the versions of each key in the source, in their order and each once.
func (p *pair) sorted() map[string][]log.Record {
	all := versions(p.from)
	for key, list := range all {
		slices.SortFunc(list, log.NewestFirst)
		slices.Reverse(list)
		all[key] = slices.CompactFunc(list, same)
	}
	return all
}

func same(a, b log.Record) bool { return string(a.Line) == string(b.Line) }

// versions returns what every key ever had, in the order of the history.
func versions(s *storetest.Store) map[string][]log.Record {
	all := map[string][]log.Record{}
	s.Must(s.Everything(ctx, func(rec log.Record) error {
		all[rec.Key.String()] = append(all[rec.Key.String()], rec.Clone())
		return nil
	}))
	return all
}

func text(all map[string][]log.Record) string {
	lines := ""
	for _, list := range all {
		for _, rec := range list {
			lines += string(rec.Line) + "\n"
		}
	}
	sorted := strings.SplitAfter(lines, "\n")
	slices.SortStableFunc(sorted, func(a, b string) int { // by key alone
		return strings.Compare(a[:strings.Index(a+`,"ts"`, `,"ts"`)],
			b[:strings.Index(b+`,"ts"`, `,"ts"`)])
	})
	return strings.Join(sorted, "")
}

// fill stores some of everything.
func fill(s *storetest.Store) {
	s.Put("/user/style", `{"text":"tabs"}`)
	s.Put("/user/style", `{"text":"spaces","superseded_by":"/user/other"}`)
	s.Put("/gone", `1`)
	s.Put("/gone", `null`)
	s.Put("/flat", `"one segment"`)
	s.Put("/user/over", `{"text":"x","expired_at":"2026-02-22T11:00:00Z"}`)
	s.Import("/agent/ada/journal/01KJ2KH5D04XNZEQFPHTQVBEWQ", `{"text":"what ada thinks"}`)
	s.Import("/note/workspace/m-7", `{"type":"note","text":"a fact"}`)
	s.Import("/untrusted/web/x", `{"text":"who knows"}`)
	s.Import("/session/s1/mem_01KJ2KH5D04XNZEQFPHTQVBEWQ", `{"type":"finding","text":"y"}`)
	s.Import("/event/s1/evt_01KJ2KH5D04XNZEQFPHTQVBEWQ", `{"kind":"message","text":"hello"}`)
}

// purge takes a key out of the source.
func (p *pair) purge(key string) {
	p.Helper()
	_, err := p.from.Store.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
		Keys: []keypath.Key{keypath.MustParse(key)}, Reason: "over"})
	p.from.Must(err)
}

// refused checks the error of a copy.
func (p *pair) refused(what string, err error, kind mem.Kind, says string) {
	p.Helper()
	if mem.KindOf(err) != kind || !strings.Contains(fmt.Sprint(err), says) ||
		mem.Hint(err) == "" && !strings.Contains(says, "same store") {
		p.Errorf("%s: %v (%s: %s), want %s", what, err, mem.KindOf(err), mem.Hint(err), says)
	}
}
