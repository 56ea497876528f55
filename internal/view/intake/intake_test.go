package intake_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// fixture is a person's home with a repository in work.
type fixture struct {
	*testing.T
	home, app string
	env       map[string]string
	box       *inbox.Inbox
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, home: home, app: filepath.Join(home, "app")}
	f.env = map[string]string{"XDG_DATA_HOME": home + "/data", "XDG_STATE_HOME": home + "/state"}
	f.must(os.MkdirAll(f.app, 0o700))
	f.git("init", "-q")
	f.box = inbox.In(home+"/state/mem", time.Now)
	t.Cleanup(f.fsck)
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) git(args ...string) {
	f.Helper()
	cmd := exec.Command("git", append([]string{"-C", f.app, "-c", "user.name=a", "-c",
		"user.email=a@b.c"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("git %v: %s", args, out)
	}
}

// layers returns the stores of the repository.
func (f *fixture) layers() *layers.Layers {
	f.Helper()
	sites, err := site.Find("", f.app, func(name string) string { return f.env[name] })
	f.must(err)
	l := layers.New(sites, func(*site.Site) mem.Options {
		return mem.Options{Now: time.Now, LockWait: time.Second}
	})
	f.Cleanup(func() { l.Close() })
	return l
}

func (f *fixture) fsck() {
	l := f.layers()
	for _, one := range l.Sites.List() {
		s, err := l.Open(one)
		f.must(err)
		if rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{}); err != nil ||
			len(rep.Found) > 0 {
			f.Errorf("%s: fsck: %v, %v", one.Root, rep.Found, err)
		}
	}
}

// take takes a prompt of a conversation that began.
func (f *fixture) take(text string, typed bool) string {
	f.Helper()
	l := f.layers()
	f.must(intake.Begin(ctx, l, f.box, inbox.Session{Client: "claude-code", Session: "s1",
		Folder: f.app}))
	taken, err := intake.Take(ctx, l, mem.Caller{Channel: "hook", Session: "s1"}, f.box,
		intake.Prompted{Client: "claude-code", Session: "s1", Text: text, Typed: typed})
	f.must(err)
	if stored := strings.HasPrefix(taken.ToPerson, "stored") || strings.HasPrefix(taken.ToPerson,
		"known"); stored != strings.HasPrefix(taken.ToModel, "mem keeps that") {
		f.Errorf("the person: %q, the model: %q", taken.ToPerson, taken.ToModel)
	}
	return letters.ReplaceAllString(taken.ToPerson, "$1")
}

// letters matches those of the id of a note, which are others each time.
var letters = regexp.MustCompile(`\b([mu]-[0-9]+)-[a-z]{6}\b`)

// note returns the key of a note of the project.
func (f *fixture) note(id string) keypath.Key {
	f.Helper()
	key, err := note.Resolve(ctx, f.project(), mem.Caller{}, id)
	f.must(err)
	return key
}

// waiting returns the classes and texts that wait.
func (f *fixture) waiting() string {
	f.Helper()
	list, err := f.box.List()
	f.must(err)
	var all []string
	for _, p := range list {
		all = append(all, p.Class+": "+p.Text)
	}
	return strings.Join(all, "; ")
}

const asks = "Remember that the staging database listens on port 5433"

// A typed request is stored at once where one person alone has the store; anything else waits.
func TestTake(t *testing.T) {
	const fact = "the staging database listens on port 5433"
	for name, c := range map[string]struct {
		prepare func(*fixture)
		text    string
		typed   bool
		said    string // a part of it
		waits   string
	}{
		"typed":     {nil, asks, true, "stored m-1: " + fact, ""},
		"not typed": {nil, asks, false, "", "request: " + fact},
		"a secret": {nil, "Remember that the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789",
			true, "not stored: ", ""},
		"a secret, not typed": {nil,
			"Remember that the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789", false, "", ""},
		"a question": {nil, "Should we always squash?", true, "", ""},
		"a refused form": {nil, asks + " @docs/db.md", true,
			"not stored, since it has the form of a command", ""},
		"a refused form, not typed": {nil, asks + " @docs/db.md", false, "", ""},
		"settings that cannot be read": {func(f *fixture) {
			f.take("Remember that tea is green", true)
			l := f.layers()
			f.must(os.WriteFile(filepath.Join(l.Sites.Project.Root, "config.json"), []byte("{"),
				0o600))
			f.Cleanup(func() { os.Remove(filepath.Join(l.Sites.Project.Root, "config.json")) })
		}, asks, true, "not stored: config.json", ""},
		"a correction": {nil, "No, use pnpm, not npm", true,
			"proposed: No, use pnpm, not npm (store it: ", "correction: "},
		"a correction, not typed": {nil, "No, use pnpm, not npm", false, "", "correction: "},
		"a password": {nil, "Remember that my password is Mango-77x-Tree", true,
			"not stored: text appears to contain a secret", ""},
		"a page of passwords": {nil, "Remember that the two-factor page is slow", true,
			"not stored, since it has words of secrets or of checks that are turned off: " +
				"mem note TEXT keeps it", ""},
		"of the client": {nil, "<task-notification>\n" + asks, true, "", ""},
		"with a paste": {nil, asks + "\n\n<pasted_content id=\"1\">\nx", true, "",
			"request: " + fact},
		"with a file": {nil, asks + "\n--- Content from referenced files ---\nx", true, "",
			"request: " + fact},
		"the user's own": {nil, "Remember that I work from Lisbon", true,
			"stored u-1 for all projects: ", ""},
		"a rule": {nil, "From now on run make fmt before every commit", true, "stored m-1 as a " +
			"fact; mem pin m-1 makes it a rule: From now on run", "rule: From now on run"},
		"the user's own rule": {nil, "I prefer tabs to spaces", true, "stored u-1 as a fact for " +
			"all projects; mem pin u-1 makes it a rule: ", "rule: I prefer tabs to spaces"},
		"a rule without proposals": {func(f *fixture) {
			f.configure(`{"capture":{"propose":false}}`)
		}, "Never squash merges here", true, "stored m-1 as a fact; mem pin m-1 makes", ""},
		"not at once": {func(f *fixture) { f.configure(`{"capture":{"user":false}}`) }, asks, true,
			"proposed", "request: " + fact},
		"not at all": {func(f *fixture) {
			f.configure(`{"capture":{"user":false,"propose":false}}`)
		}, asks, true, "", ""},
		"at once alone": {func(f *fixture) { f.configure(`{"capture":{"propose":false}}`) }, asks,
			false, "", ""},
		"git tracks the store": {func(f *fixture) { f.share(true) }, asks, true, "proposed",
			"request: " + fact},
		"git tracks a named store": {func(f *fixture) {
			f.env["MEM_ROOT"] = f.app + "/memory"
			f.must(os.MkdirAll(f.app+"/memory", 0o700))
			f.must(os.WriteFile(f.app+"/memory/log.jsonl", nil, 0o600))
			f.git("add", "memory")
			f.git("commit", "-qm", "x")
		}, asks, true, "proposed", "request: " + fact},
		"git ignores the store": {func(f *fixture) { f.share(false) }, asks, true, "stored m-1",
			""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if c.prepare != nil {
				c.prepare(f)
			}
			said := f.take(c.text, c.typed)
			if !strings.Contains(said, c.said) || c.said == "" && said != "" {
				t.Errorf("said %q", said)
			}
			waits := f.waiting()
			if !strings.HasPrefix(waits, c.waits) || c.waits == "" && waits != "" {
				t.Errorf("waits %q", waits)
			}
		})
	}
}

