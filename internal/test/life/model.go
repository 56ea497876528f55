package life

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// version is a line that a verb has written.
type version struct {
	scope string
	env   log.Envelope
	by    *machine
	step  string
	saw   map[*version]bool // versions of its key that its writer had

	isAcknowledged bool
	// isPersons says that it is a person's write of now: no repair, and nothing that an import
	// brought, but also what an exchange or a repair has written to end a move that was killed.
	isPersons bool
	isLost    bool // a harm took it, and nobody else had it
	// hurtAt are the machines where bits of it flipped.
	hurtAt map[*machine]bool
}

// about returns the key that a version is of, or that it proposes to change: a purge of that takes
// the proposal, too.
func (v *version) about() keypath.Key {
	if !policy.IsProposal(v.env.Key) || !v.env.Valid() {
		return v.env.Key
	}
	return keypath.MustParse(jsontext.Unquote(content.Member(v.env.Content, "key")))
}

// purge is a purge that a person typed.
type purge struct {
	scope string
	key   keypath.Key
	upTo  log.Stamp       // the newest version of the key that the machine had
	words map[string]bool // of its versions, which are to be nowhere
	// damaged are those of versions that the machine could not read: other machines may follow
	// moves of these.
	damaged map[string]bool
	kept    map[string]bool // the keys that the verb named as having the text, too
	by      *machine
	known   map[*version]bool // the versions that the machine had
	isSaid  bool              // it ended with 0, and its mark travels

	isUnmarked bool // with --forget-key
}

// words finds the words of a text: each version that a step writes has one of its own.
var words = regexp.MustCompile(`w\d{5}x`)

// wordsOf returns the words of a version.
func wordsOf(e log.Envelope) []string { return words.FindAllString(string(e.Content), -1) }

// look reads the histories of a machine and notes what a step has written there.
func (l *life) look(m *machine, s *taken) (wrote []*version) {
	for _, scope := range scopes {
		found := l.history(m, scope)
		saw := map[keypath.Key]map[*version]bool{}
		for id, e := range m.has[scope] {
			if saw[e.Key] == nil {
				saw[e.Key] = map[*version]bool{}
			}
			saw[e.Key][l.versions[at{scope, id}]] = true
		}
		for _, e := range found.sorted() {
			id := e.Identity()
			if _, ok := m.has[scope][id]; !ok && s.gained != nil {
				s.gained[scope+" "+e.Key.String()] = true
			}
			if l.versions[at{scope, id}] == nil {
				v := &version{scope: scope, env: e, by: m, step: s.name,
					saw: saw[e.Key], isAcknowledged: s.isAcknowledged,
					isPersons: s.isPersons || content.LeftByMove(e.Source) &&
						!l.wasWritten(scope, e),
					hurtAt: map[*machine]bool{}}
				l.versions[at{scope, id}], wrote = v, append(wrote, v)
			}
		}
		if s.harm == flips {
			l.noteHurt(m, scope, found)
		}
		m.has[scope] = found
	}
	if s.harm != "" {
		l.noteLost()
	}
	return wrote
}

// wasWritten reports whether a line was written before: it was there with a later time, and a
// repair gave it one of now, or it is in another memory, from which a file brought it. Two moves of
// a key of two memories may end at one time; their sources name the times of the commands.
func (l *life) wasWritten(scope string, e log.Envelope) bool {
	for where, old := range l.versions {
		isAhead := where.scope == scope && old.env.TS > e.TS &&
			string(old.env.Source) == string(e.Source)
		isElsewhere := where.scope != scope && old.env.TS == e.TS &&
			retrievedAt(old.env) == retrievedAt(e)
		if (isAhead || isElsewhere) && old.env.Key == e.Key &&
			string(old.env.Content) == string(e.Content) {
			return true
		}
	}
	return false
}

// retrievedAt returns the time that the source of a line names: for a tombstone, the time of its
// command.
func retrievedAt(e log.Envelope) string {
	return jsontext.Unquote(content.Member(e.Source, "retrieved_at"))
}

// at is where a line is.
type at struct {
	scope string
	id    log.Identity
}

