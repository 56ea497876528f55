package intake

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/capture"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
)

// Prompted is a prompt as a hook has it.
type Prompted struct {
	Client  string
	Session string
	Text    string // as the person wrote it
	Typed   bool   // the client says that a person typed it in this conversation
}

// Taken is what came of a prompt: a line for the person, and one for the model, so that it does not
// note the same; "" for none.
type Taken struct{ ToPerson, ToModel string }

// pointsBackTold is the line for the model about a request to keep words from before the prompt.
const pointsBackTold = "`mem note TEXT` keeps it, if the user means what was just found"

// Take stores or proposes the fact that a prompt asks to remember.
func Take(ctx context.Context, l *layers.Layers, c mem.Caller, b *inbox.Inbox, p Prompted) (
	done Taken, err error) {
	whole := p.Text
	r, class := asked(&p)
	if class == "" || b.WasScheduled(whole) {
		return done, nil
	}
	s, err := l.Reading()
	if err != nil {
		return done, err
	}
	t := taking{Prompted: p, layers: l, caller: c, inbox: b, asked: r}
	if t.conf, err = rules(ctx, s); err != nil {
		return done, err
	}
	if class == pointsBack || class == refused {
		if t.conf.Capture.User || t.conf.Capture.Propose {
			done = t.withoutFact(class)
		}
		return done, nil
	}
	o := note.Options{Scope: note.DefaultScope}
	if r.User || l.Sites.Project == nil && l.Sites.One == nil {
		o.Scope = site.User
	}
	to, one, o, err := note.Place(ctx, l, c, o)
	if err != nil {
		return done, err
	}
	if r.Verdict == capture.Store && t.conf.Capture.User && p.Typed && isPrivate(one) {
		done, err := t.store(ctx, to, o)
		if !errors.Is(err, log.ErrLocked) || !t.conf.Capture.Propose {
			return done, err
		}
	}
	if !t.conf.Capture.Propose {
		return done, nil
	}
	return t.propose(class, one), nil
}

// withoutFact returns what came of a prompt of which nothing is stored or proposed.
func (t *taking) withoutFact(class string) Taken {
	switch {
	case class == pointsBack:
		return Taken{ToModel: pointsBackTold}
	case len(withoutSecrets([]inbox.Proposal{{Text: t.Text}})) == 0:
		return Taken{ToPerson: "not stored: " + policy.NoteRefusal}
	}
	return Taken{ToPerson: "not stored, since " + t.asked.Why + ": mem note TEXT keeps it"}
}

// taking is a prompt on its way into the memory.
type taking struct {
	Prompted
	layers *layers.Layers
	caller mem.Caller
	inbox  *inbox.Inbox
	conf   *mem.Config
	asked  capture.Request
}

// proposal returns what the prompt asks for, as a proposal of a class.
func (t *taking) proposal(class string, one *site.Site) inbox.Proposal {
	return inbox.Proposal{Class: class, Text: t.asked.Text, User: t.asked.User,
		Store: one.Address(), Project: t.layers.Sites.Name(), Client: t.Client,
		Sessions: []string{t.Session}, Evidence: []string{t.Text},
		Insists: t.Typed && t.asked.Plain}
}

// propose proposes the fact, and says what became of it: of a typed request always, of a typed
// correction if it waits now, of any other prompt where there was no room for it.
func (t *taking) propose(class string, one *site.Site) (done Taken) {
	p := t.proposal(class, one)
	made, err := propose(t.inbox, p)
	isRequest := class == inbox.Requested && t.Typed
	fate, id := t.inbox.FateOf(p)
	switch {
	case t.Typed && len(made) > 0:
		done.ToPerson = "proposed: " + p.Text + " (store it: mem approve " + made[0].ID + ")"
	case len(made) > 0:
	case isRequest && err != nil:
		done.ToPerson = "not proposed: " + mem.MaskSecrets(err.Error())
	case len(withoutSecrets([]inbox.Proposal{p})) == 0:
		if isRequest {
			done.ToPerson = "not proposed: " + policy.NoteRefusal
		}
	case err == nil && fate == inbox.Full:
		where := cmp.Or(p.Project, "this store")
		done.ToPerson = "not proposed, since too many facts wait for " + where +
			": mem approve lists them, mem reject --all refuses them"
	case isRequest && fate == inbox.Waits:
		done.ToPerson = "proposed already: " + p.Text + " (store it: mem approve " + id + ")"
	case isRequest:
		done.ToPerson = "not proposed, since it was decided or has expired before: " + p.Text +
			" (\"remember: ...\" asks for it all the same)"
	}
	return done
}

// rules returns what the settings of stores allow. Settings that cannot be read allow nothing: the
// person may have turned all of it off.
func rules(ctx context.Context, s *mem.Store) (*mem.Config, error) {
	if _, err := s.Config(ctx); err != nil {
		return &mem.Config{}, nil
	}
	return s.InjectConfig(ctx)
}