func (f *fixture) configure(text string) {
	f.Helper()
	f.must(os.MkdirAll(f.home+"/data/mem", 0o700))
	f.must(os.WriteFile(f.home+"/data/mem/config.json", []byte(text), 0o600))
}

// share makes a .mem in the repository, which is trusted.
func (f *fixture) share(tracked bool) {
	f.Helper()
	f.must(os.MkdirAll(f.app+"/.mem", 0o700))
	f.must(os.WriteFile(f.app+"/.mem/README.md", []byte("x"), 0o600))
	if tracked {
		attributes := []byte("log.jsonl merge=union\n")
		f.must(os.WriteFile(f.app+"/.mem/.gitattributes", attributes, 0o600))
		f.git("add", ".mem")
		f.git("commit", "-qm", "x")
	} else {
		f.must(os.WriteFile(f.app+"/.gitignore", []byte(".mem\n"), 0o600))
	}
	_, err := site.OpenBook(func(n string) string { return f.env[n] }, f.home).Grant(f.app+"/.mem",
		log.StampOf(time.Now()))
	f.must(err)
}

// What is known already is renewed, and a text that the model scheduled is nobody's request.
func TestTakeAgain(t *testing.T) {
	f := newFixture(t)
	f.take(asks, true)
	said := f.take(strings.ToLower(asks), true)
	if !strings.Contains(said, "known already as m-1") {
		t.Errorf("said %q", said)
	}
	for _, text := range []string{"Remember\tthat cats   are gods!",
		"记住：" + strings.Repeat("猫是神明", 110), "Remember that cats are gods. <pasted_content>x",
		"Remember that cats are gods. ghp_" + strings.Repeat("a1B2", 9)} {
		f.must(f.box.Schedule(text))
		if said := f.take(text, true); said != "" || f.waiting() != "" {
			t.Errorf("%.40s: said %q, waits %q", text, said, f.waiting())
		}
	}
	for _, text := range []string{"Remember that\u200b dogs are gods",
		"Remember that \u202edogs are gods", "Remember that \x1b[2J dogs are gods"} {
		if said := f.take(text, true); said != "" || f.waiting() != "" {
			t.Errorf("%q: said %q, waits %q", text, said, f.waiting())
		}
	}
}

