package inbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/log"
)

// fixture is an inbox with a clock that tests move. The clock begins at the present: a journal's
// age is that of its file.
type fixture struct {
	*testing.T
	*Inbox
	state string
	time  time.Time
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, state: t.TempDir(), time: time.Now()}
	f.Inbox = In(f.state, func() time.Time { return f.time })
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) begin(session string) {
	f.Helper()
	f.must(f.Begin(Session{Client: "claude-code", Session: session, Store: "/s"}))
}

func (f *fixture) step(session, command string) {
	f.Helper()
	f.must(f.Append("claude-code", session, Step{Tool: "Bash", Command: command}))
}

func (f *fixture) file(session string) string {
	return filepath.Join(f.state, "inbox", "sessions", nameOf("claude-code", session))
}

// commands returns the commands of a conversation, with blanks between them.
func (f *fixture) commands(session string) string {
	j, _ := f.Journal("claude-code", session)
	var list []string
	for _, s := range j.Steps {
		list = append(list, s.Command)
	}
	return strings.Join(list, " ")
}

func TestJournal(t *testing.T) {
	f := newFixture(t)
	f.step("s", "before") // without a journal there is no step
	if _, err := os.Stat(filepath.Join(f.state, "inbox")); err == nil {
		t.Error("a step made the folder")
	}
	f.begin("s")
	f.step("s", "one")
	f.begin("s") // resumed
	f.step("s", "two")
	if got := f.commands("s"); got != "one two" {
		t.Errorf("steps %q", got)
	}
	fi, err := os.Stat(f.file("s"))
	f.must(err)
	if fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
	f.must(f.Append("claude-code", "s", Step{Derived: true}))
	if j, _ := f.Journal("claude-code", "s"); j.Pending || j.Store != "/s" {
		t.Errorf("%+v", j)
	}
	if list, _ := f.Journals("/other"); len(list) != 0 {
		t.Errorf("journals of another store: %v", list)
	}
	f.must(f.Stop("claude-code", "s"))
	if _, ok := f.Journal("claude-code", "s"); ok {
		t.Error("a stopped journal is there")
	}
}

// A line that a crash left in part is skipped, with the next one that is glued to it.
func TestTornLine(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	f.step("s", "one")
	text, err := os.ReadFile(f.file("s"))
	f.must(err)
	header := bytes.IndexByte(text, '\n') + 1
	for cut := range len(text) {
		f.must(os.WriteFile(f.file("s"), text[:cut], 0o600))
		f.step("s", "two")
		f.step("s", "three")
		got, want := f.commands("s"), "three"
		switch {
		case cut < header-1:
			want = "" // without its header it is no journal
		case cut == header-1:
			want = ""
		case cut == header:
			want = "two three"
		case cut == len(text):
			want = "one two three"
		}
		if got != want && !(cut == header-1 && got == "three") {
			t.Errorf("cut at %d of %d: %q, want %q", cut, len(text), got, want)
		}
	}
}

func TestJournalIsBounded(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	for range 400 {
		f.step("s", strings.Repeat("x", 8<<10))
	}
	fi, err := os.Stat(f.file("s"))
	f.must(err)
	if fi.Size() < maxJournal || fi.Size() > maxJournal+10<<10 {
		t.Errorf("%d bytes", fi.Size())
	}
}

// When a conversation begins the oldest journals leave, by their age and by their size.
func TestPrune(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		session := fmt.Sprint("s", i)
		f.begin(session)
		for range 120 {
			f.step(session, strings.Repeat("x", 8<<10))
		}
		f.must(os.Chtimes(f.file(session), f.time, f.time.Add(time.Duration(i-100)*time.Minute)))
	}
	f.begin("new")
	all, n := int64(0), 0
	entries, err := os.ReadDir(filepath.Join(f.state, "inbox", "sessions"))
	f.must(err)
	for _, e := range entries {
		fi, _ := e.Info()
		all, n = all+fi.Size(), n+1
	}
	if all > 1<<20 || n < 5 || f.commands("s19") == "" || f.commands("s0") != "" {
		t.Errorf("%d bytes in %d files", all, n)
	}
	f.time = f.time.Add(kept + time.Hour)
	f.begin("later")
	if f.commands("s19") != "" {
		t.Error("an old journal stays")
	}
}

// Several hooks of a conversation append at once, as tools run at once.
func TestAppendsAtOnce(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() { f.step("s", fmt.Sprint("c", i)) })
	}
	wait.Wait()
	if got := strings.Fields(f.commands("s")); len(got) != 50 {
		t.Errorf("%d steps: %v", len(got), got)
	}
}

func fact(text string, sessions ...string) Proposal {
	return Proposal{Text: text, Store: "/s", Class: "found", Sessions: sessions}
}

func (f *fixture) propose(list ...Proposal) int {
	f.Helper()
	made, err := f.Propose(list...)
	f.must(err)
	return len(made)
}