// pasted begin what a client puts into a prompt besides the words of the person: Claude Code a long
// paste, Gemini the files that are named with an @.
var pasted = [...]string{"<pasted_content", "\n--- Content from referenced files ---"}

// asked returns the request of a prompt, or the correction that it makes; class is "" where the
// prompt is neither, nor points back.
func asked(p *Prompted) (r capture.Request, class string) {
	for _, mark := range pasted {
		if before, _, found := strings.Cut(p.Text, mark); found {
			p.Text, p.Typed = before, false
		}
	}
	if strings.HasPrefix(p.Text, "<") || strings.ContainsFunc(p.Text, isHidden) {
		return r, "" // a client's own words, such as <task-notification>, or nobody's
	}
	switch r = capture.Asked(p.Text); {
	case r.Verdict != capture.Nothing:
		return r, inbox.Requested
	case r.Why != "" && p.Typed:
		return r, refused
	}
	if fact, ok := capture.Correction(p.Text); ok {
		return capture.Request{Verdict: capture.Propose, Text: fact}, "correction"
	}
	if capture.PointsBack(p.Text) {
		class = pointsBack
	}
	return r, class
}

// The classes of prompts without a fact: pointsBack of one that asks to keep words from before it,
// and states nothing; refused of a typed request of a form or about a subject that is not stored.
const pointsBack, refused = "back", "refused"

// Asks reports whether a prompt asks to remember something.
func Asks(prompt string) bool {
	_, class := asked(&Prompted{Text: prompt})
	return class == inbox.Requested
}

// isHidden reports whether a person would neither see a character nor type it. The joiner and the
// selector of emoji are typed.
func isHidden(r rune) bool {
	const joiner, selector, blankBraille = '\u200d', '\ufe0f', '\u2800'
	return text.Ignorable(r) && r != joiner && r != selector || r == blankBraille ||
		unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

// isPrivate reports whether one person alone reads a store, as far as git says.
func isPrivate(one *site.Site) bool {
	if one.Public() || site.IsRemote(one.Root) {
		return false
	}
	dir := one.Root
	for { // the store may be about to be made
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	repo, found, err := site.FindRepo(dir)
	if err != nil || !found {
		return err == nil
	}
	tracked, err := repo.Tracks(one.Root)
	return !tracked && err == nil
}

func (t *taking) store(ctx context.Context, s *mem.Store, o note.Options) (done Taken, err error) {
	o.Source = sourceOf(t.Prompted, t.layers.Sites.Name(), log.StampOf(s.Now()))
	added, err := note.Add(ctx, s, t.caller, t.asked.Text, o)
	switch {
	case errors.Is(err, log.ErrLocked):
		return done, err // a proposal waits for no lock
	case errors.Is(err, policy.ErrSecret):
		done.ToPerson = "not stored: " + policy.NoteRefusal
		return done, nil
	case err != nil:
		done.ToPerson = "not stored: " + mem.MaskSecrets(err.Error())
		return done, nil
	}
	id := cmp.Or(added.ID, added.Key.String())
	done.ToModel = "mem keeps that as " + id + "; it needs no other note"
	done.ToPerson = said(added, id, t.asked.Text, o.Scope == site.User, t.waitsAsRule(ctx, added))
	return done, nil
}

// said returns what the person hears of a stored note.
func said(added note.Added, id, fact string, forAll, asRule bool) string {
	as, where := "", ""
	if asRule {
		as = "; mem pin " + id + " makes it a rule"
	}
	if added.Known {
		return "known already as " + id + as + ": " + fact
	}
	if asRule {
		where = " as a fact"
	}
	if forAll {
		where += " for all projects"
	}
	undo := "undo: mem forget " + id
	if len(added.Near) > 0 {
		undo = added.Near[0] + " says nearly the same: mem supersede " + added.Near[0] + " " + id +
			"; " + undo
	}
	return "stored " + id + where + as + ": " + fact + " (" + undo + ")"
}

// sourceOf returns the source of a note that quotes the user.
func sourceOf(p Prompted, project string, now log.Stamp) []byte {
	var source, locator jsontext.Object
	source.Text("kind", "user")
	source.Text("name", p.Client)
	source.Text("retrieved_at", now.String())
	locator.Text("channel", policy.PromptChannel)
	locator.TextUnlessEmpty("session", p.Session)
	locator.TextUnlessEmpty("project", project)
	source.Raw("locator", locator.Bytes())
	return source.Bytes()
}

// propose adds proposals to an inbox, without those that look like a secret.
func propose(b *inbox.Inbox, list ...inbox.Proposal) (made []inbox.Proposal, err error) {
	return b.Propose(withoutSecrets(list)...)
}

func withoutSecrets(list []inbox.Proposal) (clean []inbox.Proposal) {
	for _, p := range list {
		var o jsontext.Object
		o.Text("text", p.Text)
		o.Raw("evidence", jsontext.AppendStrings(nil, p.Evidence))
		if len(policy.Secrets(noteSpace, o.Bytes(), []byte(`""`))) == 0 {
			clean = append(clean, p)
		}
	}
	return clean
}
