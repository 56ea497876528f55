package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/test/testkit"
)

// What a person sees. Every verb runs with the real binary on a terminal of each width, in what
// testdata/terminal/prepare.sh has made, and its output is compared with testdata/terminal. "go
// test -run Terminal -update ." writes the files anew.

// columns are the widths of the terminals.
var columns = []uint16{50, 80, 120}

// onScreen is what is run of a verb. Those that only read come first, for each write has its own
// copy of the stores.
type onScreen struct {
	verb     string
	commands []string
	anyWidth bool // it prints what is stored, or is to be typed or copied, as it is
}

var readScreens = []onScreen{
	{"ls", []string{"ls", "ls -l", "ls /project --sort size", "ls --type decision --expired",
		"ls /untrusted", "ls -l --sort importance --limit 3", "ls --tag nosuch", "ls --pinned"}, false},
	{"search", []string{"search port", "search --why port database", "search --tag infra",
		"search nosuchword"}, false},
	{"notes", []string{"notes", "notes --tag nosuch"}, false},
	{"history", []string{"history /project/database", "history --limit 8",
		"history --prefix /nosuch"}, false},
	{"injections", []string{"injections", "injections --why", "injections --cost",
		"injections --cost --by client,conversation", "injections --cost --since 1h"}, false},
	{"ls_agent", []string{"ls --agent ada"}, true}, // the key of its hint is whole
	{"where", []string{"where"}, false},
	{"session", []string{"session list", "session show review_7"}, false},
	{"agent", []string{"agent list"}, false},
	{"config", []string{"config list --layer user"}, false},
	{"setup", []string{"setup"}, false},
	{"audit", []string{"audit", "audit --stale 10 --layer user"}, true},
	{"doctor", []string{"doctor"}, true},
	{"stat", []string{"stat --layer user"}, true},
	{"fsck", []string{"fsck"}, false},
	{"trust", []string{"trust --list"}, false},
	{"forget", []string{"forget --list", "forget --prefix /project --dry-run"}, false},
	{"get", []string{"get /project/database", "get /project/databse", "get /project"}, true},
	{"diff", []string{"diff /project/database",
		"diff /project/database '2026-02-19 10:00:00'"}, true},
	{"read", []string{"read --token-limit 60"}, true},
	{"query", []string{"query .key"}, true},
	{"export", []string{"export --prefix /user --layer user"}, true},
	{"prompt", []string{"prompt | head -n 3"}, true},
	{"bundle", []string{"bundle --session review_7 --agent ada --format text"}, true},
	{"version", []string{"version | wc -l"}, true},
	{"help", []string{"help", "help search", "serch port", "add 'a text'", "ls --limt 3"}, true},
	{"completion", []string{"completion bash | wc -l"}, true},
}

var writeScreens = []onScreen{
	{"set", []string{"set /project/new '\"x\"' -s chat", "set /project/new x -s chat"}, true},
	{"rm", []string{"rm /project/deplyo", "rm /project/deploy"}, true},
	{"approve", []string{"approve /project/spec --yes"}, true},
	{"off", []string{"off", "where"}, false},
	{"on", []string{"on", "on"}, false},
	{"reject", []string{"reject /project/spec"}, true},
	{"note", []string{"note 'a new one'", "note 'a new one' --pin --importance 9"}, true},
	{"journal", []string{"journal 'a thought' --agent ada"}, true},
	{"core", []string{"core 'a belief' --agent ada"}, true},
	{"import", []string{"import nosuch.jsonl"}, true},
	{"remember", []string{"remember review_7 'it works' --type finding",
		"remember the port"}, true},
	{"event", []string{"event --session review_7 --text hello"}, true},
	{"decide", []string{"decide 'we deploy on Tuesday' --ref /project/deploy"}, true},
	{"task", []string{"task 'write the docs'"}, true},
	{"handoff", []string{"handoff --session review_7 --to bob --agent ada 'it is done'"}, true},
	{"artifact", []string{"artifact get nosuch"}, true},
	{"edit", []string{"edit /project/nosuch"}, true},
	{"touch", []string{"touch /project/deploy --importance 0.9"}, true},
	{"mv", []string{"mv /project/deploy /project/release"}, true},
	{"merge", []string{"merge /project/deploy /project/family --into /project/both"}, true},
	{"supersede", []string{"supersede /project/family /project/deploy"}, true},
	{"pin", []string{"pin /project/deploy", "pin /project/deplyo", "pin --off /project/deploy",
		"pin --off /user/style"}, true},
	{"undo", []string{"undo /project/database --to '2026-02-19 10:00:00'",
		"undo /project/database --to '2026-02-20 10:00:00'"}, true},
	{"migrate", []string{"migrate"}, true},
	{"compact", []string{"compact"}, true},
	{"move", []string{"move /project/deploy --to user"}, true},
	{"copy", []string{"--root ~/one set /user/a 1 -s chat -q; mem copy ~/one ~/two --dry-run",
		"copy ~/one ~/two", "copy ~/two ~/nosuch/../two"}, false},
	{"init", []string{"init"}, true},
	{"project", []string{"project link", "project link nosuch", "version | wc -l; cp -r . ../again; " +
		"cd ../again; mem ls -q; mem ls; mem ls; mem project link --yes; mem ls --limit 1"}, true},
	{"memory-tool", []string{`memory-tool '{"command":"view","path":"/memories"}'`}, true},
}

