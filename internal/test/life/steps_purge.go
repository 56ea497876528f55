package life

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

// target is what a purge is to take: a key of a memory.
type target struct {
	scope string
	key   keypath.Key
}

// drawPurge draws a purge of a key that ever was: at times without a mark, which other machines
// then bring back.
func (l *life) drawPurge(m *machine) *act {
	scope, text := l.drawOnce(m)
	if text == "" {
		return nil
	}
	key := keypath.MustParse(text)
	var list []target
	for _, in := range slices.Compact([]string{user, scope}) {
		list = append(list, target{in, key})
	}
	args := []string{"forget", text, "--purge"}
	if l.draw("without a mark", 8) == 1 {
		args[2] = "--forget-key"
	}
	return l.purging(m, scope, list, args...)
}

// drawPurgeOfText draws a purge of all that has ever had a text.
func (l *life) drawPurgeOfText(m *machine) *act {
	scope, key := l.drawOnce(m)
	var words []string
	for _, e := range m.has[scope].sorted() {
		if e.Key.String() == key {
			words = append(words, wordsOf(e)...)
		}
	}
	if len(words) == 0 {
		return nil
	}
	word := pick(l, "word", words)
	keys := map[target]bool{}
	for _, in := range slices.Compact([]string{user, scope}) {
		for _, e := range m.has[in] {
			if e.Key.Class() != keypath.Quarantined && strings.Contains(string(e.Line()), word) {
				keys[target{in, e.Key}] = true
			}
		}
	}
	return l.purging(m, scope, slices.SortedFunc(maps.Keys(keys), func(a, b target) int {
		return cmp.Or(cmp.Compare(a.scope, b.scope), a.key.Compare(b.key))
	}), "forget", "--grep", strings.ToUpper(word), "--purge", "--reason", "it was asked for")
}

// purging returns the act of a purge that is to take some keys.
func (l *life) purging(m *machine, scope string, list []target, args ...string) *act {
	before := map[string]lines{}
	maps.Copy(before, m.has)
	return &act{at: scope, args: append(args, "--yes", "--json"), done: func(r result) {
		for _, one := range list {
			l.purged(m, one, before, r)
		}
	}}
}

// purged notes what a purge may have taken, also one that did not end.
func (l *life) purged(m *machine, of target, before map[string]lines, r result) {
	var answer struct {
		Stores []struct {
			Others []struct{ Key string }
		}
	}
	if r.code == 0 {
		l.must(json.Unmarshal([]byte(r.out), &answer))
	}
	p := &purge{scope: of.scope, key: of.key, by: m, words: map[string]bool{},
		damaged: map[string]bool{}, kept: map[string]bool{}, known: map[*version]bool{},
		isUnmarked: slices.Contains(r.args, "--forget-key")}
	p.isSaid = r.code == 0 && !p.isUnmarked
	for _, in := range scopes {
		for id := range before[in] {
			p.known[l.versions[at{in, id}]] = true
		}
	}
	for _, e := range before[of.scope] {
		if e.Key == of.key {
			p.upTo = max(p.upTo, e.TS)
			for _, word := range wordsOf(e) {
				p.words[word] = true
			}
		}
	}
	p.addProposed(l)
	p.addDamaged(l)
	for _, s := range answer.Stores {
		for _, other := range s.Others {
			p.kept[other.Key] = true
		}
	}
	l.purges = append(l.purges, p)
	if p.key.Class() == keypath.Artifact && r.code == 0 && len(p.kept) == 0 {
		p.isSaid = false // no mark of it travels
		l.checkGoneAt(m, p)
	}
}

// addProposed adds the words of the proposals to change the key: of this machine, and those of
// others that are older than a version which the purge has seen, and so than its mark.
func (p *purge) addProposed(l *life) {
	for _, v := range l.versions {
		isOf := policy.IsProposal(v.env.Key) && v.scope == p.scope && v.about() == p.key
		if isOf && (p.known[v] || v.env.TS < p.upTo) {
			for _, word := range wordsOf(v.env) {
				p.words[word] = true
			}
		}
	}
}

// addDamaged adds the versions that the machine could not read, of which a line may show its key
// and time yet. Those of other memories moves may lead to.
func (p *purge) addDamaged(l *life) {
	for _, v := range l.versions {
		if !v.hurtAt[p.by] || v.env.Key != p.key {
			continue
		}
		if v.scope == p.scope {
			p.upTo = max(p.upTo, v.env.TS)
		}
		for _, word := range wordsOf(v.env) {
			p.damaged[word] = true
		}
	}
}
