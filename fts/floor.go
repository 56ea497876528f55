package fts

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// The floor: what it takes for a hit to be clearly relevant, and not just the best there is. Evidence is the words that query and
// record share, but for those of small talk.
const (
	floorWorth = 0.5  // of evidence, in words that no other record has
	floorWords = 2    // different words; or else
	floorShare = 0.35 // of what all words of the query are worth
	floorScore = 0.3  // of the best hit's score
)

// evidence is what speaks for a record by itself.
type evidence struct {
	worth float64 // in words that no other record has
	share float64 // of the query
	words int
}

func (e evidence) isClear() bool {
	return e.worth >= floorWorth && (e.words >= floorWords || e.share >= floorShare)
}

// Relevant gives the hits that are clearly relevant: none, unless one of them shares enough with the query by itself; then all that come near the
// best. For a prompt that has nothing to do with what is stored, or is small talk, it is empty.
func (r *Result) Relevant() ([]Hit, error) {
	for i := range r.Hits {
		e, err := r.s.evidence(r.Hits[i].doc)
		if err != nil {
			return nil, err
		}
		if e.isClear() {
			return r.near(), nil
		}
	}
	return nil, nil
}

func (r *Result) near() []Hit {
	n := 0
	for n < len(r.Hits) && r.Hits[n].Score >= floorScore*r.Hits[0].Score {
		n++
	}
	return r.Hits[:n]
}

// evidence weighs what a doc shares with the query.
func (s *search) evidence(doc uint32) (e evidence, err error) {
	rarest := idf(s.docs, 1)
	all := s.strangers * rarest
	for i := range s.terms {
		t := &s.terms[i]
		weight := evidenceOf(t.text)
		all += weight * t.idf
		if weight == 0 {
			continue
		}
		tf, err := s.has(t, doc)
		if err != nil {
			return e, err
		}
		if tf > 0 {
			e.worth += weight * t.worth() / rarest
			e.share += weight * t.worth()
			e.words++
		}
	}
	if all > 0 {
		e.share /= all
	}
	return e, nil
}

// evidenceOf tells how much a term can prove: a month, a small number or a word of small talk nothing, a pair of characters half as much as a word, for
// two such pairs make one.
func evidenceOf(term string) float64 {
	r, size := utf8.DecodeRuneInString(term)
	switch {
	case strings.HasPrefix(term, kindDate+"d"):
		return 1
	case term[0] < ' ' || smallTalk()[term], len(term) <= 2 && term[0] >= '0' && term[0] <= '9':
		return 0
	case !isUnspaced(r):
		return 1
	case size == len(term):
		return 0
	}
	return 0.5
}

// smallTalk is the terms of what people say to keep a conversation going.
var smallTalk = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(smallWords) {
		for _, term := range termsOf(w) {
			m[term] = true
		}
	}
	return m
})

const smallWords = `ok okay yes yeah yep yup no nope sure thanks thank thx please welcome sorry hello hi hey bye goodbye morning evening hmm oh wow haha lol
great good nice perfect cool fine awesome excellent amazing right wrong correct true exactly absolutely definitely indeed course agree agreed lgtm
go going come coming get getting make making do doing done let see seeing look looking sound sounds seem say saying tell know think want need like
try trying use using work working help helping keep start stop wait continue proceed carry next again back ahead well really still maybe perhaps
one time thing things way lot bit something anything everything nothing sense idea question answer first last new
好的 好吧 好了 继续 谢谢 谢谢你的帮助 非常感谢 感谢 嗯嗯 可以 可以的 是的 不是 没有 没问题 没关系 知道了 明白了 了解 接着做 接着 下一步 辛苦了 再试一次 一下 就这样吧 这样
请继续 你好 您好 早上好 晚上好 再见 算了 等一下 不对 对的 对了 完成了吗 完成 怎么样 怎么 太好了 很好 不错 收到 什么 为什么 哪些 哪个 这个 那个 我们 你们 他们 我的 你的 我想 想要 需要 请问 请你
帮我 帮忙 告诉 觉得 应该 还是 还有 然后 现在 时候 一个 一些 有点 真的 当然 同意 确认 开始 停止 重新 行吧 行了`
