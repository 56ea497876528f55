//go:build linux

package e2e

// The console sessions on PostgreSQL: a script that names its store "memory" prints the same where
// that is a space of a database, but for the lines that look into files.
//
// Lines of a script for this runner:
//
//	COMMAND # files            leave the line out, with what it prints: it looks into files
//	# postgres: no (WHY)       leave the script out
//	# postgres: yes            run it, though it names no store "memory"

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
)

// ofFiles are the words of lines that are about the files of a store. A line that ends in lookHere
// is left out on PostgreSQL, with what it prints.
var ofFiles = []string{"memory/", "index/", "log.jsonl", "cd memory", "find memory", "ls memory",
	"mkdir memory"}

const lookHere = " # files"

// Most of these sessions have a pooler that gives each command a session of the server: the server
// starts a process for a new one, which costs more than what a command asks of it. One of each
// direct has no pooler between.
const direct = 8

// leastOnPostgres is how many scripts must run.
var leastOnPostgres = testkit.Extent(8, 30, 105)

func TestGoldenOnPostgres(t *testing.T) {
	bash := testkit.Program(t, "bash")
	server := pgtest.Shared(t)
	t.Cleanup(pgtest.Stop)
	bin := buildMem(t)
	straight := server.Database(t)
	runMem(t, bin, "migrate", "--root", straight, "-q")
	pooled := straight
	if _, err := exec.LookPath("pgbouncer"); err == nil {
		pooled = server.Pooled(t, straight, "session", 100)
	}
	ran := 0
	scripts := oneForEachVerb(t, bin, sessionsOnPostgres(t))
	for i, one := range testkit.Sample(t, scripts, 4, 12) {
		ran++
		space, url := fmt.Sprintf("g%d", i), pooled
		if ran%direct == 0 {
			url = straight
		}
		t.Run(one.name(), func(t *testing.T) {
			t.Parallel()
			runElsewhere(t, bash, bin, one.path, one.text, elsewhere{name: "PostgreSQL",
				at: storeInSpace, add: func(name string) string {
					own := space + "_" + name
					runMem(t, bin, "space", "add", own, "--no-role", "--root", url, "-q")
					return url + "&space=" + own
				}, files: func(store string) string { return store }})
		})
	}
	if ran < leastOnPostgres {
		t.Errorf("%d scripts ran, want at least %d", ran, leastOnPostgres)
	}
}

// session is a script of testdata/golden.
type session struct {
	path string
	text []byte
}

func (s session) name() string { return strings.TrimSuffix(filepath.Base(s.path), ".sh") }

// typed returns the commands of a session while its store is on PostgreSQL.
func (s session) typed() string {
	there, _, _ := strings.Cut(string(withoutLooks(s.text)), "unset MEM_ROOT")
	return there
}

// sessionsOnPostgres returns the scripts that run on PostgreSQL.
func sessionsOnPostgres(t *testing.T) (list []session) {
	t.Helper()
	scripts, err := filepath.Glob("testdata/golden/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		on, err := onPostgres(string(text))
		if err != nil {
			t.Errorf("%s: %v", script, err)
		}
		if on {
			list = append(list, session{script, text})
		}
	}
	return list
}

// oneForEachVerb returns the sessions that show a verb which none before them shows, or in a long
// sweep all: what a verb does on each kind of store is that of the storetest suite, and a session
// shows that the program gets there.
func oneForEachVerb(t *testing.T, bin string, sessions []session) (list []session) {
	t.Helper()
	if testkit.Extent(false, false, true) {
		return sessions
	}
	left := allVerbs(t, bin)
	for _, one := range sessions {
		typed, before := one.typed(), len(left)
		left = slices.DeleteFunc(left, func(verb string) bool { return isTyped(typed, verb) })
		if len(left) < before {
			list = append(list, one)
		}
	}
	return list
}