// noteHurt notes the versions that a machine cannot read any more.
func (l *life) noteHurt(m *machine, scope string, found lines) {
	for id := range m.has[scope] {
		if _, ok := found[id]; !ok {
			l.versions[at{scope, id}].hurtAt[m] = true
		}
	}
}

// noteLost notes the versions that neither a machine nor a depot has any more.
func (l *life) noteLost() {
	held := map[at]bool{}
	for _, m := range l.alive() {
		for scope, list := range m.has {
			for id := range list {
				held[at{scope, id}] = true
			}
		}
	}
	for _, d := range l.depots {
		l.addLines(d, held)
	}
	for where, v := range l.versions {
		v.isLost = v.isLost || !held[where]
	}
}

// travels reports whether a line goes to the other machines.
func (l *life) travels(e log.Envelope) bool {
	return e.TS <= l.ends && mem.Travels(log.Record{Envelope: e})
}

// isPurged reports whether a purge that a person typed may have taken a version, or one whose text
// an undo has brought back since: also an older mark, for its own takes as much. A purge that was
// killed sees what has come when it is done again; one by a clock ahead may be later than the time
// of now that a line from the future is given. A proposal goes with what it is about.
func (l *life) isPurged(v *version) bool {
	isAbout := func(mark *version) bool {
		return mark.isMark() && mark.scope == v.scope && mark.env.Key == v.about()
	}
	if policy.IsProposal(v.env.Key) &&
		slices.ContainsFunc(slices.Collect(maps.Values(l.versions)), isAbout) {
		return true
	}
	for _, p := range l.purges {
		isOf := p.scope == v.scope && p.key == v.env.Key
		isFuture := l.ends != 0 && v.env.TS > l.ends
		isSeen := content.VersionOf(v.env) <= p.upTo
		if isOf && (isSeen || !p.isSaid && l.isBeforeMark(v) || isFuture) {
			return true
		}
	}
	return (l.isBeforeMark(v) || l.isUnmarked()) && l.isReached(v)
}

// isUnmarked reports whether a purge has left no mark, also where it has followed a move.
func (l *life) isUnmarked() bool {
	return slices.ContainsFunc(l.purges, func(p *purge) bool { return p.isUnmarked })
}

// isReached reports whether a purge may have followed moves to the key of a version: that had a
// word which was purged elsewhere, also one that the purge had not seen, and took by its mark.
func (l *life) isReached(v *version) bool {
	for _, one := range l.versions {
		if one.scope != v.scope || one.env.Key != v.env.Key {
			continue
		}
		for _, word := range wordsOf(one.env) {
			for _, p := range l.purges {
				isOther := p.scope != v.scope || p.key != v.env.Key
				if isOther && (p.words[word] || l.isTaken(p, word)) || p.damaged[word] ||
					!isOther && p.words[word] && l.cameBack(p, word) {
					return true
				}
			}
		}
	}
	return false
}

// cameBack reports whether a purge has followed a move with a word, so that its mark there may have
// led another machine back to where it began.
func (l *life) cameBack(p *purge, word string) bool {
	for _, v := range l.versions {
		isOther := v.scope != p.scope || v.env.Key != p.key
		if isOther && strings.Contains(string(v.env.Content), word) && l.isBeforeMark(v) {
			return true
		}
	}
	return false
}

// isTaken reports whether a version of a purged key, which the mark may have taken, has a word.
func (l *life) isTaken(p *purge, word string) bool {
	for _, v := range l.versions {
		isOf := v.scope == p.scope && v.env.Key == p.key
		if isOf && strings.Contains(string(v.env.Content), word) && l.isBeforeMark(v) {
			return true
		}
	}
	return false
}

// isMark reports whether a version is the mark of a purge.
func (v *version) isMark() bool { return content.IsPurgeMark(log.Record{Envelope: v.env}) }

// isBeforeMark reports whether a version is older than the mark of a purge. One from the future may
// have got a time of now from a repair, before the purge came.
func (l *life) isBeforeMark(v *version) bool {
	isFuture := l.ends != 0 && v.env.TS > l.ends
	for _, mark := range l.versions {
		if mark.isMark() && mark.scope == v.scope && mark.env.Key == v.env.Key &&
			(v.env.TS < mark.env.TS || isFuture) {
			return true
		}
	}
	return false
}
