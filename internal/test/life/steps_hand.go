package life

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// drawForgetText draws the deletion of all memories with a text.
func (l *life) drawForgetText(m *machine) *act {
	one := l.drawLive(m)
	if one == nil || len(wordsOf(one.rec.Envelope)) == 0 {
		return nil
	}
	word := wordsOf(one.rec.Envelope)[0]
	return &act{at: one.scope, args: []string{"forget", "--grep", word, "--all", "--yes",
		"--reason", "it is wrong"}, done: func(r result) {
		if r.code == 0 && l.wordsAt(m, one.scope)[word] {
			l.rt.Errorf("%s: %s is live after %s", m.name, word, r)
		}
	}}
}

// drawUndoTo draws that an older version of a key comes back.
func (l *life) drawUndoTo(m *machine) *act {
	scope, key := l.drawOnce(m)
	var was []log.Envelope
	for _, e := range m.has[scope].sorted() {
		isLasting := content.Member(e.Content, "expired_at") == nil
		if e.Key.String() == key && e.Valid() && isLasting {
			was = append(was, e)
		}
	}
	if len(was) == 0 {
		return nil
	}
	e := pick(l, "version", was)
	return &act{at: scope, args: []string{"undo", key, "--to", e.TS.String(), "--yes"},
		done: func(r result) {
			have := l.wordsAt(m, scope)
			for _, word := range wordsOf(e) {
				if r.code == 0 && !m.isHarmed && !have[word] { // a damaged purge may end
					l.rt.Errorf("%s: %s is not live after %s", m.name, word, r)
				}
			}
		}}
}

// drawHandEdit draws that a person edits or removes a file of the index, and has that adopted.
func (l *life) drawHandEdit(m *machine) *act {
	one := l.drawLive(m)
	if one == nil || len(wordsOf(one.rec.Envelope)) == 0 {
		return nil
	}
	was, word := wordsOf(one.rec.Envelope)[0], l.word()
	l.wake(m)
	name := filepath.Join(index.DirName, string(one.rec.Key.Path()))
	file := filepath.Join(l.root(one.scope), name)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), was) {
		return nil
	}
	layer := "project"
	if one.scope == user {
		layer = user
	}
	a := &act{at: one.scope, args: []string{"fsck", "--adopt", "--layer", layer, "--yes"}}
	if l.draw("by its name", 2) == 1 {
		a.args = append(a.args, file)
		if l.draw("removed", 2) == 1 {
			l.must(os.Remove(file))
			a.done = func(r result) {
				if r.code == 0 && l.isLive(m, one) {
					l.rt.Errorf("%s: %s lives on after %s", m.name, one.key(), r)
				}
			}
			return a
		}
	}
	text = bytes.ReplaceAll(text, []byte(was), []byte(word))
	l.must(os.WriteFile(file, text, 0o600))
	a.done = func(r result) { l.wrote(m, one.scope, one.key(), word, r) }
	return a
}

// isLive reports whether a memory is live.
func (l *life) isLive(m *machine, one *memory) bool {
	return slices.ContainsFunc(l.live(m, one.scope), func(now memory) bool {
		return now.rec.Key == one.rec.Key
	})
}

// drawArtifact draws that a file is kept, whose name and text have a word.
func (l *life) drawArtifact(m *machine) *act {
	path := filepath.Join(l.dir, l.word()+".txt")
	l.must(os.WriteFile(path, []byte("bytes "+filepath.Base(path)), 0o600))
	return &act{at: l.drawScope(), args: []string{"artifact", "add", path}}
}

// moveFromOther is the name of a step, whose versions may have their old times.
const moveFromOther = "move from the other store"

// drawMoveFromOther draws that a project takes in what the other store has.
func (l *life) drawMoveFromOther(m *machine) *act {
	if _, err := os.Stat(filepath.Join(l.other(), log.File)); err != nil {
		return nil
	}
	at := pick(l, "project", projects)
	to := pick(l, "layer", []string{"project", "project", user})
	before := l.wordsOfOther(m)
	return &act{at: at, args: []string{"move", "--from", l.other(), "--to", to, "--yes"},
		done: func(r result) {
			after, stayed := l.wordsAt(m, at), l.wordsOfOther(m)
			for word := range before {
				if r.code == 0 && !after[word] && !stayed[word] {
					l.rt.Errorf("%s: %s is in neither store after %s", m.name, word, r)
				}
			}
		}}
}

// wordsOfOther returns the words of the live memories of the other store.
func (l *life) wordsOfOther(m *machine) map[string]bool {
	found := map[string]bool{}
	for _, word := range words.FindAllString(l.run(m, user, "export", "--root", l.other()).out,
		-1) {
		found[word] = true
	}
	return found
}

// drawFolder draws one of the folders of Claude Code that a person keeps.
func (l *life) drawFolder() string {
	return filepath.Join(l.dir, fmt.Sprintf("folder%d", l.draw("folder", 2)))
}

// drawImportOfFolder draws the import of a folder, to which a person may have added something.
func (l *life) drawImportOfFolder(m *machine) *act {
	dir := l.drawFolder()
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	return l.importing(m, l.drawScope(), export{dir, true})
}

// drawExportToFolder draws an export to a folder, to which a person may add something before.
func (l *life) drawExportToFolder(m *machine) *act {
	scope, dir := l.drawScope(), l.drawFolder()
	files := below(dir)
	word := ""
	if len(files) > 0 && l.draw("changed", 3) == 1 {
		word = l.word()
		file := pick(l, "file", files)
		text, err := os.ReadFile(file)
		l.must(err)
		l.must(os.WriteFile(file, append(text, "\nadded "+word+"\n"...), 0o600))
	}
	args := []string{"export", "--format", "claude-memory", "--out", dir}
	return &act{at: scope, args: args, isLook: true, done: func(r result) {
		var all []byte
		for _, file := range below(dir) {
			text, err := os.ReadFile(file)
			l.must(err)
			all = append(all, text...)
		}
		if !bytes.Contains(all, []byte(word)) {
			l.rt.Errorf("%s: what a person has added is gone after %s", m.name, r)
		}
		for _, one := range l.live(m, scope) {
			isIn := one.rec.Key.Class() != keypath.Artifact &&
				content.Successor(one.rec.Content) == ""
			for _, word := range wordsOf(one.rec.Envelope) {
				if r.code == 0 && isIn && !bytes.Contains(all, []byte(word)) {
					l.rt.Errorf("%s: %s lacks %s of %s", m.name, dir, word, one.key())
				}
			}
		}
	}}
}

// drawCareless draws what a careless copy does to a file of a memory: others may read it, or what
// another program has begun to write is at the end of the log. The next write or repair sets that
// right.
func (l *life) drawCareless(m *machine) *act {
	scope := l.drawScope()
	if len(m.has[scope]) == 0 {
		return nil
	}
	l.wake(m)
	file := filepath.Join(l.root(scope), log.File)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	isTorn := l.draw("torn", 2) == 1
	return &act{isLook: true, do: func() {
		if isTorn {
			text = append(text, `{"key":"/k/0","ts":"2020-02-`...)
			l.must(os.WriteFile(file, text, 0o600))
		}
		l.must(os.Chmod(file, 0o644))
		if r := l.run(m, scope, "fsck"); r.code != 1 {
			l.rt.Errorf("%s: fsck does not name a torn or open log: %s", m.name, r)
		}
	}}
}