func (f *fixture) texts() string {
	f.Helper()
	list, err := f.List()
	f.must(err)
	var texts []string
	for _, p := range list {
		texts = append(texts, fmt.Sprint(p.Text, len(p.Sessions)))
	}
	return strings.Join(texts, " ")
}

// A fact is one proposal however often it is made, and ranks higher for another conversation.
func TestProposals(t *testing.T) {
	f := newFixture(t)
	if n := f.propose(fact("a", "s1"), fact("b", "s1"), fact("a", "s1")); n != 2 {
		t.Errorf("%d are new", n)
	}
	if n := f.propose(fact("B ", "s2")); n != 0 {
		t.Errorf("%d are new", n)
	}
	if got := f.texts(); got != "b2 a1" {
		t.Errorf("got %q", got)
	}
	id := idOf(fact("b"))
	if !strings.HasPrefix(id, "c-") || len(id) != len("c-")+10 {
		t.Errorf("id %s", id)
	}
	f.must(f.Decide(id))
	if n := f.propose(fact("b", "s3")); n != 0 || f.texts() != "a1" {
		t.Errorf("a decided one is made again: %d, %s", n, f.texts())
	}
	again := fact("b", "s4")
	again.Class = Requested
	if f.propose(again) != 0 {
		t.Error("a request is made again")
	}
	again.Insists = true
	if f.propose(again) != 1 {
		t.Error("a request to remember is not made again")
	}
	f.must(f.Decide(id))
	if got := f.texts(); got != "a1" {
		t.Errorf("a decided one waits: %s", got)
	}
}

// A proposal that nobody decided expires, and is not made again for half a year.
func TestExpiry(t *testing.T) {
	f := newFixture(t)
	f.propose(fact("a", "s1"))
	f.time = f.time.Add(kept + time.Hour)
	if got := f.texts(); got != "" {
		t.Errorf("after its time: %q", got)
	}
	f.propose(fact("a", "s2"))
	if got := f.texts(); got != "" {
		t.Errorf("made again: %q", got)
	}
	text := f.text()
	if strings.Contains(text, `"text"`) || !strings.Contains(text, `"gone"`) {
		t.Errorf("the mark: %s", text)
	}
	f.time = f.time.Add(remembered + time.Hour)
	f.texts()
	if f.propose(fact("a", "s3")) != 1 {
		t.Error("it is not made again after half a year")
	}
}

// text returns everything in the inbox.
func (f *fixture) text() string {
	f.Helper()
	var all strings.Builder
	f.must(f.Each(func(_ string, line []byte) { all.Write(line) }))
	return all.String()
}

func TestTooManyProposals(t *testing.T) {
	f := newFixture(t)
	for i := range 2 * maxOpen {
		f.propose(fact(fmt.Sprint("fact ", i), "s"))
	}
	if list, _ := f.List(); len(list) != maxOpen {
		t.Errorf("%d wait", len(list))
	}
	p := fact("one", "s")
	p.Store = "/other"
	if f.propose(p) != 1 {
		t.Error("another store has no room")
	}
}

func TestScrub(t *testing.T) {
	f := newFixture(t)
	f.begin("s1")
	f.step("s1", "greet zanzibar")
	f.step("s1", "greet lamu")
	f.begin("s2")
	f.step("s2", "greet lamu")
	f.propose(fact("zanzibar is first", "s1"), fact("lamu is second", "s1"))
	n, err := f.Scrub(func(text string) bool { return strings.Contains(text, "zanzibar") })
	if err != nil || n != 2 || strings.Contains(f.text(), "zanzibar") ||
		strings.Count(f.text(), "lamu") != 3 {
		t.Errorf("%d, %v: %s", n, err, f.text())
	}
	n, err = f.Scrub(func(text string) bool { return text == "s1" })
	if err != nil || n != 2 || f.commands("s1") != "" || f.commands("s2") == "" {
		t.Errorf("%d, %v: %s", n, err, f.text())
	}
}

// Damage, links and foreign files in the folder disturb nothing.
func TestDamage(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	f.step("s", "one")
	f.propose(fact("a", "s"))
	at := filepath.Join(f.state, "inbox")
	f.must(os.WriteFile(filepath.Join(at, "proposals", "c-aaaaaaaaaa.json"), []byte("{"), 0o600))
	f.must(os.WriteFile(filepath.Join(at, "proposals", "other"), []byte(`{"id":"x"}`), 0o600))
	f.must(os.WriteFile(filepath.Join(at, "sessions", "other"), []byte("\x00\n"), 0o600))
	f.must(os.Symlink("/etc/passwd", filepath.Join(at, "sessions", "link")))
	if got := f.texts(); got != "a1" {
		t.Errorf("proposals %q", got)
	}
	if list, _ := f.Journals("/s"); len(list) != 1 {
		t.Errorf("journals %v", list)
	}
	if strings.Contains(f.text(), "root:") {
		t.Error("a link was followed")
	}
	if In("", nil).Begin(Session{Session: "s"}) == nil {
		t.Error("no folder, and no error")
	}
	if _, err := In("", nil).List(); err != nil {
		t.Errorf("no folder: %v", err)
	}
}

