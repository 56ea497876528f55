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
type Taken struct{ Said, Told string }

// Take stores or proposes the fact that a prompt asks to remember.
func Take(ctx context.Context, l *layers.Layers, c mem.Caller, b *inbox.Inbox, p Prompted) (
	done Taken, err error) {
	whole := p.Text
	r, class := asked(&p)
	if r.Verdict == capture.Nothing || b.WasScheduled(whole) {
		return done, nil
	}
	s, err := l.Reading()
	if err != nil {
		return done, err
	}
	conf, err := rules(ctx, s)
	if err != nil {
		return done, err
	}
	o := note.Options{Scope: note.DefaultScope}
	if r.User || l.Sites.Project == nil && l.Sites.One == nil {
		o.Scope = site.User
	}
	to, one, o, err := note.Place(ctx, l, c, o)
	if err != nil {
		return done, err
	}
	if r.Verdict == capture.Store && conf.Capture.User && p.Typed && isPrivate(one) {
		done, err := store(ctx, to, c, p, r.Text, l.Sites.Name(), o)
		if !errors.Is(err, log.ErrLocked) {
			return done, err
		}
	}
	if !conf.Capture.Propose {
		return done, nil
	}
	made, err := propose(b, inbox.Proposal{Class: class, Text: r.Text, User: r.User,
		Store: one.Address(), Project: l.Sites.Name(), Client: p.Client,
		Sessions: []string{p.Session}, Evidence: []string{p.Text}})
	if err == nil && class == inbox.Requested && p.Typed && len(made) > 0 {
		done.Said = "proposed: " + r.Text + " (store it: mem approve " + made[0].ID + ")"
	}
	return done, err
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

// asked returns the request of a prompt, or the correction that it makes.
func asked(p *Prompted) (r capture.Request, class string) {
	for _, mark := range pasted {
		if before, _, found := strings.Cut(p.Text, mark); found {
			p.Text, p.Typed = before, false
		}
	}
	if strings.HasPrefix(p.Text, "<") || strings.ContainsFunc(p.Text, isHidden) {
		return r, "" // a client's own words, such as <task-notification>, or nobody's
	}
	if r = capture.Asked(p.Text); r.Verdict != capture.Nothing {
		return r, inbox.Requested
	}
	if fact, ok := capture.Correction(p.Text); ok {
		r = capture.Request{Verdict: capture.Propose, Text: fact}
	}
	return r, "correction"
}

// isHidden reports whether a person would neither see a character nor type it. The joiner and the
// selector of emoji are typed.
func isHidden(r rune) bool {
	const joiner, selector, blankBraille = '\u200d', '\ufe0f', '\u2800'
	return text.Ignorable(r) && r != joiner && r != selector || r == blankBraille ||
		unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

// isPrivate reports whether one person alone reads and writes a store, as far as git and its
// address say.
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

// store stores the note of a request.
func store(ctx context.Context, s *mem.Store, c mem.Caller, p Prompted, fact, project string,
	o note.Options) (done Taken, err error) {
	o.Source = sourceOf(p, project, log.StampOf(s.Now()))
	added, err := note.Add(ctx, s, c, fact, o)
	switch {
	case errors.Is(err, log.ErrLocked):
		return done, err // a proposal waits for no lock
	case errors.Is(err, policy.ErrSecret):
		done.Said = "not stored: " + policy.NoteRefusal
		return done, nil
	case err != nil:
		done.Said = "not stored: " + mem.MaskSecrets(err.Error())
		return done, nil
	}
	id := cmp.Or(added.ID, added.Key.String())
	done.Told = "mem keeps that as " + id + "; it needs no other note"
	if added.Known {
		done.Said = "known already as " + id + ": " + fact
		return done, nil
	}
	where := ""
	if o.Scope == site.User {
		where = " for all projects"
	}
	undo := "undo: mem forget " + id
	if len(added.Near) > 0 {
		undo = added.Near[0] + " says nearly the same: mem supersede " + added.Near[0] + " " + id +
			"; " + undo
	}
	done.Said = "stored " + id + where + ": " + fact + " (" + undo + ")"
	return done, nil
}

// sourceOf returns the source of a note that quotes the user.
func sourceOf(p Prompted, project string, now log.Stamp) []byte {
	var source, locator jsontext.Object
	source.Text("kind", "user")
	source.Text("name", p.Client)
	source.Text("retrieved_at", now.String())
	locator.Text("channel", "prompt")
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
