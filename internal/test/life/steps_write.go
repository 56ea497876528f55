package life

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

func (l *life) drawSet(m *machine) *act { return writeStep(l, m, l.drawScope(), l.drawKey()) }

// writeStep returns the act that sets a key.
func writeStep(l *life, m *machine, scope, key string, flags ...string) *act {
	word := l.word()
	args := []string{"set", key, fmt.Sprintf(`{"text":"text %s"}`, word), "-s", "me"}
	return &act{name: "set", at: scope, args: append(args, flags...),
		done: func(r result) { l.wrote(m, scope, key, word, r) }}
}

func (l *life) drawExpiring(m *machine) *act {
	days := pick(l, "days", []int{1, 30, 300})
	word, key, scope := l.word(), fmt.Sprintf("/expires/%d", days), l.drawScope()
	return &act{at: scope, args: []string{"set", key, "--text", "text " + word, "-s", "me",
		"--ttl", fmt.Sprintf("%dd", days)},
		done: func(r result) { l.wrote(m, scope, key, word, r) }}
}

// wrote checks that an acknowledged write is what the key holds.
func (l *life) wrote(m *machine, scope, key, word string, r result) {
	if r.code != 0 {
		return
	}
	s := l.open(m, scope)
	defer s.Close()
	rec, err := s.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
	if err != nil || !strings.Contains(string(rec.Content), word) {
		l.rt.Errorf("%s %s: wrote %s, got %s, %v", m.name, key, word, rec.Content, err)
	}
}

// aFile is a file in each project that notes name.
const aFile = "src/deploy.go"

func (l *life) drawNote(m *machine) *act {
	scope, word := l.drawScope(), l.word()
	text := "fact " + word
	if l.draw("names a file", 2) == 1 {
		text += " about " + aFile
	}
	args := []string{"note", text, "--json"}
	if scope == user {
		args = append(args, "--scope", "user")
	}
	return &act{at: scope, args: args, done: func(r result) {
		if r.code == 0 {
			l.noted(m, scope, word, r)
		}
	}}
}

// noted checks that the id of a new note was given to no other one.
func (l *life) noted(m *machine, scope, word string, r result) {
	var answer struct{ ID string }
	l.must(json.Unmarshal([]byte(r.out), &answer))
	key := "/note/workspace/" + answer.ID
	if scope == user {
		key = "/note/user/" + answer.ID
	}
	l.wrote(m, scope, key, word, r)
	id := scope + " " + answer.ID
	if strings.Count(answer.ID, "-") < 2 {
		id = m.name + " " + id // without letters it is an id of this machine
	}
	if old := l.notes[id]; old != "" {
		l.rt.Errorf("%s: the note %s was given to %s, and now to %s", m.name, id, old, word)
	}
	l.notes[id] = word
}

func (l *life) drawEdit(m *machine) *act {
	one := l.drawLive(m)
	if one == nil || len(wordsOf(one.rec.Envelope)) == 0 {
		return nil
	}
	word := l.word()
	l.must(os.Setenv("EDITOR", "sed -i s/"+wordsOf(one.rec.Envelope)[0]+"/"+word+"/"))
	a := on(one, "edit")
	a.done = func(r result) { l.wrote(m, one.scope, one.key(), word, r) }
	return a
}

func (l *life) drawTouch(m *machine) *act {
	n := l.between("importance", 1, 9)
	return on(l.drawLive(m), "touch", "--importance", fmt.Sprintf("0.%d", n))
}

func (l *life) drawPin(m *machine) *act { return on(l.drawLive(m), "pin", "--yes") }

func (l *life) drawRename(m *machine) *act { return on(l.drawLive(m), "mv", l.drawKey()) }

func (l *life) drawMerge(m *machine) *act {
	one, two := l.drawTwo(m)
	if one == nil {
		return nil
	}
	return on(one, "merge", two.key(), "--into", one.key())
}

func (l *life) drawSupersede(m *machine) *act {
	one, two := l.drawTwo(m)
	if one == nil {
		return nil
	}
	return on(one, "supersede", two.key())
}