// mute are the verbs that print nothing for a person, and those of memd, which serve others.
var mute = []string{"hook", "key", "mcp", "page", "serve", "space", "token"}

func TestTerminal(t *testing.T) {
	t.Parallel()
	bash := testkit.Program(t, "bash")
	testkit.Program(t, "git")
	d := &displays{bash: bash, bin: buildMem(t)}
	d.prepare(t)
	for _, s := range readScreens {
		t.Run(s.verb, func(t *testing.T) { d.compare(t, s, false) })
	}
	fsckAll(t, d.bin, d.home)
	d.keep(t)
	for _, s := range append(writeScreens, d.otherScreens(t)...) {
		t.Run(s.verb, func(t *testing.T) { d.compare(t, s, true) })
	}
}

// otherScreens returns a screen with its first example for each verb that the tables lack.
func (d *displays) otherScreens(t *testing.T) (list []onScreen) {
	for _, verb := range verbsBelow(t, d.bin) {
		is := func(s onScreen) bool { return s.verb == verb }
		if slices.Contains(mute, verb) || slices.ContainsFunc(readScreens, is) ||
			slices.ContainsFunc(writeScreens, is) {
			continue
		}
		_, examples, _ := strings.Cut(d.run(t, "help "+verb, 0), "\nExamples:\n  mem ")
		example, _, _ := strings.Cut(examples, "\n")
		list = append(list, onScreen{verb, []string{example}, true})
	}
	return list
}

// No help is wider than 80 columns, or than the terminal, but for what is to be typed.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	d := &displays{bash: testkit.Program(t, "bash"), bin: buildMem(t), home: t.TempDir()}
	out, err := exec.Command(filepath.Join(d.bin, "mem"), "__complete", "help", "").Output()
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for line := range strings.Lines(string(out)) {
		topic, _, isTopic := strings.Cut(line, "\t")
		if !isTopic {
			continue
		}
		pages++
		for _, width := range []int{0, 50} {
			section, text := "", d.run(t, "help "+topic, uint16(width))
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if line != "" && line[0] != ' ' {
					section = line
				}
				wide := term.Width(line) > 80 || width > 0 && term.Width(line) > width
				typed := section == "Examples:" && (width > 0 || !wide) ||
					strings.HasPrefix(line, "    ")
				if wide && !typed {
					t.Errorf("help %s, %d: %q", topic, width, line)
				}
			}
		}
	}
	if pages < 50 {
		t.Errorf("only %d pages", pages)
	}
}

// displays runs mem on terminals.
type displays struct{ bash, bin, home, kept string }