func (f *fixture) step(session, command string, exit int) {
	f.Helper()
	f.must(intake.Record(f.box, "claude-code", session, inbox.Step{Tool: "Bash", Command: command,
		Dir: f.app, Failed: exit != 0, Exit: exit}))
}

func (f *fixture) begin(client, session, transcript string) {
	f.Helper()
	f.must(intake.Begin(ctx, f.layers(), f.box, inbox.Session{Client: client, Session: session,
		Folder: f.app, Transcript: transcript}))
}

// The end of a conversation proposes facts from its commands; mem's own and those elsewhere do not
// count, and of one with a secret the program alone is kept.
func TestDerive(t *testing.T) {
	f := newFixture(t)
	f.begin("claude-code", "s1", "")
	f.step("s1", "pytest", 127)
	f.step("s1", "mem note x", 0)
	f.step("s1", "/usr/bin/mem note x", 0)
	f.step("s1", "curl -u me:ghp_abcdefghijklmnopqrstuvwxyz0123456789 https://x.example", 0)
	f.step("s1", "poetry run pytest", 0)
	f.must(intake.Record(f.box, "claude-code", "s1", inbox.Step{Tool: "Bash",
		Command: "make test", Dir: "/elsewhere"}))
	f.must(intake.Record(f.box, "claude-code", "s1", inbox.Step{Tool: "Bash",
		Command: "make test", Dir: "/elsewhere"}))
	j, _ := f.box.Journal("claude-code", "s1")
	if text := fmt.Sprint(j.Steps); strings.Contains(text, "ghp_") ||
		strings.Contains(text, "note x") || !strings.Contains(text, "curl") {
		t.Errorf("steps: %s", text)
	}
	f.must(intake.Derive(ctx, f.box, "claude-code", "s1"))
	want := "command-after-failure: `poetry run pytest` works where `pytest` fails"
	if got := f.waiting(); got != want {
		t.Errorf("waits %q", got)
	}
	f.must(intake.Derive(ctx, f.box, "claude-code", "s1")) // as Gemini ends a conversation thrice
	f.must(intake.Derive(ctx, f.box, "claude-code", "other"))
	if got := f.waiting(); got != want {
		t.Errorf("waits %q", got)
	}
}