// drawRefer stores a memory that refers to another one.
func (l *life) drawRefer(m *machine) *act {
	one := l.drawLive(m)
	if one == nil {
		return nil
	}
	key, word := l.drawKey(), l.word()
	return &act{at: one.scope, args: []string{"set", key, fmt.Sprintf(
		`{"text":"text %s","references":[%q]}`, word, one.key()), "-s", "me"},
		done: func(r result) { l.wrote(m, one.scope, key, word, r) }}
}

func (l *life) drawForget(m *machine) *act { return on(l.drawLive(m), "forget") }

func (l *life) drawUndo(m *machine) *act {
	scope, key := l.drawOnce(m)
	if key == "" {
		return nil
	}
	return &act{at: scope, args: []string{"undo", key, "--yes"}}
}

func (l *life) drawUndoLast(m *machine) *act {
	return &act{at: l.drawScope(), args: []string{"undo", "--last", "--yes"}}
}

func (l *life) drawMove(m *machine) *act {
	at := pick(l, "project", projects)
	one := l.drawLive(m)
	if one == nil {
		return nil
	}
	if one.scope != user {
		at = one.scope
	}
	to := "project"
	if one.scope != user {
		to = user
	}
	target := user
	if one.scope == user {
		target = at
	}
	before := l.wordsOfLive(m, target)
	return &act{at: at, args: []string{"move", one.key(), "--to", to, "--yes"},
		done: func(r result) {
			there, stays := l.wordsOfLive(m, target), l.isLive(m, one)
			for _, word := range wordsOf(one.rec.Envelope) {
				isBoth := stays && there[word] && !before[word]
				if r.code == 0 && isBoth && !r.isRegained() {
					l.rt.Errorf("%s: %s is in both layers after %s", m.name, word, r)
				}
			}
		}}
}

// wordsOfLive returns the words of the live memories of a scope.
func (l *life) wordsOfLive(m *machine, scope string) map[string]bool {
	found := map[string]bool{}
	for _, one := range l.live(m, scope) {
		for _, word := range wordsOf(one.rec.Envelope) {
			found[word] = true
		}
	}
	return found
}

// drawLink draws a second clone of a project, whose memories are moved to the store of the first.
func (l *life) drawLink(m *machine) *act {
	if m.isCloned {
		return nil
	}
	m.isCloned = true
	l.wake(m)
	clone, key, word := "p1-clone", "/linked/"+m.name, l.word()
	l.addRepository(filepath.Join(l.home(), clone), "p1")
	l.ok(m, clone, "set", key, fmt.Sprintf(`{"text":"text %s"}`, word), "-s", "me")
	return &act{at: clone, args: []string{"project", "link", "--yes"},
		done: func(r result) { l.wrote(m, "p1", key, word, r) }}
}

func (l *life) drawQuarantine(m *machine) *act {
	word := l.word()
	return &act{at: l.drawScope(), args: []string{"set", "/kb/a",
		fmt.Sprintf(`{"text":"text %s"}`, word), "-s", "me", "--on-untrusted", "quarantine"}}
}

// drawPropose draws a change that waits for a decision: a new text of a rule, or the pin that makes
// a memory one.
func (l *life) drawPropose(m *machine) *act {
	one := l.drawLive(m)
	if one == nil || !content.Parse(one.rec.Content).Pinned {
		return on(one, "pin", "--propose")
	}
	return on(one, "set", fmt.Sprintf(`{"text":"text %s"}`, l.word()), "-s", "me", "--propose")
}

func (l *life) drawApprove(m *machine) *act {
	return l.decide(m, "approve")
}

func (l *life) drawReject(m *machine) *act {
	return l.decide(m, "reject")
}

// decide draws a decision about a memory that waits for one.
func (l *life) decide(m *machine, verb string) *act {
	var list []memory
	for _, scope := range scopes {
		list = append(list, l.below(m, scope, keypath.Untrusted)...)
		list = append(list, l.below(m, scope, policy.Proposals)...)
	}
	if len(list) == 0 {
		return nil
	}
	one := pick(l, "waits", list)
	return on(&one, verb, "--yes")
}