// A purge removes torn lines: nobody can tell what they hold.
func TestScrubRemovesTornLines(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	f.step("s", "one")
	text, err := os.ReadFile(f.file("s"))
	f.must(err)
	f.must(os.WriteFile(f.file("s"), append(text, `{"command":"greet zanz`...), 0o600))
	_, err = f.Scrub(func(string) bool { return false })
	f.must(err)
	if strings.Contains(f.text(), "zanz") || f.commands("s") != "one" {
		t.Errorf("left: %s", f.text())
	}
}

// A proposal's file that another program wrote is none: its id names its text.
func TestIDsNameTheirTexts(t *testing.T) {
	f := newFixture(t)
	f.propose(fact("a", "s"))
	list, err := f.List()
	f.must(err)
	for _, change := range []func(*Proposal){
		func(p *Proposal) { p.Text = "other" }, func(p *Proposal) { p.Store = "/other" },
		func(p *Proposal) { p.Key = "/user/rules" },
	} {
		p := list[0]
		change(&p)
		dir, err := f.open("proposals", true)
		f.must(err)
		f.must(p.write(dir))
		if got := f.texts(); got != "" {
			t.Errorf("%+v waits", p)
		}
		dir.Close()
	}
}

func TestScheduled(t *testing.T) {
	f := newFixture(t)
	if f.WasScheduled("a b") {
		t.Error("before")
	}
	f.must(f.Schedule("Do it, at 5!"))
	if !f.WasScheduled("do\tit at 5") || f.WasScheduled("do it at 6") {
		t.Error("after")
	}
	for range 3000 {
		f.must(f.Schedule("more"))
	}
	if f.WasScheduled("never") || !f.WasScheduled("more") || f.WasScheduled("do it at 5") {
		t.Error("the older half does not leave")
	}
	path := filepath.Join(f.state, "inbox", scheduledFile)
	fi, err := os.Stat(path)
	f.must(err)
	if fi.Size() > maxScheduled+sumLine {
		t.Errorf("%d bytes", fi.Size())
	}
}

// Nothing that a client says makes a journal that nobody can read.
func TestLongNames(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	f.step("s", "one")
	long := strings.Repeat("\x01", 2*maxJournal)
	for _, s := range []Step{{Tool: long}, {Tool: "Bash", Command: long}, {Tool: "Bash", Dir: long},
		{Tool: "Read", Files: []string{"/a", long}}} {
		f.must(f.Append("claude-code", "s", s))
	}
	f.must(f.Begin(Session{Client: "claude-code", Session: "t", Store: "/s", Transcript: long}))
	f.must(f.Begin(Session{Client: "claude-code", Session: long, Store: "/s"}))
	list, err := f.Journals("/s")
	if err != nil || len(list) != 1 || len(list[0].Steps) != 5 {
		t.Errorf("%d journals (%v)", len(list), err)
	}
	for i := range 2 * maxCount {
		f.begin(fmt.Sprint("many", i))
	}
	if list, _ = f.Journals("/s"); len(list) > maxCount+1 {
		t.Errorf("%d journals", len(list))
	}
}

// A step is cut within its bounds.
func TestStepIsBounded(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	long := strings.Repeat("\u00e4", 1<<20)
	f.must(f.Append("claude-code", "s", Step{Tool: long, Command: long, Dir: long,
		Files: slices.Repeat([]string{long}, 50)}))
	fi, err := os.Stat(f.file("s"))
	f.must(err)
	if j, _ := f.Journal("claude-code", "s"); fi.Size() > 16<<10 || len(j.Steps) != 1 {
		t.Errorf("%d bytes, %d steps", fi.Size(), len(j.Steps))
	}
}

func TestStampsAreTheClocks(t *testing.T) {
	f := newFixture(t)
	f.begin("s")
	f.step("s", "one")
	if j, _ := f.Journal("claude-code", "s"); j.Steps[0].At != log.StampOf(f.time) {
		t.Errorf("at %v", j.Steps[0].At)
	}
}

// Facts that wait for a store wait for the one that a link puts in its place: not those of other
// stores, and none that was decided there.
func TestFollow(t *testing.T) {
	f := newFixture(t)
	propose := func(store, text string) string {
		made, err := f.Propose(Proposal{Store: store, Text: text, Sessions: []string{"s"}})
		f.must(err)
		return made[0].ID
	}
	old := propose("/old", "a fact")
	propose("/old", "a fact that was decided")
	propose("/other", "a fact")
	f.must(f.Decide(propose("/new", "a fact that was decided")))
	for range 2 {
		f.must(f.Follow("/old", "/new"))
	}
	var got []string
	list, err := f.List()
	f.must(err)
	for _, p := range list {
		got = append(got, p.Store+" "+p.Text)
		if p.ID == old {
			t.Errorf("%s waits for both", old)
		}
	}
	slices.Sort(got)
	want := []string{"/new a fact", "/old a fact that was decided", "/other a fact"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