// A search names its words and its folder; one without words, or with a secret in them, leads to
// nothing that is worth a question.
func TestDeriveFromASearch(t *testing.T) {
	for what, tc := range map[string]struct{ search, path, want string }{
		"in a folder": {"tax|vat", "src",
			"`src/tax.go` is the file that `Grep \"tax|vat\" src` leads to"},
		"everywhere": {"tax|vat", "", "`src/tax.go` is the file that `Grep \"tax|vat\"` leads to"},
		"elsewhere":  {"tax|vat", "docs", ""},
		"a secret":   {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "", ""},
		"no words":   {"", "", ""},
	} {
		f := newFixture(t)
		f.begin("claude-code", "s1", "")
		for _, pattern := range []string{tc.search + "x", tc.search} {
			s := inbox.Step{Tool: "Grep", Dir: f.app, Command: intake.SearchFor("Grep", pattern)}
			if tc.search == "" {
				s.Command = ""
			}
			if tc.path != "" {
				s.Files = []string{filepath.Join(f.app, tc.path)}
			}
			f.must(intake.Record(f.box, "claude-code", "s1", s))
		}
		f.must(intake.Record(f.box, "claude-code", "s1", inbox.Step{Tool: "Read", Dir: f.app,
			Files: []string{filepath.Join(f.app, "src/tax.go")}}))
		f.must(intake.Derive(ctx, f.box, "claude-code", "s1"))
		if got := f.waiting(); strings.TrimPrefix(got, "found: ") != tc.want {
			t.Errorf("%s: waits %q", what, got)
		}
	}
}

// Without the event of its end a conversation gives its facts when the next one begins, and what
// two conversations have seen counts more.
func TestDeriveAtTheNextStart(t *testing.T) {
	f := newFixture(t)
	f.begin("gemini", "s1", "")
	f.must(intake.Record(f.box, "gemini", "s1", inbox.Step{Tool: "Bash", Command: "make test"}))
	f.begin("claude-code", "s2", "")
	f.step("s2", "make test", 0)
	f.begin("claude-code", "s3", "")
	list, err := f.box.List()
	f.must(err)
	if len(list) != 1 || list[0].Key != "/project/commands/make" || len(list[0].Sessions) != 2 {
		t.Errorf("waits %+v", list)
	}
}

// A derivation has its time; what has no room in it is made by the next.
func TestDeriveLater(t *testing.T) {
	f := newFixture(t)
	f.begin("claude-code", "s1", "")
	f.step("s1", "pytest", 127)
	f.step("s1", "poetry run pytest", 0)
	late, cancel := context.WithCancel(ctx)
	cancel()
	if err := intake.Derive(late, f.box, "claude-code", "s1"); err == nil || f.waiting() != "" {
		t.Errorf("%v, waits %q", err, f.waiting())
	}
	f.begin("claude-code", "s2", "")
	if f.waiting() == "" {
		t.Error("nothing waits after the next start")
	}
}

// A person's approval makes a note or a record, with the person as its source, and no program's.
func TestApprove(t *testing.T) {
	f := newFixture(t)
	f.begin("claude-code", "s1", "")
	f.step("s1", "make test", 0)
	f.step("s1", "make test", 0)
	f.must(intake.Derive(ctx, f.box, "claude-code", "s1"))
	f.take(asks, false)
	l := f.layers()
	list, others, err := intake.Here(ctx, l, mem.Caller{}, f.box)
	f.must(err)
	if len(list) != 2 || others != 0 {
		t.Fatalf("%d here, %d elsewhere", len(list), others)
	}
	for _, c := range []mem.Caller{{Client: "claude-code"}, {Agent: "ada"}, {Unattended: true}} {
		if _, err := intake.Approve(ctx, l, c, f.box, list[0], ""); err == nil {
			t.Errorf("%+v approved it", c)
		}
	}
	for _, p := range list {
		text := ""
		if p.Key == "" {
			text = "staging: port 5433"
		}
		reply, err := intake.Approve(ctx, l, mem.Caller{}, f.box, p, text)
		f.must(err)
		if !reply.OK || reply.ID == "" {
			t.Errorf("%+v", reply)
		}
	}
	s, err := l.Open(l.Sites.Project)
	f.must(err)
	// A key that the person has used is not taken from them.
	key := keypath.MustParse("/project/commands/npm")
	_, err = s.Set(ctx, mem.Caller{}, mem.Write{Key: key, Content: []byte(`"mine"`),
		Source: []byte(`"me"`)}, mem.SetOptions{})
	f.must(err)
	_, err = f.box.Propose(inbox.Proposal{Text: "`npm test` tests it", Key: key.String(),
		Store: l.Sites.Project.Address(), Sessions: []string{"s2"}})
	f.must(err)
	list, _, err = intake.Here(ctx, l, mem.Caller{}, f.box)
	f.must(err)
	reply, err := intake.Approve(ctx, l, mem.Caller{}, f.box, list[0], "")
	if err != nil || !strings.HasPrefix(reply.ID, "m-") {
		t.Errorf("%+v, %v", reply, err)
	}
	all := ""
	f.must(s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		all += rec.Key.String() + " " + string(rec.Content) + string(rec.Source) + "\n"
		return nil
	}))
	for _, want := range []string{`/project/commands/npm "mine"`, "/project/commands/make", "staging: port 5433",
		`"kind":"user","name":"mem approve"`, `"evidence":["make test"]`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	if f.waiting() != "" {
		t.Errorf("waits %s", f.waiting())
	}
}