// prepare makes the stores. The home has a name that is as long each time, for it is shown.
func (d *displays) prepare(t *testing.T) {
	for n := os.Getpid(); d.home == ""; n++ { // one that was killed leaves its home
		home := fmt.Sprintf("/tmp/mem-%07d", n%10_000_000)
		if err := os.Mkdir(home, 0o700); err == nil {
			d.home = home
		} else if !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.RemoveAll(d.home) })
	script, err := filepath.Abs("testdata/terminal/prepare.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(d.bash, script)
	cmd.Dir, cmd.Env = d.home, sessionEnv(d.bin, d.home, "2026-02-22T10:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// keep sets the stores aside as they are.
func (d *displays) keep(t *testing.T) {
	d.kept = filepath.Join(t.TempDir(), "kept")
	if out, err := exec.Command("cp", "-a", d.home, d.kept).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// restore brings the stores back.
func (d *displays) restore(t *testing.T) {
	if err := os.RemoveAll(d.home); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", d.kept, d.home).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Colours say something, and are there for people alone, unless they are asked for.
func TestTerminalColours(t *testing.T) {
	t.Parallel()
	testkit.Program(t, "git")
	d := &displays{bash: testkit.Program(t, "bash"), bin: buildMem(t)}
	d.prepare(t)
	var out bytes.Buffer
	for _, command := range []string{"ls", "ls -l --layer user", "log --limit 4",
		"diff /project/database", "get /nosuch",
		"ls --color never --limit 1"} {
		shown := d.run(t, "--color auto "+command, 80, "NO_COLOR=")
		fmt.Fprintf(&out, "$ mem %s\n%s", command, masked(shown, d.home))
	}
	for _, command := range []string{"ls /untrusted --color always", "ls /untrusted"} {
		fmt.Fprintf(&out, "$ mem %s | cat\n%s", command, d.run(t, command, 0, "NO_COLOR="))
	}
	compareGolden(t, "testdata/terminal/colours.out",
		bytes.ReplaceAll(out.Bytes(), []byte("\x1b["), []byte("^[")))
}

// compare runs the commands of a verb at every width.
func (d *displays) compare(t *testing.T, s onScreen, writes bool) {
	var out bytes.Buffer
	for _, width := range columns {
		fmt.Fprintf(&out, "%s %d columns\n", strings.Repeat("=", int(width)-len("= 000 columns")), width)
		if writes {
			d.restore(t)
		}
		for _, command := range s.commands {
			shown := d.run(t, command, width)
			fmt.Fprintf(&out, "$ mem %s\n%s", command, masked(shown, d.home))
			for line := range strings.Lines(shown) {
				line = strings.TrimSuffix(line, "\n")
				if term.Width(line) > int(width) && !s.anyWidth &&
					!strings.HasPrefix(line, "mem: ") {
					t.Errorf("%d columns: %q", width, line)
				}
			}
		}
	}
	compareGolden(t, filepath.Join("testdata/terminal", s.verb+".out"), out.Bytes())
}

// run returns what a terminal of a width shows of a command; 0: what a pipe gets.
func (d *displays) run(t *testing.T, command string, width uint16, env ...string) string {
	t.Helper()
	cmd := exec.Command(d.bash, "-c", "cd app 2> /dev/null; mem "+command)
	cmd.Dir, cmd.Env = d.home, append(sessionEnv(d.bin, d.home, "2026-02-22T10:00:00Z"),
		"NO_COLOR=1", "PAGER=cat", "TERM=xterm")
	cmd.Env = append(cmd.Env, env...)
	if width == 0 {
		out, _ := cmd.CombinedOutput() // what it exits with is another test's
		return string(out)
	}
	master, slave := testkit.Terminal(t, width)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, master) // it ends in an error when nobody has the terminal any more
	_ = cmd.Wait()
	return strings.ReplaceAll(shown.String(), "\r\n", "\n")
}

// masked returns what a terminal has shown without what is another each time.
func masked(shown, home string) string {
	shown = strings.ReplaceAll(shown, home, "/home/of-you")
	for _, m := range []struct{ what, by string }{
		{`app-[0-9a-f]{8}`, "app-01234567"}, {`identity [0-9a-f]{8}`, "identity 01234567"},
		{`project link [0-9a-f]{8}`, "project link 01234567"},
		{`(-[0-9]+)-[a-z]{6}\b`, "$1-xxxxxx"},
		// Letters make a token more or less.
		{`\b3[01][0-9]\b`, "310"},
		{`[0-9A-HJKMNP-TV-Z]{26}`, "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		{`(?m)^.*: (disk|space)\b.*\n(      \S.*\n)?`, ""},
	} {
		shown = regexp.MustCompile(m.what).ReplaceAllString(shown, m.by)
	}
	return shown
}
