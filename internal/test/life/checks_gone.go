package life

import (
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/rule/policy"
)

// checkGone checks that the words of purged versions are in no file of a machine, and at no depot.
func (l *life) checkGone() {
	files := map[string]string{}
	for _, m := range l.alive() {
		l.addFiles(m, files)
	}
	for _, d := range l.depots {
		for name, text := range l.segments(d) {
			files[d.path+": "+name] = text
		}
	}
	for _, p := range l.purges {
		if !l.hasMark(p) {
			continue // the machine never came back with it
		}
		for word := range p.words {
			if p.isSaid && !l.hasOther(p, word) {
				l.checkWord(p, word, files)
			}
		}
	}
}

// addFiles adds the texts of all files of a machine.
func (l *life) addFiles(m *machine, files map[string]string) {
	l.wake(m)
	for _, path := range below(l.home()) {
		text, err := os.ReadFile(path)
		l.must(err)
		files[m.name+": "+strings.TrimPrefix(path, l.home())] = string(text)
	}
}

// checkGoneAt checks that the words of a purge are in no file of a machine.
func (l *life) checkGoneAt(m *machine, p *purge) {
	files := map[string]string{}
	l.addFiles(m, files)
	for word := range p.words {
		l.checkWord(p, word, files)
	}
}

// hasMark reports whether the machines know of a purge.
func (l *life) hasMark(p *purge) bool {
	for where, v := range l.versions {
		_, ok := l.alive()[0].has[where.scope][where.id]
		if ok && v.isMark() && v.scope == p.scope && v.env.Key == p.key && v.env.TS >= p.upTo {
			return true
		}
	}
	return false
}

// hasOther reports whether a word that was purged is in a version that the purge did not concern:
// one that the verb named, that the machine did not have, or of another memory, from which a file
// has brought it: a purge follows moves, and no imports.
func (l *life) hasOther(p *purge, word string) bool {
	for _, v := range l.versions {
		if !strings.Contains(string(v.env.Content), word) {
			continue
		}
		if v.scope == p.scope && v.about() == p.key && policy.IsProposal(v.env.Key) {
			continue
		}
		isElsewhere := v.scope != p.scope && (l.isBrought(word) || !l.wasMoved(p, v))
		isUnknown := !p.known[v] && !l.isFollowed(p, v)
		if isUnknown || p.kept[v.env.Key.String()] || isElsewhere {
			return true
		}
	}
	return false
}

// wasMoved reports whether a move that came to its end took a memory away from where a purge was,
// or from where a version is: one that was killed has left two memories.
func (l *life) wasMoved(p *purge, v *version) bool {
	for _, left := range l.versions {
		isOf := left.scope == p.scope && left.env.Key == p.key ||
			left.scope == v.scope && left.env.Key == v.about()
		if isOf && !left.env.Valid() && content.LeftByMove(left.env.Source) {
			return true
		}
	}
	return false
}

// isFollowed reports whether a purge reaches a version that the purging machine did not have: a
// move brought it to another memory on a machine that is still there, and that has what it was
// moved from when the mark of the purge comes. A purge there that did not end may have erased that
// alone, and named the command that erases the rest.
func (l *life) isFollowed(p *purge, v *version) bool {
	if v.scope == p.scope || v.step != "move" || v.by.isGone || v.by.isHarmed ||
		slices.ContainsFunc(l.purges, func(cut *purge) bool {
			return !cut.isSaid && cut.by == v.by && cut.key == p.key
		}) {
		return false
	}
	for _, later := range l.versions {
		isOther := later.env.Valid() && string(later.env.Content) != string(v.env.Content)
		if later.scope == v.scope && later.env.Key == v.env.Key && isOther {
			return false // another memory, for which the key is kept and named
		}
	}
	return true
}

// isBrought reports whether an import has brought a word.
func (l *life) isBrought(word string) bool {
	for _, v := range l.versions {
		if v.isImported() && strings.Contains(string(v.env.Content), word) {
			return true
		}
	}
	return false
}

func (l *life) checkWord(p *purge, word string, files map[string]string) {
	for name, text := range files {
		if strings.Contains(text, word) {
			l.rt.Errorf("%s purged %s with %s, which is in %s", p.by.name, p.key, word, name)
		}
	}
}

// checkCopies checks that copies of segments, which may hold a purged text, are named.
func (l *life) checkCopies() {
	for _, place := range l.depots {
		d, err := depot.OpenFolder(place.path)
		l.must(err)
		defer d.Close()
		remains, err := d.Remains([]byte(parcel.Magic))
		l.must(err)
		for _, file := range below(place.path) {
			isNamed := slices.ContainsFunc(remains, func(r depot.Remain) bool {
				return r.Path == file
			})
			if strings.HasSuffix(file, conflicted) && !isNamed {
				l.rt.Errorf("%s is not named", file)
			}
		}
	}
}