// onPostgres reports whether a script runs on PostgreSQL: one that names its memory does, unless it
// says why not. A line about files in it must be marked.
func onPostgres(text string) (bool, error) {
	said := directive([]byte(text), "postgres")
	if strings.HasPrefix(said, "no") && !strings.HasPrefix(said, "no (") {
		return false, errors.New("want a line # postgres: no (WHY)")
	}
	if said != "yes" && (said != "" || !strings.Contains(text, "MEM_ROOT=memory")) {
		return false, nil
	}
	for line := range strings.Lines(text) {
		for _, word := range ofFiles {
			if strings.Contains(line, word) && !looksHere(line) {
				return false, fmt.Errorf("want %q at the end of %q, or # postgres: no (WHY)",
					lookHere, line)
			}
		}
	}
	return true, nil
}

func looksHere(line string) bool {
	return strings.HasSuffix(strings.TrimSuffix(line, "\n"), lookHere)
}

// rootNamed is where a script names a store: each is a space of its own.
var rootNamed = regexp.MustCompile(
	`(--root |MEM_ROOT=|mem copy (?:\$STORE_[a-z]+ )?)([a-z]+)\b`)

// elsewhere is where the stores of a script are, besides files below its home.
type elsewhere struct {
	name  string
	add   func(name string) (address string)         // makes a store
	files func(address string) (root string)         // names the store for fsck
	env   func(addresses map[string]string) []string // nil: none
	at    *regexp.Regexp                             // how mem names a store of a script
	plain func(out []byte) []byte                    // takes out what differs there; nil: nothing
}

// storesFor makes the stores of a script, and returns it with their addresses in variables, and
// these.
func (e elsewhere) storesFor(text []byte) ([]byte, map[string]string) {
	stores := map[string]string{}
	for range 2 { // a copy names two
		text = rootNamed.ReplaceAllFunc(text, func(found []byte) []byte {
			m := rootNamed.FindSubmatch(found)
			name := string(m[2])
			if stores[name] == "" {
				stores[name] = e.add(name)
			}
			return []byte(string(m[1]) + "$STORE_" + name)
		})
	}
	return text, stores
}

