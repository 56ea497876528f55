package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
)

// One byte changed anywhere in log, archive, state, index, checkpoint or watermark is found, and so
// is a line that is gone from the state. A repair then brings back what the store said before; a
// second one finds nothing new and changes nothing.
func TestFsckFindsEveryChangedLetter(t *testing.T) {
	t.Parallel()
	step := testkit.Extent(53, 13, 1)
	l := &letters{t: t, root: filepath.Join(storetest.Dir(t), "memory")}
	l.make()
	n := 0
	for _, name := range l.files() {
		clean, swept := l.read(name), 0
		for at := n % step; at < len(clean); at += step {
			for _, to := range replacements(clean[at], n, step) {
				if n++; readsTheSame(name, clean[at], to) {
					continue
				}
				swept++
				d := changedByte{name: name, at: at, was: clean}
				l.damaged(d, clean[:at]+string([]byte{to})+clean[at+1:], n%5 == 0)
			}
		}
		l.write(name, clean)
		if swept < len(clean)/step*9/10 {
			t.Errorf("%s: of %d bytes only %d were changed", name, len(clean), swept)
		}
	}
	lines := strings.SplitAfter(l.read("state.jsonl"), "\n")
	for i := range len(lines) - 1 {
		l.damaged(changedByte{name: "state.jsonl"}, strings.Join(append(append([]string{}, lines[:i]...),
			lines[i+1:]...), ""), true)
		l.write("state.jsonl", strings.Join(lines, ""))
	}
	t.Logf("%d letters, %d repairs, %d lines", n, l.repairs, len(lines)-1)
	if n < 3700/step || l.repairs < n/7 || len(lines) < 4 {
		t.Error("that is too little")
	}
}

// replacements returns what the byte becomes: its neighbour, itself in the other case, a space;
// where not every byte is swept, one of them in turn.
func replacements(c byte, n, step int) (to []byte) {
	for _, r := range []byte{c ^ 1, c ^ ' ', ' '} {
		if r != c {
			to = append(to, r)
		}
	}
	if step > 1 {
		return to[n%len(to) : n%len(to)+1]
	}
	return to
}

// readsTheSame reports whether a change is none to a reader: white space between the members of an
// index file, which people and their editors lay out as they like. Its checksum is of the line, and
// there is no line break within a JSON string. Everywhere else a line break ends a record.
func readsTheSame(name string, from, to byte) bool {
	return strings.HasPrefix(name, "index/") && from == '\n' && to == ' '
}

// changedByte is one byte of a file that is changed; was is the file before. A line that is gone
// has none.
type changedByte struct {
	name string
	at   int
	was  string
}

// hit returns the lines that the change makes unreadable: a changed line break joins two.
func (d changedByte) hit() (lines []string) {
	from := 0
	for line := range strings.Lines(d.was) {
		to := from + len(line)
		if from <= d.at && d.at < to || from == d.at+1 && d.was[d.at] == '\n' {
			lines = append(lines, strings.TrimSpace(line))
		}
		from = to
	}
	return lines
}

// follower is the file that a change may show in instead: what follows from the changed one. A last
// line of the log that has only lost its line break is whole, and the next write adds one.
func (d changedByte) follower(size int) string {
	switch {
	case d.name == "state.jsonl":
		return "checkpoint.json"
	case d.name == "log.jsonl" && d.at == size-1:
		return "watermark"
	}
	return d.name
}

// hitsTombstone reports whether it is the line by which /gone was voided: there is no other copy.
func (d changedByte) hitsTombstone() bool {
	return d.name == "log.jsonl" && slices.ContainsFunc(d.hit(),
		func(line string) bool { return strings.HasPrefix(line, `{"key":"/gone"`) })
}

type letters struct {
	t       *testing.T
	root    string
	repairs int
	lines   []string // that were written
}

// liveLetters is what the store holds. Each of these has a sound copy besides any one that is
// damaged.
var liveLetters = map[string]string{"/a/b": `{"text":"a newer value","n":13}`, "/c": `"archived"`,
	"/d": `["in","the","log"]`, "/tail": `"behind the checkpoint"`}

// files are those that are swept.
func (l *letters) files() []string {
	files := []string{"log.jsonl", l.archive(), "state.jsonl", "checkpoint.json", "watermark"}
	for _, key := range slices.Sorted(maps.Keys(liveLetters)) {
		files = append(files, "index/"+string(keypath.MustParse(key).Path()))
	}
	return files
}

func (l *letters) open() *mem.Store {
	l.t.Helper()
	f := &fixture{&storetest.Store{T: l.t, Root: l.root, Clock: noon}}
	f.Open()
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
	for line := range history(l.t, s) {
		l.lines = append(l.lines, line)
	}
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
func (l *letters) damaged(d changedByte, text string, repair bool) {
	l.t.Helper()
	l.write(d.name, text)
	s := l.open()
	defer s.Close()
	rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	found := false
	for _, f := range rep.Found {
		found = found || f.File == d.name || f.File == d.follower(len(text))
	}
	if err != nil || !found {
		l.t.Errorf("%s changed at %d, %q: fsck finds %v (%v)", d.name, d.at,
			text[max(0, d.at-20):min(len(text), d.at+20)], rep.Found, err)
	}
	if repair {
		l.repairs++
		l.repaired(d)
	}
}

func (l *letters) repaired(d changedByte) {
	l.t.Helper()
	what := fmt.Sprintf("%s changed at %d", d.name, d.at)
	c := &letters{t: l.t, root: filepath.Join(storetest.Dir(l.t), "memory")}
	if err := os.CopyFS(c.root, os.DirFS(l.root)); err != nil {
		l.t.Fatal(err)
	}
	s := c.open()
	defer s.Close()
	c.repair(s, d, what)
	lines := history(l.t, s)
	live, err := contents(s)
	for key, content := range liveLetters {
		if live[key] != content {
			l.t.Errorf("%s: after a repair %s is %q, want %q (%v)", what, key, live[key], content,
				err)
		}
	}
	for _, line := range l.lines {
		if !lines[line] && !slices.Contains(d.hit(), line) {
			l.t.Errorf("%s: after a repair the history lacks %s", what, line)
		}
	}
	if _, risen := live["/gone"]; risen && !d.hitsTombstone() {
		l.t.Errorf("%s: what was voided is back", what)
	}
	before := c.tree()
	if c.repair(s, d, what+": a second repair"); c.tree() != before {
		l.t.Errorf("%s: a second repair changes something", what)
	}
}

// repair repairs. Nothing is left but that an archive is not what it was: that is for people.
func (l *letters) repair(s *mem.Store, d changedByte, what string) {
	l.t.Helper()
	rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	for _, f := range rep.Left {
		if f.File != d.name || !strings.HasPrefix(d.name, "archive/") {
			l.t.Errorf("%s: left: %v", what, f)
		}
	}
	if err != nil {
		l.t.Errorf("%s: %v", what, err)
	}
}

// tree is every file but journal and lock, with its bytes; but for the watermark too, which is of
// the next generation after each repair of a store whose archive is not what it was.
func (l *letters) tree() string {
	var all strings.Builder
	filepath.WalkDir(l.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() &&
			!slices.Contains([]string{"ops.jsonl", "lock", "watermark"}, d.Name()) {
			text, _ := os.ReadFile(path)
			all.WriteString(path + "\n" + string(text))
		}
		return nil
	})
	return all.String()
}
