package inbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A decided text is not proposed again in another case or punctuation, and nothing on disk says it.
func TestDecidedTexts(t *testing.T) {
	f := newFixture(t)
	f.propose(fact("Use pnpm, not npm!", "s1"))
	f.must(f.Decide(idOf(fact("Use pnpm, not npm!"))))
	for _, text := range []string{"Use pnpm, not npm!", "use pnpm not npm", "USE  PNPM; not npm."} {
		if n := f.propose(fact(text, "s2")); n != 0 || !f.Knows(fact(text)) {
			t.Errorf("%q: %d made", text, n)
		}
		if fate, _ := f.FateOf(fact(text)); fate != Decided {
			t.Errorf("%q: fate %d", text, fate)
		}
	}
	elsewhere := fact("use pnpm, not npm")
	elsewhere.Store = "/other"
	if f.propose(elsewhere, fact("use npm", "s2")) != 2 {
		t.Error("another store's, or another text, is not made")
	}
	if fate, id := f.FateOf(fact("use npm")); fate != Waits || id != idOf(fact("use npm")) {
		t.Errorf("fate %d", fate)
	}
	f.must(f.Decide(idOf(elsewhere)))
	f.must(f.Decide(idOf(fact("use npm"))))
	if text := f.text(); strings.Contains(text, "npm") || strings.Contains(text, `"c-`) {
		t.Errorf("the inbox says %s", text)
	}
	f.time = f.time.Add(remembered + time.Hour)
	if f.propose(fact("use pnpm not npm", "s3")) != 1 {
		t.Error("it is not made again after half a year")
	}
}

// A mark is sought by its text, in any store, and removed.
func TestUnmark(t *testing.T) {
	f := newFixture(t)
	one, two := fact("lamu is second", "s"), fact("Lamu is second.", "s")
	two.Store, two.Class = "/other", Rule
	f.propose(one, two, fact("lamu is third", "s"))
	for _, p := range []Proposal{one, two, fact("lamu is third")} {
		f.must(f.Decide(idOf(p)))
	}
	n, err := f.Unmark("LAMU is second")
	if err != nil || n != 2 || f.propose(one, two) != 2 || f.propose(fact("lamu is third")) != 0 {
		t.Errorf("%d, %v: %s", n, err, f.text())
	}
	if n, err := newFixture(t).Unmark("x"); n != 0 || err != nil {
		t.Errorf("without an inbox: %d, %v", n, err)
	}
}

// What an older build decided stays decided.
func TestOlderDecisions(t *testing.T) {
	f := newFixture(t)
	f.propose(fact("a", "s"))
	id := idOf(fact("a"))
	dir, err := f.open("proposals", true)
	f.must(err)
	defer dir.Close()
	f.must(dir.WriteFile(id+".json", []byte(`{"id":"`+id+`","gone":"`+
		f.time.UTC().Format("2006-01-02T15:04:05.000000Z")+`"}`+"\n")))
	if f.propose(fact("a", "s2")) != 0 || !f.Knows(fact("a")) {
		t.Error("it is made again")
	}
	f.must(f.Decide(id))
	if f.propose(fact("a", "s2")) != 0 {
		t.Error("it is made again after another decision")
	}
}

// A rule waits without a limit of time, beside its fact, and takes no room of others.
func TestRulesWait(t *testing.T) {
	f := newFixture(t)
	rule := fact("never squash", "s")
	rule.Class, rule.Fact = Rule, "/note/workspace/m-1"
	if f.propose(rule, fact("never squash", "s")) != 2 {
		t.Fatal("a rule and a fact of one text are one")
	}
	f.time = f.time.Add(5 * remembered)
	list, err := f.List()
	f.must(err)
	if len(list) != 1 || list[0].Fact != rule.Fact || list[0].Named {
		t.Fatalf("waits %+v", list)
	}
	f.must(f.MarkNamed(list...))
	if list, _ = f.List(); len(list) != 1 || !list[0].Named {
		t.Errorf("waits %+v", list)
	}
	f.must(f.Decide(list[0].ID))
	if f.propose(rule) != 0 || f.propose(fact("fresh", "s")) != 1 || f.texts() != "fresh1" {
		t.Errorf("after its decision: %s", f.texts())
	}
}

// The key is replaced where it is damaged, and leaves with the inbox.
func TestKeyOfMarks(t *testing.T) {
	f := newFixture(t)
	f.propose(fact("a", "s"))
	f.must(f.Decide(idOf(fact("a"))))
	name := filepath.Join(f.dir, keyFile)
	before, err := os.ReadFile(name)
	f.must(err)
	f.must(os.WriteFile(name, []byte("damaged\n"), 0o600))
	if f.propose(fact("a", "s")) != 1 {
		t.Error("a mark counts without its key")
	}
	f.must(f.Decide(idOf(fact("a"))))
	after, err := os.ReadFile(name)
	f.must(err)
	if string(before) == string(after) || len(after) != 32 {
		t.Errorf("the key is %q", after)
	}
	f.must(os.RemoveAll(filepath.Join(f.dir, "proposals")))
	f.must(f.Leave("claude-code"))
	if _, err := os.Lstat(f.dir); err == nil {
		t.Error("the inbox is still there")
	}
}

// A proposal that could not be written is none.
func TestUnwrittenProposal(t *testing.T) {
	f := newFixture(t)
	made, err := f.Propose(fact("tea is green", "s"))
	f.must(err)
	file := filepath.Join(f.state, "inbox", "proposals", made[0].ID+".json")
	f.must(os.Remove(file))
	f.must(os.MkdirAll(filepath.Join(file, "in its place"), 0o700))
	if made, err = f.Propose(fact("tea is green", "s")); err == nil || len(made) > 0 {
		t.Errorf("%v, %v", made, err)
	}
}
