package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"

	"github.com/set-memory/mem/log"
)

// draft checks an event and brings it into the form in which it is stored.
func (b *Book) draft(ctx context.Context, op *mem.Operation, e Event) (d draft, err error) {
	if err = e.Check(); err != nil {
		return d, err
	}
	as, err := policy.Acting(b.caller, e.Agent)
	if err != nil {
		return d, err
	}
	e.Agent = as.Agent
	if !policy.MaySpeakAs(as, e.Actor.Type, e.Actor.ID) {
		return d, fault.Wrap(mem.KindRefused, "actor "+e.Actor.ID, ErrActor,
			advice.Say("record it as done by agent "+as.Agent))
	}
	value, err := jsontext.Readable(nil, e.Content)
	if err != nil {
		return d, fmt.Errorf("content: %w", err)
	}
	unique, err := b.identify(&e, op.Now())
	if err == nil {
		d.key, err = eventKey(e.Session, unique)
	}
	if err != nil {
		return d, err
	}
	d.answer, d.given = Recorded{Event: eventID + unique, Chunks: []string{}}, e.ID != ""
	what := about{content: []byte(`{"redacted":true}`)}
	if e.Sensitivity != "secret" {
		what = e.normalize(value)
	}
	if what.whole != "" {
		if err := b.spill(ctx, op, &d, &e, &what); err != nil {
			return d, err
		}
	}
	return d, b.finish(ctx, op, &d, &e, what)
}

// identify returns the ULID of an event: that of its sender, or a new one. The error wraps
// mem.ErrFuture where the clock of the sender is ahead.
func (b *Book) identify(e *Event, now log.Stamp) (unique string, err error) {
	if e.At != nil && *e.At > now+log.Day {
		return "", fmt.Errorf("at: %w: %s is more than 24 h ahead of %s", mem.ErrFuture, e.At, now)
	}
	if e.ID == "" {
		_, unique, err = b.newID(eventID, "", now)
		return unique, err
	}
	unique = e.ID[len(eventID):]
	if at := log.StampOf(ulid.Time(unique)); at > now+secondsEarly {
		err = fmt.Errorf("event_id: %w: %s is more than a minute ahead of %s", mem.ErrFuture, at,
			now)
	}
	return unique, err
}

// finish adds the event itself to its draft.
func (b *Book) finish(ctx context.Context, op *mem.Operation, d *draft, e *Event, what about) (
	err error) {
	clean := e.clean(what.content)
	d.answer.Redacted = append(what.found, clean.found...)
	text, err := b.eventContent(e, clean)
	if err != nil {
		return err
	}
	source := e.source(op, d.answer.Event, clean)
	w := mem.Write{Key: d.key, Content: text, Source: source}
	p, err := op.Check(ctx, w, false)
	if errors.Is(err, policy.ErrSecret) {
		// The rest of the secret is in a member that the event cannot change.
		clean = cleanEvent{content: []byte(`{"redacted":true}`), found: clean.found}
		if w.Content, err = b.eventContent(e, clean); err == nil {
			w.Source = e.source(op, d.answer.Event, clean)
			p, err = op.Check(ctx, w, false)
		}
		if errors.Is(err, policy.ErrSecret) {
			err = secretSession()
		}
	}
	if err != nil {
		return err
	}
	d.writes = append(d.writes, p.Drawn())
	if err := b.bring(ctx, op, d, e, clean); err != nil {
		return err
	}
	return d.number(e, clean)
}

// eventContent returns the content of an event. Its time is never sealed.
func (b *Book) eventContent(e *Event, clean cleanEvent) ([]byte, error) {
	text, err := b.content(e.scope(), e.Kind, clean.fill)
	if err != nil || e.At == nil {
		return text, err
	}
	return membersOf(text).With("created_at", jsontext.AppendString(nil, e.At.String())).Object(),
		nil
}

// number names the chunks of an event in its draft.
func (d *draft) number(e *Event, clean cleanEvent) error {
	if e.Sensitivity == "secret" {
		return nil
	}
	parts, err := split(nil, chunkerVersion, textIn(clean.content))
	for i := range parts {
		d.answer.Chunks = append(d.answer.Chunks, ChunkID(d.key, i))
	}
	return err
}

func (e *Event) scope() *Scope {
	return &Scope{Session: e.Session, Agent: e.Agent, Channel: e.Channel,
		Sensitivity: e.Sensitivity, Refs: e.Refs}
}

// cleanEvent holds the members of an event that may contain a secret, with the secrets removed.
type cleanEvent struct {
	actor   Actor
	tags    []string
	refs    []string
	agent   string
	content []byte
	found   []secret.Finding
}

