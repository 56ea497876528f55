package ledger

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/ulid"

	"github.com/set-memory/mem/log"
)

// Book is the events, decisions, tasks, handoffs and artifacts of one memory, for one caller.
type Book struct {
	store  *mem.Store // that is written to
	reads  *mem.Store // what refs lead to
	admits *mem.Store // what bundles are built from
	caller mem.Caller
	vault
	ids     *ulid.Maker
	cache   *Cache
	project string // as in Options
}

// vault seals contents and opens sealed ones.
type vault struct{ keys Keys } // nil: it does neither

// Keys seal and open the contents of sensitivity high (package seal).
type Keys interface {
	// Seal returns a text without line breaks or quotes.
	Seal(plain []byte) ([]byte, error)
	Open(sealed []byte) ([]byte, error)
	// SealTo and OpenFrom are the same for the bytes of an artifact. To close the writer of SealTo
	// ends what it seals.
	SealTo(w io.Writer) (io.WriteCloser, error)
	OpenFrom(r io.Reader) (io.Reader, error)
}

// Options are what a Book may do without.
type Options struct {
	// Reads is where refs lead; nil: the store that is written to.
	Reads *mem.Store
	// Admits is what bundles are built from, see layers.Layers.Admitted; nil: Reads.
	Admits *mem.Store
	Keys   Keys        // nil: nothing can be sealed or opened
	IDs    *ulid.Maker // of the records; nil: one of random ids
	// Cache remembers how texts are cut; nil: nothing does.
	Cache *Cache
	// Project is the mark of the project here (site.Sites.ProjectMark), of which a handoff in the
	// user's store is then; "" for none.
	Project string
}

// New returns the book of a store.
func New(s *mem.Store, c mem.Caller, o Options) *Book {
	if o.IDs == nil {
		o.IDs = &ulid.Maker{}
	}
	reads := cmp.Or(o.Reads, s)
	return &Book{s, reads, cmp.Or(o.Admits, reads), c, vault{o.Keys}, o.IDs, o.Cache,
		o.Project}
}

// Reads returns the store that refs lead into.
func (b *Book) Reads() *mem.Store { return b.reads }

// Caller returns the caller that the book is for.
func (b *Book) Caller() mem.Caller { return b.caller }

// newID returns an id of now, and its ULID. The id of what an event brings follows from that of
// the event: an event that is sent again brings the same.
func (b *Book) newID(prefix, event string, now log.Stamp) (id, unique string, err error) {
	if event == "" {
		unique, err = b.ids.New(now.Time())
	} else {
		sum := sha256.Sum256([]byte(prefix + event))
		unique, err = ulid.New(ulid.Time(event), bytes.NewReader(sum[:]))
	}
	return prefix + unique, unique, err
}

// sealedMember is where a sealed record has what nobody may read.
const sealedMember = "sealed"

// content returns the content of a record of some kind: what fill appends is sealed where the
// sensitivity asks for it. The error wraps ErrNoKey or is that of the keys.
func (b vault) content(s *Scope, kind string, fill func(o *jsontext.Object)) ([]byte, error) {
	var o jsontext.Object
	s.public(&o, kind)
	if !s.IsSealed() {
		fill(&o)
		return o.Bytes(), nil
	}
	if b.keys == nil {
		return nil, noKey()
	}
	var inner jsontext.Object
	fill(&inner)
	sealed, err := b.keys.Seal(inner.Bytes())
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	o.Text(sealedMember, string(sealed))
	return o.Bytes(), nil
}

// open returns the members of a content, sealed ones too; ok is false without a key.
func (b vault) open(content []byte) (m jsontext.MemberList, ok bool) {
	m = membersOf(content)
	sealed := m.Get(sealedMember)
	if sealed == nil {
		return m, true
	}
	if b.keys == nil {
		return m, false
	}
	plain, err := b.keys.Open([]byte(jsontext.Unquote(sealed)))
	if err != nil {
		return m, false
	}
	return append(m.DropName(sealedMember), membersOf(plain)...), true
}

// IsSealed reports whether content is sealed.
func IsSealed(content []byte) bool { return membersOf(content).Get(sealedMember) != nil }

// Opened returns content with its sealed members opened. The error wraps ErrNoKey.
func Opened(b *Book, content []byte) ([]byte, error) {
	m, ok := b.open(content)
	if !ok {
		return nil, noKey()
	}
	return m.Object(), nil
}

// membersOf returns the members of an object; of anything else none.
func membersOf(value []byte) jsontext.MemberList {
	if len(value) == 0 || value[0] != '{' {
		return nil
	}
	return jsontext.ParseMembers(value)
}

func textOf(m jsontext.MemberList, name string) string { return jsontext.Unquote(m.Get(name)) }

func listOf(m jsontext.MemberList, name string) (list []string) {
	for element := range jsontext.Elements(m.Get(name)) {
		list = append(list, jsontext.Unquote(element))
	}
	return list
}

// scopeOf returns the scope of a stored record.
func scopeOf(m jsontext.MemberList) Scope {
	return Scope{Session: textOf(m, "session_id"), Agent: textOf(m, "agent_id"),
		Channel: textOf(m, "channel"), Sensitivity: textOf(m, "sensitivity"),
		Refs: listOf(m, "refs")}
}

// sourceOf returns the source of a record that an agent or a person stores by a verb. For a sealed
// record it omits the name of the agent.
func sourceOf(op *mem.Operation, s *Scope, verb, id string) []byte {
	kind, name := "user", "mem "+verb
	if s.Agent != "" && !s.IsSealed() {
		kind, name = "agent", s.Agent
	}
	return op.Source(kind, name, "id", id)
}
