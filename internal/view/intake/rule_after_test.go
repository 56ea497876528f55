package intake_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// ruleKeys returns the key of the first note of the project.
func (f *fixture) ruleKeys() []keypath.Key { return []keypath.Key{f.note("m-1")} }

// A decided rule is another one when it is typed again after its fact was forgotten.
func TestRuleTypedAgainAfterItsFact(t *testing.T) {
	for name, decide := range map[string]func(*fixture) error{
		"approved": func(f *fixture) error {
			_, err := intake.Approve(ctx, f.layers(), mem.Caller{}, f.box, f.rules()[0], "")
			return err
		},
		"rejected": func(f *fixture) error {
			return intake.Reject(mem.Caller{}, f.box, f.rules()[0])
		},
	} {
		f := newFixture(t)
		f.take(rule, true)
		f.must(decide(f))
		if f.take(rule, true); len(f.rules()) != 0 {
			t.Errorf("%s: it waits beside its fact", name)
		}
		_, _, err := forget.Delete(ctx, f.project(), mem.Caller{}, f.ruleKeys(), "", nil)
		f.must(err)
		if f.take(rule, true); len(f.rules()) != 1 {
			t.Errorf("%s: it does not wait again: %s", name, f.waiting())
		}
	}
}

// moveRule moves the fact of the rule from the project to the user's store.
func (f *fixture) moveRule(c mem.Caller) {
	f.Helper()
	l := f.layers()
	user, err := l.Site(site.User)
	f.must(err)
	to, err := l.Open(user)
	f.must(err)
	from, err := l.Open(l.Sites.Project)
	f.must(err)
	rep, err := transfer.Move(ctx, c, transfer.MoveJob{From: from, To: to, Place: user.Root,
		Keys: f.ruleKeys(), User: true, IDs: note.IDsOf(user), Beside: true, Follows: true})
	f.must(err)
	if len(rep.Moved) != 1 {
		f.Fatalf("%+v", rep)
	}
	f.must(intake.FollowMove(f.box, l.Sites.Project, user, rep.Moved))
}

// A typed rule waits in the store to which its fact was moved. An agent's move makes it no quote of
// the user in all projects, and a person may still take it.
func TestMovedRuleWaits(t *testing.T) {
	for name, c := range map[string]mem.Caller{
		"a person": {}, "an agent": {Client: "codex"},
	} {
		f := newFixture(t)
		f.take(rule, true)
		f.moveRule(c)
		list := f.rules()
		if len(list) != 1 || !strings.HasPrefix(list[0].Fact, "/note/user/u-") {
			t.Fatalf("%s: waits %+v", name, list)
		}
		l := f.layers()
		s, err := l.Open(l.Sites.User)
		f.must(err)
		standing := func() readout.Standing {
			rec, err := s.Get(ctx, mem.Caller{}, keypath.MustParse(list[0].Fact), false)
			f.must(err)
			it := mem.ItemOf(rec)
			return s.Reader(mem.Caller{}).Standing(&it)
		}
		if (standing() == readout.Prompted) != (name == "a person") {
			t.Errorf("%s: standing %d", name, standing())
		}
		_, err = intake.Approve(ctx, f.layers(), mem.Caller{}, f.box, list[0], "")
		if err != nil || standing() != readout.Rule || len(f.rules()) != 0 {
			t.Errorf("%s: %v, standing %d", name, err, standing())
		}
	}
}

// That an agent has ended the wait of a typed rule is said once; what the person does is not.
func TestEndedRules(t *testing.T) {
	codex := mem.Caller{Client: "codex"}
	by := edit.Author{Agent: []byte(`{"kind":"agent","name":"codex"}`)}
	for name, tc := range map[string]struct {
		end  func(*fixture) error
		want int
	}{
		"nothing": {func(*fixture) error { return nil }, 0},
		"an agent forgets": {func(f *fixture) error {
			_, _, err := forget.Delete(ctx, f.project(), codex, f.ruleKeys(), "", nil)
			return err
		}, 1},
		"a person forgets": {func(f *fixture) error {
			_, _, err := forget.Delete(ctx, f.project(), mem.Caller{}, f.ruleKeys(), "", nil)
			return err
		}, 0},
		"an agent edits": {func(f *fixture) error {
			_, err := f.project().Set(ctx, codex, mem.Write{Key: f.note("m-1"),
				Content: []byte(`{"type":"note","text":"Run nothing"}`),
				Source:  []byte(`{"kind":"agent","name":"codex"}`)}, mem.SetOptions{})
			return err
		}, 1},
		"an agent replaces": {func(f *fixture) error {
			_, err := note.Add(ctx, f.project(), codex, "Run nothing", note.Options{
				Replaces:  f.ruleKeys(),
				Supersede: edit.Superseding(edit.Author{}), Source: by.Agent})
			return err
		}, 1},
		"a tag": {func(f *fixture) error {
			_, err := edit.Touch(ctx, f.project(), codex, f.ruleKeys(),
				edit.Changes{Add: []string{"x"}}, by)
			return err
		}, 0},
		"an agent moves": {func(f *fixture) error { f.moveRule(codex); return nil }, 0},
	} {
		f := newFixture(t)
		f.take(rule, true)
		f.must(tc.end(f))
		list, err := intake.Ended(ctx, f.layers(), mem.Caller{}, f.box)
		if err != nil || len(list) != tc.want {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		f.must(f.box.MarkEnded(list...))
		if list, _ = intake.Ended(ctx, f.layers(), mem.Caller{}, f.box); len(list) != 0 {
			t.Errorf("%s: said again", name)
		}
	}
}

// A file cannot say that the user has typed its text: an import of one's own file makes it a fact,
// and leaves the stored lines.
func TestImportedPrompts(t *testing.T) {
	f := newFixture(t)
	f.take("Remember that we deploy on Mondays", true)
	f.take(rule, true)
	var out bytes.Buffer
	_, err := transfer.Export(ctx, f.project(), mem.Caller{}, &out, transfer.ExportOptions{})
	f.must(err)
	in := func(s *mem.Store, text string) {
		_, err := transfer.Import(ctx, s, mem.Caller{}, transfer.Incoming{
			Stream: strings.NewReader(text)}, transfer.ImportOptions{Mine: true})
		f.must(err)
	}
	in(f.project(), out.String())
	if f.standing("m-1") != readout.Prompted || f.standing("m-2") != readout.Prompted {
		t.Errorf("the same lines: standings %d, %d", f.standing("m-1"), f.standing("m-2"))
	}
	g := newFixture(t)
	g.take("Remember that tea is green", true)
	_, _, err = forget.Delete(ctx, g.project(), mem.Caller{}, g.ruleKeys(), "", nil)
	g.must(err)
	text := strings.ReplaceAll(out.String(), "Mondays", "Fridays")
	var bare []string
	for line := range strings.Lines(text) { // without the sum of the line as it was
		at := strings.LastIndex(line, `,"checksum"`)
		bare = append(bare, line[:at]+"}\n")
	}
	in(g.project(), strings.Join(bare, ""))
	for _, id := range []string{f.note("m-1").String(), f.note("m-2").String()} {
		if g.standing(id) != readout.Fact {
			t.Errorf("%s: standing %d", id, g.standing(id))
		}
	}
}