// clean takes secrets out of an event whose content is normalized. It judges them as they will be
// stored, side by side. Of an event that is secret as a whole only the actor stays.
func (e *Event) clean(value []byte) cleanEvent {
	var o jsontext.Object
	texts(&o, "tags", e.Tags)
	o.Raw("actor", e.Actor.object())
	o.TextUnlessEmpty("agent_id", e.Agent)
	o.Raw("content", value)
	texts(&o, "refs", e.Refs)
	text, found := secret.Redact("event", o.Bytes())
	m := membersOf(text)
	actor := membersOf(m.Get("actor"))
	c := cleanEvent{Actor{textOf(actor, "type"), textOf(actor, "id")}, listOf(m, "tags"),
		listOf(m, "refs"), textOf(m, "agent_id"), m.Get("content"), found}
	if m == nil { // nothing of it could be kept
		c.content = []byte(`{"redacted":true}`)
	}
	if e.Sensitivity == "secret" {
		c.tags = nil
	}
	return c
}

func (a Actor) object() []byte {
	var o jsontext.Object
	o.Text("type", a.Type)
	o.Text("id", a.ID)
	return o.Bytes()
}

// fill appends what an event says, in the order in which it is stored.
func (c *cleanEvent) fill(o *jsontext.Object) {
	o.TextUnlessEmpty("agent_id", c.agent)
	if c.actor.Type != "" {
		o.Raw("actor", c.actor.object())
	}
	texts(o, "tags", c.tags)
	o.Raw("content", c.content)
	texts(o, "refs", c.refs)
	o.Raw("chunker", fmt.Append(nil, chunkerVersion))
}

var sourceKinds = map[string]string{"human": "user", "agent": "agent", "tool": "tool"}

// source returns the source of an event: its actor, or only the id of a sealed or secret one.
func (e *Event) source(op *mem.Operation, id string, c cleanEvent) []byte {
	if e.Sensitivity == "high" || c.actor.Type == "" {
		return op.Source("system", "mem event", "event", id)
	}
	var source, locator jsontext.Object
	locator.Text("session", e.Session)
	locator.Text("event", id)
	locator.TextUnlessEmpty("path", textOf(membersOf(c.content), "path"))
	source.Text("kind", sourceKinds[e.Actor.Type])
	source.Text("name", c.actor.ID)
	source.Text("retrieved_at", op.Now().String())
	source.Raw("locator", locator.Bytes())
	return source.Bytes()
}

// spill puts the whole text of an event into an artifact, which its content then names.
func (b *Book) spill(ctx context.Context, op *mem.Operation, d *draft, e *Event,
	what *about) error {
	m := membersOf(what.content)
	a := Artifact{Scope: *e.scope(), Kind: "tool_output"}
	a.Refs, a.event = []string{d.answer.Event}, uniqueOf(d.key)
	if tool := textOf(m, "tool"); tool != "" {
		var meta jsontext.Object
		meta.Text("tool", tool)
		meta.TextUnlessEmpty("path", textOf(m, "path"))
		a.Meta = meta.Bytes()
	}
	a.Meta, _ = secret.Redact("meta", a.Meta)
	kept, err := keepText(ctx, b, op, &a, what.whole)
	if err != nil {
		return err
	}
	d.answer.Artifact, d.blob, d.writes = kept.id, kept.blob, []mem.Checked{kept.write}
	what.content = m.With("artifact_id", jsontext.AppendString(nil, kept.id)).Object()
	return nil
}

// put stores writes in one update, in which the files that they name are there: what a purge took
// away meanwhile is put there again.
func (b *Book) put(ctx context.Context, op *mem.Operation, blobs []*blob, writes []mem.Checked,
	along ...func(*mem.Tx) error) ([]mem.Outcome, error) {
	for _, one := range blobs {
		if one.bytes == nil {
			continue
		}
		if err := one.store(ctx, b.store); err != nil {
			return nil, err
		}
	}
	for {
		written, err := op.Update(ctx, func(tx *mem.Tx) error {
			for _, one := range blobs {
				if err := one.isThere(ctx, b.store); err != nil {
					return err
				}
			}
			if err := tx.Put(writes...); err != nil {
				return err
			}
			for _, more := range along {
				if err := more(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, errBlobGone) {
			return written, err
		}
		for _, one := range blobs {
			if err := one.store(ctx, b.store); err != nil {
				return nil, err
			}
		}
	}
}

// isThere reports by its error whether a file is still there.
func (f *blob) isThere(ctx context.Context, s *mem.Store) error {
	r, err := s.OpenBlob(ctx, f.sum)
	if errors.Is(err, fs.ErrNotExist) {
		return errBlobGone
	}
	if err == nil {
		err = r.Close()
	}
	return err
}

// store stores a file whose bytes are at hand: those of a stream that is read are there no more.
func (f *blob) store(ctx context.Context, s *mem.Store) error {
	if f.bytes == nil {
		return fmt.Errorf("artifact: %w", errBlobGone)
	}
	_, err := s.PutBlob(ctx, bytes.NewReader(f.bytes), MaxArtifact)
	return err
}
