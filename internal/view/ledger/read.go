package ledger

import (
	"bytes"
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Reader reads the records that a channel may read, and opens sealed ones. It is for one goroutine.
type Reader struct {
	*mem.Cleared
	vault
	cache  *Cache
	last   []byte // content that was opened last: several members of a record are asked for in turn
	opened jsontext.MemberList
	isOpen bool
}

// Read returns a reader for a channel at an instant, 0 for now; the channel "" is as for
// mem.Reader.Cleared. The caller closes it.
func (b *Book) Read(ctx context.Context, channel string, now log.Stamp) (*Reader, error) {
	return b.read(ctx, b.reads, channel, now)
}

// ReadAdmitted is [Book.Read] of the records that a model may receive unasked.
func (b *Book) ReadAdmitted(ctx context.Context, channel string, now log.Stamp) (
	*Reader, error) {
	return b.read(ctx, b.admits, channel, now)
}

func (b *Book) read(ctx context.Context, s *mem.Store, channel string, now log.Stamp) (
	*Reader, error) {
	c := b.caller
	c.Now = cmp.Or(now, c.Now)
	view, err := s.Reader(c).Cleared(ctx, channel)
	return &Reader{Cleared: view, vault: b.vault, cache: b.cache}, err
}

// open is that of the vault.
func (r *Reader) open(content []byte) (m jsontext.MemberList, ok bool) {
	if len(content) == 0 || len(content) != len(r.last) || &content[0] != &r.last[0] {
		r.last = content
		r.opened, r.isOpen = r.vault.open(content)
	}
	return r.opened, r.isOpen
}

// Text returns what a memory says: its text, its summary, or an outline of it. ok is false for one
// that is sealed where there is no key.
func (r *Reader) Text(rec log.Record) (text string, ok bool) {
	m, ok := r.open(rec.Content)
	if !ok {
		return "", false
	}
	if membersOf(rec.Content).Get(sealedMember) != nil {
		rec.Content = m.Object()
	}
	return textOfMemory(rec), true
}

func textOfMemory(rec log.Record) string {
	f := content.Parse(rec.Content)
	return cmp.Or(f.Text, f.Summary, readout.Short(rec.Content, f))
}

// ActorAndText returns the actor and the text of an event. ok is as for Text.
func (r *Reader) ActorAndText(rec log.Record) (by Actor, text string, ok bool) {
	m, ok := r.open(rec.Content)
	return r.Actor(rec), textIn(m.Get("content")), ok
}

// Actor returns the speaker of an event; the zero one where the event is sealed.
func (r *Reader) Actor(rec log.Record) Actor {
	m, _ := r.open(rec.Content)
	actor := membersOf(m.Get("actor"))
	return Actor{textOf(actor, "type"), textOf(actor, "id")}
}

// ScopeOf returns where a record comes from; of an event without an agent its actor, if it is one.
func (r *Reader) ScopeOf(rec log.Record) Scope {
	m, _ := r.open(rec.Content) // the agent may be sealed
	s := scopeOf(m)
	if actor := membersOf(m.Get("actor")); s.Agent == "" && textOf(actor, "type") == "agent" {
		s.Agent = textOf(actor, "id")
	}
	return s
}

// SessionOf returns the id of the session that has the settings for a conversation: its own id, or
// that with underscores for hyphens, which ids of clients have and ids of sessions cannot.
func SessionOf(conversation string) string {
	if id := strings.ReplaceAll(conversation, "-", "_"); keypath.IsSessionID(id) {
		return id
	}
	return conversation
}

// ListedAgents returns the agents that the metadata of a session lists.
func ListedAgents(content []byte) []string { return listOf(membersOf(content), "agents") }

// Refs returns what a record refers to.
func (r *Reader) Refs(rec log.Record) []string {
	m, _ := r.open(rec.Content)
	return listOf(m, "refs")
}

// Whole returns the id of the artifact with the whole text of an event; "" for none.
func (r *Reader) Whole(rec log.Record) string {
	if !bytes.Contains(rec.Content, []byte("artifact_id")) &&
		!bytes.Contains(rec.Content, []byte(sealedMember)) {
		return ""
	}
	m, _ := r.open(rec.Content)
	return textOf(membersOf(m.Get("content")), "artifact_id")
}

// Chunk is a part of a text, and what it costs.
type Chunk struct {
	Text   string
	Tokens int
}

// Chunks returns the chunks of a record: of an event those that its ids name. The error wraps
// ErrNoKey or refuses an unknown version of the rules.
func (r *Reader) Chunks(rec log.Record) ([]Chunk, error) {
	m, ok := r.open(rec.Content)
	if !ok {
		return nil, noKey()
	}
	if rec.Key.Class() != keypath.Event {
		return split(r.cache, chunkerVersion, excerptOf(textOfMemory(rec)))
	}
	// An event has the version of the chunker that it was recorded with.
	version, err := strconv.Atoi(string(m.Get("chunker")))
	if err != nil {
		version = chunkerVersion // of an event that other hands have put there
	}
	return split(r.cache, version, textIn(m.Get("content")))
}

// Tokens returns what a text costs, as readout.Tokens estimates it.
func (r *Reader) Tokens(text string) int { return r.cache.Tokens(text) }

func split(c *Cache, version int, text string) ([]Chunk, error) {
	cuts, err := c.cuts(version, text)
	list := make([]Chunk, len(cuts))
	for i, c := range cuts {
		list[i] = Chunk{text[c.From:c.To], c.Tokens}
	}
	return list, err
}
