package fts

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

// The score once more, as doc.go says it, over plain maps: what the search is held to.

// bag is a record's terms, each with how often it stands in which field. It is a sink.
type bag struct {
	rec        log.Record
	key        string
	folder     string
	terms      map[string]map[analyzer.Field]int
	forms      map[string]string // a form of a text, and its stem
	length     int
	isQuestion bool
	said       []string // its text, summary and title
}

func newBag(rec log.Record) *bag {
	key := rec.Key.String()
	b := &bag{
		rec: rec, key: key, folder: key[:strings.LastIndex(key, "/")],
		terms: map[string]map[analyzer.Field]int{}, forms: map[string]string{},
	}
	analyzer.Describe(&rec, b)
	b.length = lengthOf(lengthCode(b.length))
	return b
}

func (b *bag) count(f analyzer.Field, term string) {
	if b.terms[term] == nil {
		b.terms[term] = map[analyzer.Field]int{}
	}
	b.terms[term][f]++
}

func (b *bag) Words(f analyzer.Field, text string) {
	if f == analyzer.Text || f == analyzer.Summary || f == analyzer.Title {
		b.said = append(b.said, analyzer.Normalize(text))
	}
	s := analyzer.Scanner{Text: analyzer.Normalize(text)}
	for w, ok := s.Next(); ok; w, ok = s.Next() {
		var all []string
		if w.Unspaced {
			analyzer.EachRunTerm(w.Text, func(term string) { all = append(all, term) })
		} else {
			e := analyzer.Expand(w.Text)
			all = e.Terms
			for _, sp := range e.Forms {
				b.forms[sp.Form] = sp.Term
			}
		}
		for _, term := range all {
			b.count(f, term)
		}
		if f != analyzer.Tags && f != analyzer.KeyPart {
			b.length += len(all)
		}
	}
}

func (b *bag) Term(text string) { b.count(analyzer.Text, text) }
func (b *bag) Date(ts log.Stamp) {
	for _, term := range analyzer.DateTerms(ts) {
		b.Term(term)
	}
}

func (b *bag) Question() { b.isQuestion = true }

func (b *bag) has(term string) bool { return b.terms[term] != nil }

// brute is the whole collection in scope.
type brute struct {
	model
	q     *Query
	opt   Options
	docs  []*bag // in the order of keys
	words float64

	stored []*bag // whoever sees them

	folders map[string]float64 // and the words in each
	lists   [][]int            // the docs of each folder, by name
}

// folderOf is that of a record; none for the one that is the scope itself.
func (x *brute) folderOf(d *bag) string {
	if d.key == x.q.scope.String() {
		return "none"
	}
	return d.folder
}

// term is one of the query: the names it goes by, and what it is worth.
type bruteTerm struct {
	names  []string
	weight float64
	date   bool
	idf    float64
	highDF bool
}

type bruteHit struct {
	key   string
	score float64
	ts    log.Stamp
	by    float64 // what it is ordered by, of the first hits
}

func bruteSearch(m *model, bags []*bag, q *Query, opt Options) []bruteHit {
	x := &brute{model: *m, q: q, opt: opt, stored: bags, folders: map[string]float64{}}
	for _, b := range bags {
		if !q.scope.Holds(b.rec.Key) || !b.rec.Valid() ||
			opt.Sees != nil && !opt.Sees(realmOf(b.rec.Key, content.Parse(b.rec.Content))) {
			continue
		}
		x.docs = append(x.docs, b)
		x.words += float64(b.length)
		if b.key != q.scope.String() {
			x.folders[b.folder] += float64(b.length)
		}
	}
	slices.SortFunc(x.docs, func(a, b *bag) int { return strings.Compare(a.key, b.key) })
	return x.run()
}

func (x *brute) df(names ...string) (n int) {
	for _, d := range x.docs {
		if slices.ContainsFunc(names, d.has) {
			n++
		}
	}
	return n
}

func (x *brute) idf(n int) float64 {
	return math.Log(1 + (float64(len(x.docs))-float64(n)+.5)/(float64(n)+.5))
}

