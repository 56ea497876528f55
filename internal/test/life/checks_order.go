package life

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// checkOrdered checks that each key holds a version that no later one of a person had seen.
func (l *life) checkOrdered() {
	byKey, beaten := map[string][]*version{}, map[*version]bool{}
	for _, v := range l.versions {
		if !mem.Travels(log.Record{Envelope: v.env}) || !v.isPersons && !v.isImported() {
			continue
		}
		name := v.scope + " " + v.env.Key.String()
		byKey[name] = append(byKey[name], v)
		for old := range v.saw {
			beaten[old] = beaten[old] || v.isPersons && v.isAcknowledged
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byKey)) {
		l.checkHolds(name, slices.DeleteFunc(byKey[name], func(v *version) bool {
			return beaten[v] || !v.isPersons && !v.comesBack() &&
				slices.ContainsFunc(byKey[name], v.isCopyOf)
		}))
	}
}

// isImported reports whether a file brought a version.
func (v *version) isImported() bool { return strings.HasPrefix(v.step, "import") }

// comesBack reports whether an import brought what the undo of an earlier one had taken away.
func (v *version) comesBack() bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(v.saw)), func(old *version) bool {
		_, command := content.Undone(old.env.Source)
		return command == policy.Import.String()
	})
}

// isCopyOf reports whether a version says what a person has written under the same key.
func (v *version) isCopyOf(old *version) bool {
	return old.isPersons && string(old.env.Content) == string(v.env.Content)
}

// checkHolds checks that a key holds one of some versions.
func (l *life) checkHolds(name string, list []*version) {
	scope, text, _ := strings.Cut(name, " ")
	s := l.open(l.alive()[0], scope)
	defer s.Close()
	rec, err := s.Get(ctx, mem.Caller{}, keypath.MustParse(text), false)
	if held := l.versions[at{scope, rec.Identity()}]; err == nil && l.isRedated(held) {
		return
	}
	var held []string
	for _, v := range list {
		if v.isLost || len(v.hurtAt) > 0 || l.isPurged(v) || l.wasRedated(v) {
			return // nobody knows what it was, or it has a time of now, maybe before others
		}
		isThere := v.env.Valid() && !content.Expired(v.env.Content, log.StampOf(l.now))
		if isThere == (err == nil) && (!isThere || string(v.env.Content) == string(rec.Content)) {
			return
		}
		held = append(held, fmt.Sprintf("%s of %s: %s", v.step, v.by.name, v.env.Line()))
	}
	l.rt.Errorf("%s holds %s %v, and not\n%s", name, rec.Line, err, strings.Join(held, "\n"))
}

// isRedated reports whether a version is one from the future that a repair or sync late --take has
// given a time of now, which makes it a write of then: also where its machine had deleted it.
func (l *life) isRedated(v *version) bool {
	if v == nil || v.isPersons || v.isImported() {
		return false
	}
	for _, old := range l.versions {
		if old.scope == v.scope && old.env.Key == v.env.Key && old.env.TS > v.env.TS &&
			v.isCopyOf(old) {
			return true
		}
	}
	return false
}

// wasRedated reports whether a version from the future is in the history with a time of now.
func (l *life) wasRedated(v *version) bool {
	for _, later := range l.versions {
		if later.scope == v.scope && later.env.Key == v.env.Key && later.env.TS < v.env.TS &&
			!later.isPersons && later.isCopyOf(v) {
			return true
		}
	}
	return false
}

// checkBesides checks that no import brought a version beside its own key, where the machine had a
// later one of that.
func (l *life) checkBesides(m *machine, wrote []*version) {
	for _, v := range wrote {
		key, number, is := strings.Cut(v.env.Key.String(), "~")
		if !is || len(number) > 1 {
			continue
		}
		for where, later := range l.versions {
			_, ok := m.has[v.scope][where.id]
			if !ok || later.scope != v.scope || later.env.Key.String() != key {
				continue
			}
			for old := range later.saw {
				if v.isCopyOf(old) {
					l.rt.Errorf("%s: an import brought %s beside %s", m.name, v.env.Line(),
						later.env.Line())
				}
			}
		}
	}
}
