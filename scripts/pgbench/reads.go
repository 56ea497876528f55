package main

import (
	"context"
	"slices"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/view/bundle"

	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"

	"github.com/set-memory/mem/scripts/harness"
)

// found is how many hits are asked for.
const found = 20

// events is where a read finds them: it is told of them nowhere else.
var events, _ = keypath.ParsePrefix("/event") // it is one

const rankSQL = `SELECT id, text, ts_rank_cd(tsv, q) AS rank
FROM peer.texts, to_tsquery('pg_catalog.english', $1) q
WHERE tsv @@ q ORDER BY rank DESC LIMIT $2`

// readFigures measures reads of the memory on the server, beside a GIN index and beside the same
// memory in files.
func readFigures(ctx context.Context, l *lab) (list []figure) {
	store, back := l.openStore(memory, "reads")
	defer store.Close()
	files := harness.Must(mem.Open(l.files, mem.Options{}))
	defer files.Close()
	return slices.Concat(l.freshness(ctx, back), l.besideGIN(ctx, store),
		l.besideFiles(ctx, store, files))
}

// pairs runs two functions by turns, each first as often as the other, and returns how long they
// took.
func pairs(n int, a, b func()) (ofA, ofB []time.Duration) {
	sides := [2]func(){a, b}
	var took [2][]time.Duration
	for i := -1; i < n; i++ { // the first turn does not count
		for turn := range 2 {
			who := (i + 1 + turn) % 2
			begin := time.Now()
			sides[who]()
			if i >= 0 {
				took[who] = append(took[who], time.Since(begin))
			}
		}
	}
	return took[0], took[1]
}

// freshness measures the question whether a view is the newest, beside the least question.
func (l *lab) freshness(ctx context.Context, back *pgstore.Store) []figure {
	ours, least := pairs(10*l.reps,
		func() { harness.Must(back.Snapshot(ctx)).Close() }, func() { l.ask(ctx, "SELECT 1") })
	f := within("is the view the newest? asked on a unix socket", median(ours),
		500*time.Microsecond)
	f.peer = "SELECT 1 " + harness.Duration(median(least))
	return []figure{f}
}

// besideGIN measures searches for a word beside a table with a GIN index.
func (l *lab) besideGIN(ctx context.Context, store *mem.Store) (list []figure) {
	l.makeTexts(ctx)
	l.makeGIN(ctx)
	l.sql(ctx, "VACUUM ANALYZE peer.texts")
	for _, of := range []struct {
		what, word string
		times      float64 // 0: the goal is a time
	}{
		{"10 rows", wordTen, 0}, {"1,000 rows", wordThousand, 2},
		{"5 % of the rows", wordTwenty, 0.6},
		{"most rows", wordMost, 0.2},
	} {
		ours, its := pairs(max(l.reps/4, 10), func() {
			search(ctx, store, of.word)
		}, func() { l.rank(ctx, of.word) })
		f := beside("search, a word in "+of.what, median(ours), "GIN", median(its),
			times(of.times))
		if of.times == 0 {
			f.got, f.goal = millis(median(ours)), atMost(5*time.Millisecond)
		}
		list = append(list, f)
	}
	return list
}

func search(ctx context.Context, store *mem.Store, word string) {
	hits := harness.Must(store.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: word,
		Limit: found, Conditions: mem.Conditions{Prefix: events}}))
	if len(hits) < 10 {
		harness.Failf("search %s: %d hits", word, len(hits))
	}
}

func (l *lab) rank(ctx context.Context, word string) {
	rows := harness.Must(l.pool.Query(ctx, rankSQL, word, found))
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if rows.Err() == nil && n < 10 {
		harness.Failf("GIN %s: %d hits", word, n)
	}
	harness.Check(rows.Err())
}

// besideFiles measures the same calls on the server and on files.
func (l *lab) besideFiles(ctx context.Context, store, files *mem.Store) (list []figure) {
	books := map[*mem.Store]*ledger.Book{}
	for _, s := range []*mem.Store{store, files} {
		books[s] = ledger.New(s, mem.Caller{Agent: "a"},
			ledger.Options{Cache: ledger.NewCache(l.opt.events)})
	}
	build := func(s *mem.Store, query string) {
		harness.Must(bundle.Build(ctx, books[s], bundle.Request{Session: "s1", Agent: "a",
			Query: query}))
	}
	for _, of := range []struct {
		what string
		do   func(s *mem.Store)
	}{
		{"read", func(s *mem.Store) {
			harness.Must(s.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 2000, Prefix: events}))
		}},
		{"search, a word in 10 rows", func(s *mem.Store) { search(ctx, s, wordTen) }},
		{"search, a word in 1,000 rows", func(s *mem.Store) {
			search(ctx, s, wordThousand)
		}},
		{"search, a word in most rows", func(s *mem.Store) {
			search(ctx, s, wordMost)
		}},
		{"bundle, nothing is looked up", func(s *mem.Store) { build(s, "") }},
		{"bundle, a prompt", func(s *mem.Store) { build(s, prompt()) }},
	} {
		ours, its := pairs(l.reps, func() { of.do(store) },
			func() { of.do(files) })
		list = append(list, beside(of.what, median(ours), "in files", median(its), times(1.15)))
	}
	return list
}
