package mem_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// One letter changed inside any value of log, archive, state or index file is found, and so is a
// line that is gone from the state. A repair then brings back what the store said before, but for
// what only the damaged line said; a second repair finds nothing to do.
func TestFsckFindsEveryChangedLetter(t *testing.T) {
	step := 23
	if long() {
		step = 1
	}
	l := &letters{t: t, root: filepath.Join(quickDir(t), "memory")}
	l.make()
	files := []string{"log.jsonl", "state.jsonl",
		"index/" + string(keypath.MustParse("/a/b").Path()), l.archive()}
	n := 0
	for _, name := range files {
		clean := l.read(name)
		for at := n % step; at < len(clean); at += step {
			if !letter(clean[at]) || inName(clean, at) {
				continue
			}
			changed := clean[:at] + string(clean[at]^1) + clean[at+1:]
			l.damaged(name, changed, at, n%7 == 0, inSeal(clean, at))
			l.write(name, clean)
			n++
		}
	}
	lines := strings.SplitAfter(l.read("state.jsonl"), "\n")
	for i := range len(lines) - 1 {
		l.damaged("state.jsonl", strings.Join(append(append([]string{}, lines[:i]...),
			lines[i+1:]...), ""), i, true, false)
		l.write("state.jsonl", strings.Join(lines, ""))
	}
	t.Logf("%d letters, %d lines", n, len(lines)-1)
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// inName reports whether a place lies in one of the two member names without which a line still
// says the same: it is then read as one that was written by hand.
func inName(text string, at int) bool {
	for _, name := range []string{`"valid"`, `"checksum"`} {
		if strings.Contains(text[max(0, at-len(name)+2):min(len(text), at+len(name)-1)], name) {
			return true
		}
	}
	return false
}

// inSeal reports whether a place in a file of lines lies in a line's checksum: with it changed no
// copy is known to be the line's, and what only that line had is quarantined.
func inSeal(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1:]
	return strings.Index(line, `,"checksum"`) <= at-(len(text)-len(line))
}

type letters struct {
	t    *testing.T
	root string
}

func (l *letters) open() *mem.Store {
	l.t.Helper()
	f := &fixture{t: l.t, root: l.root, now: noon}
	f.open()
	return f.Store
}

func (l *letters) make() {
	s := l.open()
	defer s.Close()
	write := func(pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			if err := set(s, pairs[i], pairs[i+1]); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	write("/a/b", `{"text":"an old value","n":12}`, "/c", `"archived"`, "/gone", `"for a while"`)
	l.write("config.json", `{"rotate":{"lines":3,"bytes":100000}}`)
	l.compact()
	l.write("config.json", `{}`)
	write("/d", `["in","the","log"]`, "/gone", "null", "/a/b", `{"text":"a newer value","n":13}`)
	l.compact()
	write("/tail", `"behind the checkpoint"`)
}

// compact does it with the configuration of now.
func (l *letters) compact() {
	s := l.open()
	defer s.Close()
	if _, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *letters) archive() string {
	entries, err := os.ReadDir(filepath.Join(l.root, "archive"))
	if err != nil || len(entries) != 1 {
		l.t.Fatalf("%v, %v", entries, err)
	}
	return "archive/" + entries[0].Name()
}

func (l *letters) read(name string) string {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join(l.root, name))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(text)
}

// write changes a file in place: it keeps its inode.
func (l *letters) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.root, name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// damaged checks that fsck finds what is wrong with a file. The repair is tried on a copy.
func (l *letters) damaged(name, text string, at int, repair, sealed bool) {
	l.t.Helper()
	l.write(name, text)
	s := l.open()
	defer s.Close()
	rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	found := false
	for _, f := range rep.Found {
		found = found || f.File == name || name == "state.jsonl" && f.Name == "checkpoint"
	}
	if err != nil || !found {
		l.t.Errorf("%s changed at %d: fsck finds %v (%v)", name, at, rep.Found, err)
	}
	if repair {
		l.repaired(name, at, sealed)
	}
}

func (l *letters) repaired(name string, at int, sealed bool) {
	l.t.Helper()
	c := &letters{t: l.t, root: filepath.Join(quickDir(l.t), "memory")}
	if err := os.CopyFS(c.root, os.DirFS(l.root)); err != nil {
		l.t.Fatal(err)
	}
	s := c.open()
	defer s.Close()
	rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	if err != nil || len(rep.Left) > 0 {
		l.t.Errorf("%s changed at %d: repair leaves %v (%v)", name, at, rep.Left, err)
	}
	live, err := contents(s)
	want := map[string]string{"/a/b": `{"text":"a newer value","n":13}`, "/c": `"archived"`, "/d": `["in","the","log"]`, "/tail": `"behind the checkpoint"`}
	for key, content := range want {
		if live[key] != content && !(sealed && strings.HasSuffix(name, "l")) {
			l.t.Errorf("%s changed at %d: after a repair %s is %q, want %q (%v)", name, at, key,
				live[key], content, err)
		}
	}
	if _, risen := live["/gone"]; risen && name != "log.jsonl" {
		l.t.Errorf("%s changed at %d: what was voided is back", name, at)
	}
	before := c.tree()
	if rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true}); err != nil ||
		len(rep.Found) > 0 || c.tree() != before {
		l.t.Errorf("%s changed at %d: a second repair finds %v (%v)", name, at, rep.Found, err)
	}
}

// tree is every file but the journal, with its bytes.
func (l *letters) tree() string {
	var all strings.Builder
	filepath.WalkDir(l.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "ops.jsonl" && d.Name() != "lock" {
			text, _ := os.ReadFile(path)
			all.WriteString(path + "\n" + string(text))
		}
		return nil
	})
	return all.String()
}