func (x *brute) run() []bruteHit {
	terms, total := x.terms()
	self := make([]float64, len(x.docs))
	for i, d := range x.docs {
		covered, narrow := 0.0, false
		for _, t := range terms {
			if slices.ContainsFunc(t.names, d.has) {
				covered += t.weight * t.idf
				narrow = narrow || !t.highDF
				self[i] += x.value(d, t)
			}
		}
		if !narrow {
			self[i] = 0
		}
		self[i] *= math.Pow(covered/total, .25)
	}
	x.drop(self)
	sum, scores := x.spread(self), map[string]float64{"none": 0}
	for i, d := range x.docs {
		if sum[i] == 0 {
			continue
		}
		for _, name := range x.q.names {
			if n := x.df(analyzer.KindSpeaker + name); n > 0 && d.has(analyzer.KindSpeaker+name) {
				sum[i] += x.speaker * min(x.idf(n), maxSpeakerIDF)
			}
		}
		folder := x.folderOf(d)
		if _, ok := scores[folder]; !ok {
			scores[folder] = x.folderScore(terms, folder)
		}
		sum[i] += x.folder * scores[folder]
	}
	hits := x.hits(sum, self)
	if x.q.hasWords() {
		x.arrange(hits, terms, total)
	}
	return hits
}

// drop keeps the best of very many.
func (x *brute) drop(self []float64) {
	order := make([]int, len(self))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if math.Abs(self[a]-self[b]) > 1e-12 {
			return cmp.Compare(self[b], self[a])
		}
		return cmp.Compare(analyzer.TimeOf(&x.docs[b].rec), analyzer.TimeOf(&x.docs[a].rec))
	})
	for _, i := range order[min(len(order), x.mostFound):] {
		self[i] = 0
	}
}

func (x *brute) terms() (terms []bruteTerm, total float64) {
	named := map[string]bool{}
	for i, name := range x.q.names {
		if x.df(analyzer.KindSpeaker+name) > 0 {
			for _, t := range x.q.named[i] {
				named[t] = true
			}
		}
	}
	for _, t := range x.q.terms {
		w := 1.0
		if named[t] {
			w = x.named
		}
		terms = append(terms, bruteTerm{names: []string{t}, weight: w})
	}
	seen := map[string]bool{}
	for _, d := range x.q.dates {
		for _, t := range d.Terms(x.opt.Now) {
			if !seen[t] {
				terms = append(terms, bruteTerm{names: []string{t}, weight: x.date, date: true})
			}
			seen[t] = true
		}
	}
	for _, form := range x.q.patterns {
		terms = append(terms, bruteTerm{names: x.begins(form), weight: 1})
	}
	narrow := false
	for i := range terms {
		t := &terms[i]
		n := x.df(t.names...)
		t.idf = x.idf(n)
		t.highDF = n > x.highDFDocs && n > len(x.docs)/x.highDFShare
		if n > 0 {
			narrow = narrow || !t.highDF
			total += t.weight * t.idf
		}
	}
	for i := range terms {
		terms[i].highDF = terms[i].highDF && narrow
	}
	return terms, total
}

func (x *brute) begins(form analyzer.Pattern) (names []string) {
	for _, d := range x.stored {
		for term := range d.terms {
			if form.MatchesTerm(term) {
				names = append(names, term)
			}
		}
		for spelt, term := range d.forms {
			if form.Matches(spelt) {
				names = append(names, term)
			}
		}
	}
	return names
}

func (x *brute) frequency(d *bag, t bruteTerm) (sum float64) {
	names := slices.Compact(slices.Sorted(slices.Values(t.names)))
	for _, name := range names {
		for f, n := range d.terms[name] {
			sum += x.fields[f] * float64(n)
		}
	}
	return sum
}

func (x *brute) bm25(frequency, length, mean float64) float64 {
	return frequency * (x.k1 + 1) / (frequency + x.k1*(1-x.b+x.b*length/max(mean, 1)))
}

func (x *brute) value(d *bag, t bruteTerm) float64 {
	if t.date {
		return t.weight * t.idf
	}
	mean := x.words / float64(len(x.docs))
	return t.weight * t.idf * x.bm25(x.frequency(d, t), float64(d.length), mean)
}

func (x *brute) folderScore(terms []bruteTerm, folder string) (sum float64) {
	for _, t := range terms {
		fr := 0.0
		for _, d := range x.docs {
			if x.folderOf(d) == folder && !t.highDF && !t.date {
				fr += x.frequency(d, t)
			}
		}
		if fr > 0 {
			sum += t.weight * t.idf * x.bm25(fr, x.folders[folder], x.words/float64(len(x.folders)))
		}
	}
	return sum
}