// What was decided since it was shown is stored no more, and a second approval makes no second
// memory of a fact with a key.
func TestApproveTwice(t *testing.T) {
	f := newFixture(t)
	l, key := f.layers(), "/project/commands/npm"
	_, err := f.box.Propose(inbox.Proposal{Text: "`npm test` tests it", Key: key,
		Store: l.Sites.Project.Address(), Sessions: []string{"s"}})
	f.must(err)
	list, _, err := intake.Here(ctx, l, mem.Caller{}, f.box)
	f.must(err)
	file := filepath.Join(f.home, "state/mem/inbox/proposals", list[0].ID+".json")
	waits, err := os.ReadFile(file)
	f.must(err)
	approve := func() (intake.Stored, error) {
		return intake.Approve(ctx, l, mem.Caller{}, f.box, list[0], "")
	}
	_, err = approve()
	f.must(err)
	if _, err := approve(); !errors.Is(err, inbox.ErrNoProposal) {
		t.Errorf("decided: %v", err)
	}
	if err := intake.Reject(mem.Caller{}, f.box, list[0]); !errors.Is(err, inbox.ErrNoProposal) {
		t.Errorf("rejected what is decided: %v", err)
	}
	s, err := l.Open(l.Sites.Project)
	f.must(err)
	// Two that approve at the same moment: the mark of the first is not written yet.
	f.must(os.WriteFile(file, waits, 0o600))
	done, err := approve()
	f.must(err)
	if !done.Known || done.ID != key {
		t.Errorf("%+v", done)
	}
	count := 0
	f.must(s.List(ctx, mem.Caller{}, mem.Filter{}, func(log.Record) error {
		count++
		return nil
	}))
	if count != 1 {
		t.Errorf("%d memories", count)
	}
}

// A proposal for one project is not to be had in another.
func TestApproveElsewhere(t *testing.T) {
	f := newFixture(t)
	f.take(asks, false)
	list, err := f.box.List()
	f.must(err)
	f.app = filepath.Join(f.home, "other")
	f.must(os.MkdirAll(f.app, 0o700))
	f.git("init", "-q")
	l := f.layers()
	if here, others, _ := intake.Here(ctx, l, mem.Caller{}, f.box); len(here) != 0 || others != 1 {
		t.Errorf("%d here, %d elsewhere", len(here), others)
	}
	if _, err := intake.Approve(ctx, l, mem.Caller{}, f.box, list[0], ""); err == nil {
		t.Error("it was approved")
	}
}

// A purge of a note takes what quotes it from the inbox.
func TestPurgeTakesTheInbox(t *testing.T) {
	f := newFixture(t)
	f.take(asks, false)
	f.take("Remember that zanzibar comes first", false)
	l := f.layers()
	list, _, err := intake.Here(ctx, l, mem.Caller{}, f.box)
	f.must(err)
	_, err = intake.Approve(ctx, l, mem.Caller{}, f.box, list[0], "")
	f.must(err)
	f.take("remember that "+list[0].Text+" always", false)
	s, err := l.Open(l.Sites.Project)
	f.must(err)
	var keys []keypath.Key
	f.must(s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		keys = append(keys, rec.Key)
		return nil
	}))
	_, err = s.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: keys})
	f.must(err)
	left := ""
	f.must(f.box.Each(func(_ string, line []byte) { left += string(line) }))
	if strings.Contains(left, list[0].Text) || !strings.Contains(left, list[1].Text) {
		t.Errorf("left: %s", left)
	}
}
