package mem

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/log"
)

// NearTerm is a word, a type or a tag, and the number of memories that have it.
type NearTerm struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

const (
	maxNearTerms = 8
	maxNearTerm  = 40     // bytes: no sentence is a term, and no hash
	maxNearRead  = 10_000 // the newest memories, in which NearTerms counts
)

// NearTerms returns terms for the next search where one has found nothing: the types or tags of the
// memories if none has those it asks for, otherwise the words that are near its words, or the
// commonest words if none is near. The most frequent comes first. It counts the memories that the
// search looks at, but for untrusted ones and those of high sensitivity, and reads their summary,
// text and tags.
func (r Reader) NearTerms(ctx context.Context, o SearchOptions) ([]NearTerm, error) {
	v, err := r.store.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	all := o
	all.Query, all.Types, all.Tags = "", nil, nil
	w, among, err := r.conditions(ctx, v, all)
	if err != nil || among != nil {
		return nil, err
	}
	list, err := v.Select(ctx, w, backend.NewestFirst, maxNearRead)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(rec log.Record) bool {
		return !r.store.Trusts(rec) || policy.IsSensitive(rec)
	})
	for _, only := range []SearchOptions{{Conditions: backend.Conditions{Types: o.Types}},
		{Tags: o.Tags}} {
		if len(only.Types)+len(only.Tags) == 0 {
			continue
		}
		w, err := only.Where(r.now)
		if err != nil {
			return nil, err
		}
		names := termCount{}
		if !names.add(list, w, only.Types != nil) {
			return names.most(), nil
		}
	}
	if strings.TrimSpace(o.Query) == "" {
		return nil, nil
	}
	return nearWords(list, o.Query), nil
}

type termCount map[string]int

// add counts the types or the tags of memories, and reports whether one of these meets a condition.
func (n termCount) add(list []log.Record, w backend.Where, types bool) (met bool) {
	for _, rec := range list {
		f := content.Parse(rec.Content)
		met = met || w.Holds(rec.TS, f)
		if types && f.Type != "" {
			n[f.Type]++
		}
		for _, tag := range f.Tags {
			if !types {
				n[tag]++
			}
		}
	}
	return met
}

// most returns the most frequent terms.
func (n termCount) most() (list []NearTerm) {
	for word, count := range n {
		if len(word) <= maxNearTerm {
			list = append(list, NearTerm{MaskSecrets(word), count})
		}
	}
	slices.SortFunc(list, func(a, b NearTerm) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Word, b.Word))
	})
	return list[:min(len(list), maxNearTerms)]
}

// nearWords returns the words of memories that are near those of a query, or the commonest of
// those that two memories have.
func nearWords(list []log.Record, query string) []NearTerm {
	var asked []string
	for word := range fts.EachWord(query) {
		if topic, _ := fts.IsTopic(word); topic {
			asked = append(asked, word)
		}
	}
	texts, rows := textsOf(list)
	near, common := termCount{}, termCount{}
	for word, in := range rows {
		topic, tells := fts.IsTopic(word)
		if topic && isNear(word, asked) {
			near[word] = len(in)
		}
		if tells && len(in) > 1 {
			common[word] = len(in)
		}
	}
	if len(near) == 0 {
		near = common
	}
	return withoutSecrets(near.most(), texts, rows)
}

// textsOf returns the texts of memories, and for each word the places of those that have it.
func textsOf(list []log.Record) (texts []string, rows map[string][]int) {
	texts, rows = make([]string, len(list)), map[string][]int{}
	for i, rec := range list {
		f := content.Parse(rec.Content)
		texts[i] = f.Summary + "\n" + f.Text + "\n" + strings.Join(f.Tags, "\n")
		for word := range fts.EachWord(texts[i]) {
			if in := rows[word]; len(in) == 0 || in[len(in)-1] != i {
				rows[word] = append(in, i)
			}
		}
	}
	return texts, rows
}

// withoutSecrets counts terms again, in texts without their secrets: to mask all texts takes long.
func withoutSecrets(terms []NearTerm, texts []string, rows map[string][]int) []NearTerm {
	for i := range terms {
		t := &terms[i]
		t.Count = 0
		for _, row := range rows[t.Word] {
			for word := range fts.EachWord(MaskSecrets(texts[row])) {
				if word == t.Word {
					t.Count++
					break
				}
			}
		}
	}
	return slices.DeleteFunc(terms, func(t NearTerm) bool { return t.Count == 0 })
}

// The least length in bytes of the beginning that two near words share, and of a word with a typing
// error.
const minShared, minMistyped = 3, 5

// isNear reports whether a word begins like one of others, or differs from it by a typing error.
func isNear(word string, others []string) bool {
	for _, other := range others {
		same := text.SamePrefix(word, other)
		if same >= minShared && 2*same > min(len(word), len(other)) ||
			len(other) >= minMistyped && text.Nearest(other, []string{word}) != "" {
			return true
		}
	}
	return false
}

// FindNear returns the live memories that say nearly the same as a text, the nearest first, at most
// limit; not all of them, see backend.Backend.
func (r Reader) FindNear(ctx context.Context, text string, limit int) ([]log.Record, error) {
	w := policy.ForPage(r.caller, backend.Where{Now: r.now})
	return r.store.backend.Match(ctx, fts.NewNear(text), w, limit)
}

// FindNaming returns live memories that name a file by one of its paths, a folder of it, or its
// last element alone, the closest name first and of these the newest, at most limit; not all of
// them, see backend.Backend.
func (r Reader) FindNaming(ctx context.Context, limit int, paths ...string) (
	[]log.Record, error) {
	w := policy.ForPage(r.caller, backend.Where{Now: r.now})
	return r.store.backend.Match(ctx, backend.NewNaming(paths...), w, limit)
}

// FindRecorded returns live memories that have recorded a file of this size with its sum
// (content.File), the newest first, at most limit.
func (r Reader) FindRecorded(ctx context.Context, limit int, size int64) ([]log.Record, error) {
	w := policy.ForPage(r.caller, backend.Where{Now: r.now})
	return r.store.backend.Match(ctx, backend.NewSizeNaming(size), w, limit)
}
