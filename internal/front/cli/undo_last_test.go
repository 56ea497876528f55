package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// undoWorld is a home with a project, or with one root, and a store beside them.
type undoWorld struct {
	t     rapid.TB
	roots []string
	other string
	n     int
}

// newUndoWorld makes a world below base, with memories of every kind in it.
func newUndoWorld(t rapid.TB, base string, layered bool) *undoWorld {
	home, err := os.MkdirTemp(base, "home-")
	must(t, err)
	app := filepath.Join(home, "app")
	for _, dir := range []string{"refs", "objects"} {
		must(t, os.MkdirAll(filepath.Join(app, ".git", dir), 0o700))
	}
	head := []byte("ref: refs/heads/main\n")
	must(t, os.WriteFile(filepath.Join(app, ".git", "HEAD"), head, 0o600))
	must(t, os.Chdir(app))
	must(t, os.Setenv("HOME", home))
	one := ""
	if !layered {
		one = filepath.Join(home, "one")
	}
	must(t, os.Setenv("MEM_ROOT", one))
	sites, err := site.Find(one, app, func(string) string { return "" })
	must(t, err)
	w := &undoWorld{t: t, other: filepath.Join(home, "other")}
	for _, one := range sites.List() {
		w.roots = append(w.roots, one.Root)
	}
	w.roots = append(w.roots, w.other)
	w.ready(`{"key":"/p/a","content":{"text":"a word"},"source":"chat"}
{"key":"/p/b","content":"plain","source":{"kind":"web","name":"x",`+
		`"retrieved_at":"2026-01-01T00:00:00Z","locator":{"url":"https://example.org"}}}
{"key":"/p/c","content":{"text":"c","tags":["x"],"created_at":"2026-01-01T00:00:00Z"},`+
		`"source":"chat"}
{"key":"/user/a","content":{"type":"preference","text":"a rule"},"source":"me"}
{"key":"/user/b","content":{"text":"b"},"source":{"kind":"user","name":"me"}}
`, "set", "-", "--yes")
	w.ready("", "set", "/p/b", `{"text":"newer"}`, "-s", "chat")
	w.ready("", "note", "a note")
	w.ready("", "note", "a note of the user", "--scope", "user")
	w.ready("", "pin", "/p/a")
	w.ready("", "set", "/kb/port", "8080", "-s", "web", "--on-untrusted", "quarantine")
	w.ready("", "set", "/kb/host", `{"text":"h"}`, "-s", "web", "--on-untrusted", "quarantine")
	if code, said := w.client("set", "/user/a", "--text", "another", "--propose"); code != 0 {
		t.Fatal(said)
	}
	if layered {
		w.ready("", "--layer", "user", "set", "/p/stray", `{"text":"of no project"}`, "-s", "chat")
	}
	w.ready("", "--root", w.other, "set", "/o/x", `{"text":"x"}`, "-s", "chat")
	w.ready("", "--root", w.other, "note", "an other note")
	return w
}

