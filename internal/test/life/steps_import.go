package life

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// export is a file that a person has exported.
type export struct {
	path      string
	isArchive bool
}

// drawExport draws an export of all layers, or of one.
func (l *life) drawExport(m *machine) *act {
	scope := l.drawScope()
	one := export{l.file("export"), l.draw("all layers", 2) == 1}
	args := []string{"export", "--all", "--out", one.path}
	if one.isArchive {
		args = append(args, "--all-layers")
	}
	return &act{at: scope, args: args, isLook: true, done: func(r result) {
		if r.code == 0 {
			l.exports = append(l.exports, one)
		}
		if r.code == 0 && one.isArchive {
			l.checkDeletions(m, scope, one)
		}
	}}
}

// checkDeletions checks that an archive has the deletions of the memories that are deleted.
func (l *life) checkDeletions(m *machine, at string, one export) {
	text, err := os.ReadFile(one.path)
	l.must(err)
	for _, scope := range slices.Compact([]string{user, at}) {
		newest := map[keypath.Key]log.Envelope{}
		for _, e := range m.has[scope] {
			if old, ok := newest[e.Key]; !ok || e.TS > old.TS {
				newest[e.Key] = e
			}
		}
		for _, e := range newest {
			isMark := content.IsPurgeMark(log.Record{Envelope: e})
			waits := e.Key.Untrusted() || policy.IsProposal(e.Key)
			if !e.Valid() && !isMark && !waits && !bytes.Contains(text, e.Line()) {
				l.rt.Errorf("%s: %s lacks %s", m.name, one.path, e.Line())
			}
		}
	}
}

// drawExported draws a file that was exported, and where it is imported; nil if there is none.
func (l *life) drawExported() (*export, string) {
	if len(l.exports) == 0 {
		return nil, ""
	}
	one := pick(l, "export", l.exports)
	return &one, l.drawScope()
}

func (l *life) drawImport(m *machine) *act {
	one, scope := l.drawExported()
	if one == nil {
		return nil
	}
	return l.importing(m, scope, *one, "--mine")
}

// drawImportOtherwise draws an import with other options; where nothing was exported, an export.
func (l *life) drawImportOtherwise(m *machine) *act {
	one, scope := l.drawExported()
	if one == nil {
		a := l.drawExport(m)
		a.name = "export"
		return a
	}
	return l.importing(m, scope, *one, pick(l, "options", [][]string{{}, {"--keep-going"},
		{"--prefix", "/below"}, {"--mine", "--prefix", "/below/it"}, {"--mine", "--force"}})...)
}

// importing returns the act of an import. A dry run before, if it is drawn, foretells it.
func (l *life) importing(m *machine, at string, one export, options ...string) *act {
	args := append([]string{"import", one.path, "--yes", "--json"}, options...)
	a := &act{at: at, args: args, isCarried: true, isImport: true}
	var said *imported
	isOneStore := one.isArchive && at == user // the parts of an archive follow each other there
	endsAnother := isHalfDone(l.files(m))     // which changes what there is to compare with
	if l.draw("dry run", 3) == 1 && !isOneStore && !endsAnother {
		if r := l.run(m, at, append(slices.Clone(args), "--dry-run")...); r.code == 0 {
			said = importedBy(l, r)
		}
	}
	a.done = func(r result) {
		if r.code == 0 {
			l.checkImported(m, a, one, r, said)
		}
	}
	return a
}

// imported is what an import says.
type imported struct {
	New, Changed, Unchanged, Stale, Purged, Refused, Facts, Absent int

	Renamed   []struct{}
	Kept      []string
	Conflicts []string
}

func importedBy(l *life, r result) *imported {
	rep := &imported{}
	l.must(json.Unmarshal([]byte(r.out), rep))
	return rep
}

// checkImported checks that an import is what the dry run said, that the machine has had what the
// file says, and that the same import again writes nothing.
func (l *life) checkImported(m *machine, a *act, one export, r result, said *imported) {
	rep := importedBy(l, r)
	if said != nil {
		said.Absent = rep.Absent // known once all is stored
	}
	if said != nil && fmt.Sprint(*said) != fmt.Sprint(*rep) {
		l.rt.Errorf("%s: a dry run says %+v, and the import %+v", m.name, *said, *rep)
	}
	if isWhole := rep.Stale+rep.Refused+len(rep.Kept) == 0; isWhole && !one.isArchive {
		text, err := os.ReadFile(one.path)
		l.must(err)
		l.checkBrought(m, a.at, text)
		if !slices.Contains(a.args, "--prefix") {
			l.checkFollowed(m, a.at, text)
		}
	}
	if one.isArchive {
		l.checkBytes(m, one, rep.Absent)
	}
	before := l.countLines(m)
	again := l.run(m, a.at, a.args...)
	if rep := importedBy(l, again); rep.New+rep.Changed > 0 || l.countLines(m) != before {
		l.rt.Errorf("%s: a second import is not empty: %s", m.name, again)
	}
}

var artifactOf = regexp.MustCompile(`"sha256":"([0-9a-f]{64})"`)

// checkBytes checks that no more artifacts lack their bytes than those of which an archive has
// none.
func (l *life) checkBytes(m *machine, one export, absent int) {
	text, err := os.ReadFile(one.path)
	if err != nil {
		return // a folder has none
	}
	for _, sum := range artifactOf.FindAllSubmatch(text, -1) {
		if !bytes.Contains(text, append([]byte("artifacts/"), sum[1]...)) {
			absent--
		}
	}
	if absent > 0 {
		l.rt.Errorf("%s: the bytes of %d artifacts of %s are missing", m.name, absent, one.path)
	}
}

