package life

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

// drawPurge draws a purge of a key that ever was.
func (l *life) drawPurge(m *machine) *act {
	scope, text := l.drawOnce(m)
	if text == "" {
		return nil
	}
	key := keypath.MustParse(text)
	before := map[string]lines{}
	maps.Copy(before, m.has)
	return &act{at: scope, args: []string{"forget", text, "--purge", "--yes", "--json"},
		done: func(r result) { l.purged(m, key, scope, before, r) }}
}

// purged notes what a purge may have taken, also one that did not end.
func (l *life) purged(m *machine, key keypath.Key, in string, before map[string]lines, r result) {
	var answer struct {
		Stores []struct {
			Others []struct{ Key string }
		}
	}
	if r.code == 0 {
		l.must(json.Unmarshal([]byte(r.out), &answer))
	}
	for _, scope := range slices.Compact([]string{user, in}) {
		p := &purge{scope: scope, key: key, by: m, words: map[string]bool{},
			damaged: map[string]bool{}, kept: map[string]bool{}, known: map[*version]bool{},
			isSaid: r.code == 0}
		for _, in := range scopes {
			for id := range before[in] {
				p.known[l.versions[at{in, id}]] = true
			}
		}
		for _, e := range before[scope] {
			if e.Key == key {
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
