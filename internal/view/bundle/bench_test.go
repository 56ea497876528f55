package bundle_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/ledger"
)

// benchText returns a text of words, a few of which are common and many rare.
func benchText(r *rand.Rand, words int) string {
	var out strings.Builder
	for range words {
		out.WriteString(benchWord(int(r.ExpFloat64()*r.ExpFloat64()*300)) + " ")
	}
	return out.String()
}

// benchWord returns a word by its number.
func benchWord(n int) (word string) {
	for n += 7; n > 0; n /= 60 {
		word += string("bdfgklmnprst"[n%12]) + string("aeiou"[n/12%5])
	}
	return word
}

// benchLab is a store of 100,000 events in 100 sessions, decisions, tasks, rules and notes.
func benchLab(b *testing.B) *lab {
	l := newLab(storetest.NewStore(b, storetest.Files))
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < 100_000; n += 2_000 {
		events := make([]ledger.Event, 2_000)
		for i := range events {
			events[i] = message(fmt.Sprintf("s%d", (n+i)%100), benchText(r, 40))
			if i%5 == 0 {
				events[i] = result(fmt.Sprintf("s%d", (n+i)%100), "a.txt", benchText(r, 200))
			}
		}
		_, err := l.book.Record(ctx, events...)
		l.Must(err)
	}
	for i := range 100 {
		l.Put(fmt.Sprintf("/decision/dec_%026d", i),
			`{"type":"decision","decision":"`+benchText(r, 12)+`"}`)
		l.Put(fmt.Sprintf("/task/task_%026d", i),
			fmt.Sprintf(`{"type":"task","status":%q,"title":%q}`,
				[]string{"done", "open"}[i%2], benchText(r, 6)))
		l.Put(fmt.Sprintf("/rules/project/r%d", i), `{"text":"`+benchText(r, 12)+`"}`)
	}
	_, err := l.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	l.Must(err)
	return l
}

func BenchmarkBuild(b *testing.B) {
	l := benchLab(b)
	for name, query := range map[string]string{
		"fast": "", "rare": benchWord(1700) + " " + benchWord(900),
		"common": benchWord(1) + " " + benchWord(20) + " " + benchWord(400),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l.build(ask(query))
			}
		})
	}
}

// BenchmarkCold builds a bundle of a memory that has lost all that is derived.
func BenchmarkCold(b *testing.B) {
	l := benchLab(b)
	for b.Loop() {
		b.StopTimer()
		for _, name := range []string{"cache", "state.jsonl", "checkpoint.json"} {
			l.Must(os.RemoveAll(l.File(name)))
		}
		l.Must(l.Close())
		l.Open()
		l.book = ledger.New(l.Store.Store, mem.Caller{}, ledger.Options{})
		b.StartTimer()
		l.build(ask(benchWord(1700)))
	}
}

// BenchmarkLongSession builds a bundle without a query in a session of 2,600 events.
func BenchmarkLongSession(b *testing.B) {
	for _, kind := range []storetest.Kind{storetest.Files, storetest.Memory} {
		for _, words := range []int{5, 40} {
			b.Run(fmt.Sprintf("%s/%dwords", kind, words), func(b *testing.B) {
				l := newLab(storetest.NewStore(b, kind))
				r := rand.New(rand.NewPCG(1, 2))
				events := make([]ledger.Event, 26_000)
				for i := range events {
					events[i] = message(fmt.Sprintf("s%d", i%10), benchText(r, words))
					if i%50 < 10 {
						events[i] = result(fmt.Sprintf("s%d", i%10), "a.txt", benchText(r, 5*words))
					}
				}
				for at := range 13 {
					_, err := l.book.Record(ctx, events[at*2000:(at+1)*2000]...)
					l.Must(err)
				}
				_, err := l.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
				l.Must(err)
				for b.Loop() {
					l.build(ask(""))
				}
			})
		}
	}
}