// countLines counts the lines of the memories of a machine.
func (l *life) countLines(m *machine) (n int) {
	for _, scope := range scopes {
		n += len(l.history(m, scope))
	}
	return n
}

// checkBrought checks that a memory has had the words of a text.
func (l *life) checkBrought(m *machine, scope string, text []byte) {
	var all bytes.Buffer
	for _, e := range l.history(m, scope) {
		all.Write(e.Content)
	}
	for _, word := range words.FindAll(text, -1) {
		if !bytes.Contains(all.Bytes(), word) {
			l.rt.Errorf("%s: an import into %s lacks %s", m.name, scope, word)
		}
	}
}

// checkFollowed checks that memories which refer to others of a file do so where they are now.
func (l *life) checkFollowed(m *machine, scope string, text []byte) {
	isThere, isIn := map[string]bool{}, map[string]bool{}
	var file []log.Envelope
	for line := range bytes.Lines(text) {
		if e, err := log.Decode(bytes.TrimSpace(line)); err == nil {
			file = append(file, e)
			isIn[e.Key.String()] = e.Valid()
		}
	}
	live := l.live(m, scope)
	for _, one := range live {
		isThere[one.key()] = true
	}
	for _, e := range file {
		links := linksOf(e.Content)
		if !slices.ContainsFunc(links, func(link string) bool { return isIn[link] }) {
			continue
		}
		for _, one := range live {
			now := linksOf(one.rec.Content)
			if !slices.Equal(wordsOf(one.rec.Envelope), wordsOf(e)) || len(now) != len(links) {
				continue
			}
			for i, link := range now {
				if isIn[links[i]] && !isThere[link] {
					l.rt.Errorf("%s: %s, imported, refers to %s", m.name, one.key(), link)
				}
			}
		}
	}
}

// drawImportOfAll draws that a person brings all archives home, the newest first.
func (l *life) drawImportOfAll(m *machine) *act {
	if len(l.exports) < 2 {
		return nil
	}
	return &act{isCarried: true, isImport: true, do: func() {
		for _, one := range slices.Backward(l.exports) {
			if one.isArchive {
				r := l.run(m, "p1", "import", one.path, "--mine", "--yes")
				if r.code != 0 && !strings.Contains(r.err, "lies in the future") {
					l.rt.Fatalf("machine %s: %s", m.name, r)
				}
			}
		}
	}}
}

// drawCutImport draws the import of a file that was cut, or to whose end something was added.
func (l *life) drawCutImport(m *machine) *act {
	one, scope := l.drawExported()
	if one == nil {
		return nil
	}
	text, err := os.ReadFile(one.path)
	l.must(err)
	const end = 1024 // two blocks of zeros
	n := l.between("bytes", 0, max(0, len(text)-end-1))
	switch {
	case l.draw("longer", 3) == 1:
		text = append(text, "{this is no line"...)
	case !one.isArchive && (n == 0 || n < len(text) && text[n-1] == '\n'):
		return nil // a shorter export
	default:
		text = text[:n]
	}
	path := l.file("cut")
	l.must(os.WriteFile(path, text, 0o600))
	args := []string{"import", path, "--mine", "--yes"}
	if !one.isArchive && l.draw("keep going", 2) == 1 {
		args = append(args, "--keep-going")
	}
	return &act{at: scope, args: args, isCarried: true, isImport: true,
		done: func(r result) {
			if r.code == 0 {
				l.rt.Errorf("a file of which %d of %d bytes are there: %s", n, len(text), r)
			}
		}}
}

// drawLines draws the import of a list that a person keeps by hand, of lines without a time: new
// memories, what a key said before, or the list as it was.
func (l *life) drawLines(m *machine) *act {
	scope := l.drawScope()
	path := filepath.Join(l.dir, fmt.Sprintf("list%d.jsonl", l.draw("list", 2)))
	_, err := os.Stat(path)
	fresh := ""
	if err != nil || l.draw("as it was", 3) > 0 {
		var text []byte
		byKey := map[string]string{}
		for range l.between("lines", 1, 3) {
			key, content := l.drawKey(), fmt.Sprintf(`{"text":"text %s"}`, l.word())
			if old := l.drawSaid(m, scope, key); old != "" {
				content = old
			} else {
				byKey[key] = content
			}
			if content == byKey[key] || byKey[key] == "" {
				text = fmt.Appendf(text, "{\"key\":%q,\"content\":%s}\n", key, content)
			}
		}
		for _, content := range byKey {
			fresh += content
		}
		l.must(os.WriteFile(path, text, 0o600))
	}
	a := l.importing(m, scope, export{path: path})
	check := a.done
	a.done = func(r result) {
		if check(r); r.code == 0 && len(importedBy(l, r).Kept) == 0 {
			l.checkAlive(m, scope, fresh)
		}
	}
	return a
}

// drawSaid draws something that a key of a machine has said; "" for nothing.
func (l *life) drawSaid(m *machine, scope, key string) string {
	var said []log.Envelope
	for _, e := range m.has[scope].sorted() {
		if e.Key.String() == key && e.Valid() {
			said = append(said, e)
		}
	}
	if len(said) == 0 || l.draw("said before", 3) > 0 {
		return ""
	}
	return string(pick(l, "said", said).Content)
}

// checkAlive checks that the words of a text are in live memories.
func (l *life) checkAlive(m *machine, scope, text string) {
	have := l.wordsAt(m, scope)
	for _, word := range words.FindAllString(text, -1) {
		if !have[word] {
			l.rt.Errorf("%s: nothing in %s says %s, which was imported", m.name, scope, word)
		}
	}
}