func must(t rapid.TB, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func (w *undoWorld) run(args ...string) (code int) { return w.in("", args...) }

func (w *undoWorld) in(stdin string, args ...string) int {
	code, _ := w.says(stdin, args...)
	return code
}

func (w *undoWorld) says(stdin string, args ...string) (int, string) {
	var out bytes.Buffer
	code := cli.Run(args, strings.NewReader(stdin), &out, &out, app.Build{Program: "mem"})
	return code, out.String()
}

// ready runs a command that has to succeed.
func (w *undoWorld) ready(stdin string, args ...string) {
	if code, said := w.says(stdin, args...); code != 0 {
		w.t.Fatal(args, said)
	}
}

// client runs a command as a coding agent does.
func (w *undoWorld) client(args ...string) (int, string) {
	must(w.t, os.Setenv("CLAUDECODE", "1"))
	defer os.Unsetenv("CLAUDECODE")
	return w.says("", args...)
}

// live returns what each store has, without what an undo may change: the spelling of a source, and
// the member that names the edit.
func (w *undoWorld) live() map[string]string {
	state := map[string]string{}
	for i, root := range w.roots {
		s, err := mem.Open(root, mem.Options{})
		must(w.t, err)
		newest := map[keypath.Key]log.Record{}
		must(w.t, s.Everything(context.Background(), func(rec log.Record) error {
			if old, ok := newest[rec.Key]; !ok || rec.Wins(old) {
				newest[rec.Key] = rec.Clone()
			}
			return nil
		}))
		must(w.t, s.Close())
		for key, rec := range newest {
			if rec.Valid() {
				state[fmt.Sprintf("%d %s", i, key)] = normal(rec)
			}
		}
	}
	return state
}

func normal(rec log.Record) string {
	source := content.SourceMembers(rec.Source).DropName("edited").Object()
	text, when := string(rec.Content), ""
	if text[0] == '{' {
		text = string(jsontext.ParseMembers(rec.Content).DropName("created_at").Object())
		f := content.Parse(rec.Content)
		when = f.Time(rec.TS).String()
	}
	return fmt.Sprintf("%s %s %s", text, source, when)
}

// keys returns the keys of a store that begin with one of these texts.
func (w *undoWorld) keys(at int, prefixes ...string) (list []string) {
	for key := range w.live() {
		in, name, _ := strings.Cut(key, " ")
		if in == fmt.Sprint(at) && slices.ContainsFunc(prefixes, func(p string) bool {
			return strings.HasPrefix(name, p)
		}) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// drawKey returns a live key of the stores of the call.
func (w *undoWorld) drawKey(t *rapid.T) string {
	var list []string
	for i := range w.roots[:len(w.roots)-1] {
		list = append(list, w.keys(i, "/p/", "/user/", "/note/", "/o/", "/kb/")...)
	}
	if len(list) == 0 {
		return "/p/a"
	}
	return rapid.SampledFrom(list).Draw(t, "key")
}

// drawText returns a content that was not there before.
func (w *undoWorld) drawText(t *rapid.T) string {
	w.n++
	return rapid.SampledFrom([]string{`{"text":"new %d"}`, `"new %d"`,
		`{"type":"preference","text":"new %d"}`,
		`{"tags":[],"text":"new %d","created_at":"2025-01-01T00:00:00Z"}`}).Draw(t, "text")
}

type writing struct {
	name string
	run  func(*undoWorld, *rapid.T) int
}

func verb(name string, args ...string) writing {
	return writing{name, func(w *undoWorld, t *rapid.T) int {
		list := strings.Fields(strings.Split(name, ",")[0])
		for _, arg := range args {
			switch arg {
			case "KEY":
				arg = w.drawKey(t)
			case "TEXT":
				arg = fmt.Sprintf(w.drawText(t), w.n)
			case "WORDS":
				w.n++
				arg = fmt.Sprintf("words %d that nobody has said %d", w.n, w.n*w.n)
			case "NEW":
				w.n++
				arg = rapid.SampledFrom([]string{"/p/new%d", "/user/new%d"}).Draw(t, "new")
				arg = fmt.Sprintf(arg, w.n)
			case "OTHER":
				arg = w.other
			case "PROPOSAL":
				arg = strings.TrimPrefix(append(w.keys(0, "/untrusted/proposal/"), append(
					w.keys(1, "/untrusted/proposal/"), "p-000000")...)[0], "/untrusted/proposal/")
			}
			list = append(list, arg)
		}
		return w.run(append(list, "--yes")...)
	}}
}

// lines is a batch on both layers, some lines with a time.
func lines(name string, args ...string) writing {
	return writing{name, func(w *undoWorld, t *rapid.T) int {
		w.n++
		text := ""
		for _, key := range []string{"/p/a", "/user/a", fmt.Sprintf("/p/i%d", w.n),
			fmt.Sprintf("/user/i%d", w.n), "/p/c"} {
			ts := rapid.SampledFrom([]string{"", `,"ts":"2026-02-02T00:00:00.000000Z"`}).Draw(t, "ts")
			value := fmt.Sprintf(w.drawText(t), w.n)
			text += fmt.Sprintf("{\"key\":%q,\"content\":%s,\"source\":\"chat\"%s}\n", key,
				value, ts)
		}
		return w.in(text, append(args, "--yes")...)
	}}
}

var writings = []writing{
	verb("set", "KEY", "TEXT", "-s", "chat"), verb("set, new", "NEW", "TEXT", "-s", "chat"),
	lines("set -", "set", "-"), lines("import", "import", "-"),
	lines("import --mine", "import", "-", "--mine"),
	verb("rm", "KEY"), verb("rm, two", "/p/a", "/user/a"),
	verb("note", "WORDS"), verb("note, replaces", "WORDS", "--replaces", "KEY"),
	verb("note, user", "WORDS", "--scope", "user"),
	verb("edit", "KEY"), verb("touch", "KEY", "--tag", "+t"),
	verb("touch, two", "/p/a", "/user/b", "--tag", "+u"), verb("pin", "KEY"),
	verb("pin --off", "/p/a"), verb("mv", "KEY", "NEW"), verb("merge", "KEY", "KEY", "--into",
		"NEW"),
	verb("supersede", "KEY", "KEY"), verb("undo", "KEY"), verb("undo --last"),
	verb("forget", "KEY"), verb("forget, two", "/p/a", "/user/a", "/p/c"),
	verb("forget --prefix", "/"), verb("forget --prefix, all", "/", "--all"),
	verb("move", "KEY", "--to", "project"), verb("move, user", "KEY", "--to", "user"),
	verb("move --unfiled"), verb("move --from", "OTHER", "--to", "project"),
	verb("move --from, user", "OTHER", "--to", "user"),
	verb("approve", "/kb/port"), verb("approve, live", "KEY"), verb("approve, proposal",
		"PROPOSAL"),
	verb("reject", "/kb/host"), verb("reject, proposal", "PROPOSAL"),
	verb("set, quarantined", "/kb/new", "TEXT", "-s", "web", "--on-untrusted", "quarantine"),
	{"propose", func(w *undoWorld, t *rapid.T) int {
		w.n++
		code, _ := w.client("set", "/user/a", "--text", fmt.Sprintf("proposed %d", w.n),
			"--propose")
		return code
	}},
}

// undoBase returns the directory of the worlds of a test, to which the environment is set.
func undoBase(t *testing.T) string {
	base, err := os.MkdirTemp("/dev/shm", "mem-test-")
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	base, err = filepath.EvalSymlinks(base)
	must(t, err)
	for _, name := range []string{"HOME", "MEM_ROOT", "MEM_AGENT", "CLAUDECODE", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
		must(t, os.Unsetenv(name))
	}
	t.Setenv("EDITOR", `sed -i s/[a-z]*o[a-z]*/edited/`)
	t.Chdir(base)
	return base
}

// After a command and mem undo --last every store is as before, after a second one as after the
// command; a client's undo of what a person did changes nothing.
func TestUndoLastOfEveryVerb(t *testing.T) {
	base := undoBase(t)
	ran := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newUndoWorld(t, base, rapid.IntRange(0, 2).Draw(t, "layered") > 0)
		for range rapid.IntRange(3, 6).Draw(t, "commands") {
			// Rapid prefers the first of a list.
			one := writings[rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "verb"),
				0)).IntN(len(writings))]
			before := w.live()
			code := one.run(w, t)
			after := w.live()
			if maps.Equal(before, after) {
				continue
			}
			ran[one.name]++
			w.client("undo", "--last")
			if one.name != "propose" {
				w.equals(one.name+", undone by a client", w.rules(after), w.rules(w.live()))
				if w.live(); !maps.Equal(after, w.live()) {
					continue // it was a client's to undo
				}
			}
			times := rapid.IntRange(3, 4).Draw(t, "undos") // it stays undone, or done
			for i, want := range []map[string]string{before, after, before, after}[:times] {
				if code, said := w.says("", "undo", "--last"); code != 0 {
					t.Fatalf("%s, undo %d: %s", one.name, i, said)
				}
				w.equals(fmt.Sprintf("%s (exit %d), undo %d", one.name, code, i), want, w.live())
			}
		}
		for _, root := range w.roots {
			if code, said := w.says("", "--root", root, "fsck"); code != 0 {
				t.Fatal(root, said)
			}
		}
	})
	for _, one := range writings {
		t.Logf("%-22s %d", one.name, ran[one.name])
	}
}

// rules returns the lines of a state that claim to be rules.
func (w *undoWorld) rules(state map[string]string) map[string]string {
	found := maps.Clone(state)
	maps.DeleteFunc(found, func(_, text string) bool {
		return !strings.Contains(text, "preference") || strings.Contains(text, `"claimed"`)
	})
	return found
}

func (w *undoWorld) equals(what string, want, got map[string]string) {
	if maps.Equal(want, got) {
		return
	}
	for key, text := range want {
		if got[key] != text {
			w.t.Errorf("%s: %s: %s, want %s", what, key, got[key], text)
		}
	}
	for key, text := range got {
		if want[key] == "" {
			w.t.Errorf("%s: %s: %s, want none", what, key, text)
		}
	}
	w.t.FailNow()
}