// withoutLooks returns a script without the lines that are marked with lookHere.
func withoutLooks(script []byte) []byte {
	var b strings.Builder
	for line := range strings.Lines(string(script)) {
		if !looksHere(line) {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

// withoutLooked returns the transcript of a script without the marked lines, and without what each
// has printed.
func withoutLooked(script, transcript []byte) []byte {
	var b strings.Builder
	typed := strings.SplitAfter(string(script), "\n")
	keep := true
	for line := range strings.SplitAfterSeq(string(transcript), "\n") {
		at := typed[0]
		if line == at || line == "$ "+at || line == "> "+at {
			keep = !looksHere(at)
			if len(typed) > 1 {
				typed = typed[1:]
			}
		}
		if keep {
			b.WriteString(line)
		}
	}
	return []byte(b.String())
}

func runMem(t *testing.T, bin string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "mem"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mem %v: %v\n%s", args, err, out)
	}
}

func runElsewhere(t *testing.T, bash, bin, script string, text []byte, e elsewhere) {
	for _, tool := range strings.Fields(directive(text, "needs")) {
		testkit.Program(t, tool)
	}
	home := homeFor(t, text)
	typed := withoutLooks(text)
	moved, stores := e.storesFor(typed)
	own := filepath.Join(t.TempDir(), "script.sh")
	if err := os.WriteFile(own, moved, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "-v", own)
	cmd.Dir = home
	cmd.Env = sessionEnv(bin, home, "2026-02-22T10:00:00Z")
	for name, store := range stores {
		cmd.Env = append(cmd.Env, "STORE_"+name+"="+store)
	}
	if e.env != nil {
		cmd.Env = append(cmd.Env, e.env(stores)...)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", script, err)
	}
	out = bytes.ReplaceAll(out, []byte(home), []byte("/home/you"))
	if e.plain != nil {
		out = e.plain(out)
	}
	out = storeNamed.ReplaceAll(e.at.ReplaceAll(out, []byte("$1")), []byte("$1"))
	got := withoutFiles(maskLetters(transcript(typed, out)))
	want, err := os.ReadFile(strings.TrimSuffix(script, ".sh") + ".out")
	if err != nil {
		t.Fatal(err)
	}
	if e.plain != nil {
		want = e.plain(want)
	}
	samePrinted(t, e.name, withoutFiles(withoutLooked(text, want)), got)
	for name, store := range stores {
		if directive(text, "fsck") == "dirty" {
			break
		}
		fsck := exec.Command(filepath.Join(bin, "mem"), "fsck", "--root", e.files(store))
		fsck.Env = sessionEnv(bin, home, later)
		if out, err := fsck.CombinedOutput(); err != nil {
			t.Errorf("fsck of %s: %v\n%s", name, err, out)
		}
	}
}

func samePrinted(t *testing.T, where string, want, got []byte) {
	t.Helper()
	printed := filepath.Join(t.TempDir(), "got")
	if err := os.WriteFile(printed, got, 0o600); err != nil {
		t.Fatal(err)
	}
	diff := exec.Command("diff", "-U0", "-", printed)
	diff.Stdin = bytes.NewReader(want)
	if out, err := diff.CombinedOutput(); err != nil {
		t.Errorf("on %s it prints:\n%s", where, out)
	}
}

// storeNamed is how a script that runs elsewhere names a store, and storeInSpace how mem does.
var (
	storeNamed   = regexp.MustCompile(`\$STORE_([a-z]+)`)
	storeInSpace = regexp.MustCompile(`'?postgres://[^ "']*space=g[0-9]+_([a-z]+)'?`)
)

// What a transcript says of the files of a store, or of the server, and what stands there for both.
var alike = []struct {
	said *regexp.Regexp
	both string
}{
	// There may be no store of files yet, and a space is made before all.
	{regexp.MustCompile(`(?m)^mem: (warning: (no store at [a-z]+ yet|MEM_ROOT: [a-z]+ is a ` +
		`relative path: .*)|no memories|no sessions|nothing found|no injections|no agent has ` +
		`entries|agent ada has no (active entries|entries yet: .*))$\n`), ""},
	{regexp.MustCompile(`(?m)^\{.*"message":"no store at [a-z]+ yet".*\}$\n`), ""},
	{regexp.MustCompile(`/home/you/(memory|other)\b`), "$1"},
	{regexp.MustCompile(`,"path":"memory/index/[^"]*"`), ""},
	{regexp.MustCompile(`,"path"([],])`), "$1"},
	// A server keeps neither state nor archive, and brings its tables up to a version.
	{regexp.MustCompile(`(?m)^(state  |archive  ).*\n`), ""},
	{regexp.MustCompile(`"state_bytes":[0-9]+`), `"state_bytes":N`},
	{regexp.MustCompile(`(?m)^mem: the tables have this version\n`), ""},
	{regexp.MustCompile(`(?m)^([0-9]+ lines? folded in, .*|this machine's copy .* is folded)$`),
		"folded"},
	// What a purge looks into.
	{regexp.MustCompile(`(?m)^proved: .* hold nothing of it$`), "proved"},
	{regexp.MustCompile(`(?m)^not looked into: (the server's free space|journals on|the copy on) .*\n`),
		""},
	{regexp.MustCompile(`"beyond":\["the server's free space[^]]*\]`), `"beyond":[]`},
	{regexp.MustCompile(`(?m)\t(log\.jsonl|artifacts/[0-9a-f]+|mem\.envelopes)$`), "\tFILE"},
}

var fileOfKey = regexp.MustCompile(`memory/index/[^"\n]*?@[0-9a-f]{6}\.json`)

// withoutFiles returns a transcript as it is where a memory has no file: there is its key instead.
func withoutFiles(text []byte) []byte {
	for _, a := range alike {
		text = a.said.ReplaceAll(text, []byte(a.both))
	}
	return fileOfKey.ReplaceAllFunc(text, func(path []byte) []byte {
		key, exact, err := keypath.Decode(keypath.RelPath(strings.TrimPrefix(string(path),
			"memory/index/")))
		if err != nil || !exact {
			return path
		}
		return []byte(key.String())
	})
}
