package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
)

// shelved returns the root of a store of so many records below a few namespaces of its own.
func shelved(b *testing.B, name string, from, to int) string {
	b.Helper()
	root := b.TempDir() + "/" + name
	s, err := mem.Open(root, mem.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var lines strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&lines, `{"key":"/kb%d/%d/%d","source":{"kind":"user"},"content":`+
			`{"type":"finding","importance":%d,"tags":["go","run%d"],"text":"the parser of `+
			`module%d keeps offsets in bytes, and topic%d of run%d doubled since"}}`+"\n",
			from, i%100, i, i%10, i%50, i%700, i%60, i)
	}
	_, err = s.SetAll(ctx, mem.Caller{}, strings.NewReader(lines.String()), mem.BatchOptions{})
	if err == nil {
		_, err = s.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	}
	if err != nil {
		b.Fatal(err)
	}
	return root
}

// BenchmarkLayers reads and searches one store and two, each opened for it as a hook does, and held
// open.
func BenchmarkLayers(b *testing.B) {
	first, second := shelved(b, "first", 0, 10_000), shelved(b, "second", 10_000, 20_000)
	all := shelved(b, "all", 0, 20_000)
	for _, c := range []struct {
		name  string
		roots []string
	}{{"one of 10000", []string{first}}, {"one of 20000", []string{all}},
		{"two of 10000", []string{first, second}}} {
		open := func() (*mem.Store, func()) { return openLayers(b, c.roots) }
		for _, what := range []struct {
			name string
			do   func(*mem.Store) error
		}{
			{"read", func(s *mem.Store) error {
				_, err := s.Reader(mem.Caller{}).Read(ctx, mem.ReadOptions{Limit: 1500})
				return err
			}},
			{"search", func(s *mem.Store) error {
				_, err := s.Reader(mem.Caller{}).Search(ctx, mem.SearchOptions{
					Query: "why does module77 with topic17 and topic33 take so long", Plain: true, Limit: 10,
					Relevant: true,
				})
				return err
			}},
		} {
			b.Run(what.name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					s, end := open()
					if err := what.do(s); err != nil {
						b.Fatal(err)
					}
					end()
				}
			})
			b.Run(what.name+" held/"+c.name, func(b *testing.B) {
				s, end := open()
				defer end()
				for b.Loop() {
					if err := what.do(s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func openLayers(b *testing.B, roots []string) (s *mem.Store, end func()) {
	b.Helper()
	var members []mem.LayerMember
	for i, root := range roots {
		one, err := mem.Open(root, mem.Options{})
		if err != nil {
			b.Fatal(err)
		}
		members = append(members, mem.LayerMember{Store: one, Layer: fmt.Sprint(i)})
	}
	if s = members[0].Store; len(members) > 1 {
		s = mem.JoinStores(mem.Options{}, members...)
	}
	return s, func() {
		for _, m := range members {
			m.Store.Close()
		}
	}
}