func (x *brute) spread(self []float64) []float64 {
	sum := slices.Clone(self)
	x.lists = x.byFolder()
	for _, near := range x.lists {
		for at, i := range near {
			for away := 1; away <= 2; away++ {
				share := x.neighbor[away-1]
				if at-away >= 0 {
					sum[near[at-away]] += share * self[i]
				}
				if away == 1 && x.docs[i].isQuestion {
					share = x.answer
				}
				if at+away < len(near) {
					sum[near[at+away]] += share * self[i]
				}
			}
		}
	}
	return sum
}

// byFolder returns the docs of each folder in the order of their names; that of the scope alone.
func (x *brute) byFolder() (lists [][]int) {
	byName := map[string][]int{}
	for i, d := range x.docs {
		byName[x.folderOf(d)] = append(byName[x.folderOf(d)], i)
	}
	for _, list := range byName {
		slices.SortStableFunc(list, func(a, b int) int {
			return compareNames(lastSegment(x.docs[a].key), lastSegment(x.docs[b].key))
		})
		lists = append(lists, list)
	}
	return lists
}

func lastSegment(key string) string { return key[strings.LastIndex(key, "/")+1:] }

var (
	nameParts   = regexp.MustCompile(`[0-9]+|[^0-9]`)
	ulidName    = regexp.MustCompile(`[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	drawnName   = regexp.MustCompile(`[0-9][a-zA-Z]|[a-zA-Z][0-9]`)
	isNamedByNo = regexp.MustCompile(`^[0-9]`).MatchString
)

// compareNames orders names once more: those drawn last, the others part by part.
func compareNames(a, b string) int {
	isDrawn := func(name string) int {
		n := 0
		for i := range len(name) {
			if drawnName.MatchString(name[i:min(i+2, len(name))]) {
				n++
			}
		}
		if ulidName.MatchString(name) {
			n = 4
		}
		return min(n/4, 1)
	}
	if isDrawn(a)+isDrawn(b) > 0 {
		return cmp.Or(cmp.Compare(isDrawn(a), isDrawn(b)), strings.Compare(a, b))
	}
	x, y := nameParts.FindAllString(a, -1), nameParts.FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		order := strings.Compare(x[i], y[i])
		if isNamedByNo(x[i]) && isNamedByNo(y[i]) {
			m, _ := new(big.Int).SetString(x[i], 10)
			n, _ := new(big.Int).SetString(y[i], 10)
			order = m.Cmp(n)
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func (x *brute) hits(sum, self []float64) (hits []bruteHit) {
	for i, d := range x.docs {
		isOwn := self[i] > 0 || !x.q.hasWords() && x.q.hasConditions()
		if (isOwn || sum[i] > 0 && x.isLent(i, self)) && x.fits(d) {
			hits = append(hits, bruteHit{d.key, sum[i], analyzer.TimeOf(&d.rec), 0})
		}
	}
	slices.SortFunc(hits, func(a, b bruteHit) int {
		return cmp.Or(
			CompareScores(a.score, b.score), cmp.Compare(b.ts, a.ts), strings.Compare(a.key, b.key))
	})
	return hits
}

// isLent reports whether a doc has its score from one that may be a hit by its terms.
func (x *brute) isLent(doc int, self []float64) bool {
	for _, near := range x.lists {
		at := slices.Index(near, doc)
		for away := max(at-2, 0); at >= 0 && away < min(at+3, len(near)); away++ {
			if from := near[away]; self[from] > 0 && x.passes(x.docs[from]) {
				return true
			}
		}
	}
	return false
}

func (x *brute) fits(d *bag) bool {
	return x.passes(d) && hasAllPhrases(&d.rec, x.q.phrases)
}

// passes reports whether the terms of a doc let it be a hit.
func (x *brute) passes(d *bag) bool {
	hasAll := func(terms []string) bool {
		return !slices.ContainsFunc(terms, func(t string) bool { return !d.has(t) })
	}
	hasTag := func(tag string) bool { return d.has(analyzer.KindTag + tag) }
	for _, tags := range x.q.tags {
		if !slices.ContainsFunc(tags, hasTag) {
			return false
		}
	}
	hasType := func(name string) bool { return d.has(analyzer.KindType + name) }
	if len(x.q.types) > 0 && !slices.ContainsFunc(x.q.types, hasType) ||
		slices.ContainsFunc(x.q.without, hasAll) {
		return false
	}
	return !slices.ContainsFunc(x.q.phrases, func(p phrase) bool { return !hasAll(p.terms) })
}
