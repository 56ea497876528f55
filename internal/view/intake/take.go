package intake

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/capture"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
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

// Take stores or proposes the fact that a prompt asks to remember. said is a line for the person,
// "" where nothing came of it.
func Take(ctx context.Context, l *mem.Layers, c mem.Caller, b *inbox.Inbox, p Prompted) (
	said string, err error) {
	whole := p
	r, class := asked(&p)
	if r.Verdict == capture.Nothing || isScheduled(b, whole) {
		return "", nil
	}
	s, err := l.Reading()
	if err != nil {
		return "", err
	}
	conf, err := s.InjectConfig(ctx)
	if err != nil {
		return "", err
	}
	o := note.Options{Scope: note.DefaultScope}
	if r.User || l.Sites.Project == nil && l.Sites.One == nil {
		o.Scope = site.User
	}
	to, one, o, err := note.Place(ctx, l, c, o)
	if err != nil {
		return "", err
	}
	if r.Verdict == capture.Store && conf.Capture.User && p.Typed && isPrivate(one) {
		return store(ctx, to, c, p, r.Text, l.Sites.Name(), o)
	}
	if !conf.Capture.Propose {
		return "", nil
	}
	_, err = propose(b, inbox.Proposal{Class: class, Text: r.Text, User: r.User,
		Store: one.Address(), Project: l.Sites.Name(), Client: p.Client,
		Sessions: []string{p.Session}, Evidence: []string{p.Text}})
	return "", err
}

// isScheduled reports whether the model wrote the prompt for a later time.
func isScheduled(b *inbox.Inbox, p Prompted) bool {
	j, ok := b.Journal(p.Client, p.Session)
	return ok && j.HasScheduled(p.Text)
}

// pasted begin what a client puts into a prompt besides the words of the person: Claude Code a long
// paste, Gemini the files that are named with an @.
var pasted = [...]string{"<pasted_content", "\n--- Content from referenced files ---"}

// asked returns the request of a prompt, or the correction that it makes.
func asked(p *Prompted) (r capture.Request, class string) {
	for _, mark := range pasted {
		if text, _, found := strings.Cut(p.Text, mark); found {
			p.Text, p.Typed = text, false
		}
	}
	if strings.HasPrefix(p.Text, "<") { // a client's own words, such as <task-notification>
		return r, ""
	}
	if r = capture.Asked(p.Text); r.Verdict != capture.Nothing {
		return r, "request"
	}
	if fact, ok := capture.Correction(p.Text); ok {
		r = capture.Request{Verdict: capture.Propose, Text: fact}
	}
	return r, "correction"
}

// isPrivate reports whether one person alone reads and writes a store.
func isPrivate(one *site.Site) bool {
	return !one.Public() && !site.IsRemote(one.Root) && !one.Tracked()
}

// store stores the note of a request.
func store(ctx context.Context, s *mem.Store, c mem.Caller, p Prompted, text, project string,
	o note.Options) (said string, err error) {
	o.Source = sourceOf(p, project, log.StampOf(s.Now()))
	added, err := note.Add(ctx, s, c, text, o)
	if err != nil {
		return "not stored: " + mem.MaskSecrets(err.Error()), nil
	}
	id := cmp.Or(added.ID, added.Key.String())
	if added.Known {
		return fmt.Sprintf("known already as %s: %s", id, text), nil
	}
	return fmt.Sprintf("stored %s: %s; mem forget %s", id, text, id), nil
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
func propose(b *inbox.Inbox, list ...inbox.Proposal) (added int, err error) {
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
