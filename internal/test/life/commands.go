package life

import (
	"maps"
	"slices"
	"strings"
)

// command is what a verb wrote to the memories of a machine.
type command struct {
	name   string
	keys   map[string]bool // with their scopes
	isSure bool            // its journal has it, as the last, and an undo takes it back
}

// concerns reports whether a command wrote to the user's memory, or to that of a project. A move
// is in the journal of both, also where one has all of it already.
func (c command) concerns(scope string) bool {
	if c.name == "move" {
		return true
	}
	for name := range c.keys {
		if strings.HasPrefix(name, user+" ") || strings.HasPrefix(name, scope+" ") {
			return true
		}
	}
	return false
}

// noteCommand notes what a verb wrote, and holds the undo of a command against the last one.
func (l *life) noteCommand(m *machine, a *act, r result, s *taken) {
	l.checkWrote(m, a, r, s)
	if strings.HasPrefix(a.name, "sync") || a.isLook || len(s.gained) == 0 {
		return
	}
	if a.name == "undo --last" && s.isAcknowledged && !r.isRegained() && !s.endsAnother {
		l.checkUndone(m, a, s)
	}
	isJournaled := r.code == 0 && !r.isKilled && !r.isFull && !r.isRegained() &&
		a.name != "restore"
	m.commands = append(m.commands, command{a.name, s.gained, isJournaled})
}

// mayWriteNothing are the steps that may have nothing to do.
var mayWriteNothing = []string{"compact", "fsck", "repair", "import", "link", "copy", "purge",
	"purge of a text", "propose", moveFromOther}

// checkWrote checks that a person's verb that ends with 0, wrote a line, or says why not.
func (l *life) checkWrote(m *machine, a *act, r result, s *taken) {
	// What was cut off, as an undo, may be done again.
	isNothing := s.isPersons && r.code == 0 && !r.isFull && len(s.gained)+len(m.cut) == 0
	isSaid := strings.Contains(r.err, "warning") || strings.Contains(r.err, "nothing changed")
	if isNothing && !isSaid && !slices.Contains(mayWriteNothing, a.name) {
		l.rt.Errorf("%s: %s has written nothing: %s", m.name, a.name, r)
	}
}

// forgetCommands notes that journals may have lost the commands, as where a store is put back to an
// earlier state.
func (m *machine) forgetCommands() {
	for i := range m.commands {
		m.commands[i].isSure = false
	}
}

// checkUndone checks that an undo of the last command concerns no key but those of that.
func (l *life) checkUndone(m *machine, a *act, s *taken) {
	for _, c := range slices.Backward(m.commands) {
		if !c.concerns(a.at) {
			continue
		}
		for key := range s.gained {
			if c.isSure && !c.keys[key] {
				l.rt.Errorf("%s: the undo of the last command, %s of %v, wrote %s", m.name, c.name,
					slices.Sorted(maps.Keys(c.keys)), key)
			}
		}
		return
	}
}

// owed are words that a verb which was killed between two stores took from both.
type owed struct {
	at    string
	words map[string]bool
}

// wordsAt returns the words of the live memories of the user and of a project.
func (l *life) wordsAt(m *machine, scope string) map[string]bool {
	found := map[string]bool{}
	for _, in := range slices.Compact([]string{user, scope}) {
		maps.Copy(found, l.wordsOfLive(m, in))
	}
	return found
}

// noteOwed notes which memories a killed move, or a killed undo of one, left in neither store; the
// next verb there brings them back.
func (l *life) noteOwed(m *machine, a *act, r result, before map[string]bool) {
	after := l.wordsAt(m, a.at)
	isMove := a.name == "move"
	if a.name == "undo --last" && len(m.commands) > 0 {
		isMove = m.commands[len(m.commands)-1].name == "move"
	}
	switch {
	case m.owed.at == a.at && r.code == 0:
		for word := range m.owed.words {
			if !after[word] && a.name == "set" {
				l.rt.Errorf("%s: a killed verb left %s in neither store", m.name, word)
			}
		}
		m.owed = owed{}
	case isMove && r.isKilled:
		maps.DeleteFunc(before, func(word string, _ bool) bool { return after[word] })
		m.owed = owed{a.at, before}
	}
}
