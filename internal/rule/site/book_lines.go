package site

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// identityLen is the length of an identity in hex digits.
const identityLen = 2 * len(log.Identity{})

// maxLines is what a file of identities may have: those of four million lines.
const maxLines = 256 << 20

// appendIdentity appends the identity of a line in hex digits.
func appendIdentity(dst []byte, e log.Envelope) []byte {
	id := e.Identity()
	return hex.AppendEncode(dst, id[:])
}

// KnownLines are the known lines of a store.
type KnownLines struct {
	whole bool
	known identityTable
}

// Has reports whether a line is known. All are where the store is let in as a whole.
func (l *KnownLines) Has(e log.Envelope) bool {
	var room [identityLen]byte
	return l.whole || l.known.has(appendIdentity(room[:0], e))
}

// Len returns the number of identities on record.
func (l *KnownLines) Len() int { return l.known.len }

// Lines returns the known lines of a store: none, before any were learned.
func (b *Book) Lines(g Grant) (*KnownLines, error) {
	l := &KnownLines{whole: g.Whole}
	if g.ID == "" && g.Whole {
		return l, nil
	}
	if !isID(g.ID) {
		return nil, ErrGrant
	}
	dir, err := b.open(linesName)
	if err == nil {
		defer dir.Close()
		var text []byte
		text, err = readMine(dir, g.ID, maxLines)
		l.known = tableOf(text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return l, nil
}

// Learn adds lines to those that are known: those written by this person's own mem, or listed when
// the store was trusted. A known line is appended again; a caller with many lines asks Lines first.
// It does nothing for a store that only MEM_TRUST lets in.
func (b *Book) Learn(g Grant, envs ...log.Envelope) error {
	switch {
	case g.ID == "" && g.Whole || len(envs) == 0:
		return nil
	case !isID(g.ID):
		return ErrGrant
	}
	dir, err := b.open(linesName)
	if errors.Is(err, fs.ErrNotExist) {
		dir, err = b.create(linesName)
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := dir.Append(g.ID)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := closeTorn(f)
	if err != nil {
		return err
	}
	for _, e := range envs {
		text = append(appendIdentity(text, e), '\n')
	}
	_, err = f.Write(text)
	return err
}

// Unlearn takes lines from those that are known: they were purged, and an identity is a hash of
// what they said.
func (b *Book) Unlearn(g Grant, gone *Identities) error {
	if !isID(g.ID) || len(gone.known) == 0 {
		return nil
	}
	dir, err := b.open(linesName)
	if err != nil {
		return ignoreNone(err)
	}
	defer dir.Close()
	text, err := readMine(dir, g.ID, maxLines)
	if err != nil {
		return ignoreNone(err)
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		if !gone.known[string(bytes.TrimSpace(line))] {
			kept = append(kept, line...)
		}
	}
	// A crash here leaves the old file or the new one. A line that another process learns meanwhile
	// may be lost: mem trust lists it.
	return dir.WriteBytesSync(g.ID, kept)
}

// Identities are those of some lines.
type Identities struct{ known map[string]bool }

// Add adds the identity of a line.
func (i *Identities) Add(e log.Envelope) {
	if i.known == nil {
		i.known = map[string]bool{}
	}
	i.known[string(appendIdentity(nil, e))] = true
}

// closeTorn returns the newline that a torn last line lacks. Where somebody else is just writing it
// may come too often: an empty line is no identity.
func closeTorn(f *disk.File) ([]byte, error) {
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !isMine(fi):
		return nil, &fs.PathError{Op: "write", Path: f.Path(), Err: ErrForeign}
	case fi.Size() == 0:
		return nil, nil
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], fi.Size()-1); err != nil || last[0] == '\n' {
		return nil, err
	}
	return []byte{'\n'}, nil
}

// forget removes the known lines of a store, and the trust in the rules of its server.
func (b *Book) forget(id string) error {
	if !isID(id) {
		return nil
	}
	if _, err := b.RevokeRules(Grant{ID: id}); err != nil {
		return err
	}
	dir, err := b.open(linesName)
	if err != nil {
		return ignoreNone(err)
	}
	defer dir.Close()
	// A crash right here leaves lines of an id that no record has.
	return disk.IgnoreNotExist(dir.Remove(id))
}
