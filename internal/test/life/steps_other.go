package life

import (
	"fmt"
	"os"
	"path/filepath"
)

// other is a store of its own, beside the homes: in the name of another person, or of an earlier
// time. The ids of its notes have no letters, and no machine exchanges it.
func (l *life) other() string { return filepath.Join(l.dir, "other") }

// drawOther draws some writes to the other store, and an export of it.
func (l *life) drawOther(m *machine) *act {
	return &act{isLook: true, do: func() {
		for range l.between("writes", 1, 4) {
			l.writeOther(m)
		}
		one := export{l.file("export"), l.draw("all layers", 2) == 1}
		args := []string{"export", "--all", "--out", one.path}
		if one.isArchive {
			args = append(args, "--all-layers")
		}
		l.runOther(m, args...)
		l.exports = append(l.exports, one)
	}}
}

// runOther runs a verb on the other store. It may find nothing to be done.
func (l *life) runOther(m *machine, args ...string) {
	r := l.run(m, user, append(args, "--root", l.other())...)
	if r.code > 1 {
		l.rt.Fatalf("machine %s: exit %d: %s", m.name, r.code, r)
	}
}

func (l *life) writeOther(m *machine) {
	text := "text " + l.word()
	key := fmt.Sprintf("/k/%d", l.between("key", 0, 3))
	note := fmt.Sprintf("m-%d", l.between("note", 1, 3))
	switch pick(l, "write", []string{"set", "set", "note", "note", "refer", "edit", "forget",
		"purge", "undo", "tombstone", "artifact", "import", "import"}) {
	case "set":
		l.runOther(m, "set", key, fmt.Sprintf(`{"text":%q}`, text), "-s", "me")
	case "note":
		l.runOther(m, "note", text)
	case "refer":
		l.runOther(m, "set", key, fmt.Sprintf(`{"text":%q,"references":[%q]}`, text,
			"/note/workspace/"+note), "-s", "me")
	case "edit":
		l.must(os.Setenv("EDITOR", "sed -i s/w[0-9]*x/"+text[5:]+"/"))
		l.runOther(m, "edit", note)
	case "forget":
		l.runOther(m, "forget", note)
	case "tombstone":
		l.runOther(m, "forget", key)
	case "purge":
		l.runOther(m, "forget", note, "--purge", "--yes")
	case "undo":
		l.runOther(m, "undo", note)
	case "artifact":
		path := filepath.Join(l.dir, text[5:]+".txt")
		l.must(os.WriteFile(path, []byte("bytes of "+text), 0o600))
		l.runOther(m, "artifact", "add", path)
	case "import":
		l.importToOther(m)
	}
}

// importToOther draws the import of an export into the other store: where ids have no letters, a
// number that is taken is another note's.
func (l *life) importToOther(m *machine) {
	if len(l.exports) == 0 {
		return
	}
	args := []string{"import", pick(l, "export", l.exports).path, "--mine", "--yes", "--json",
		"--root", l.other()}
	if r := l.run(m, user, args...); r.code != 0 {
		return // a line may lie in the future
	}
	again := l.run(m, user, args...)
	if rep := importedBy(l, again); rep.New+rep.Changed > 0 {
		l.rt.Errorf("%s: a second import is not empty: %s", m.name, again)
	}
}
