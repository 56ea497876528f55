package inbox

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// keyFile has the random key of the marks. Without it nobody can try texts on them.
const keyFile = "key"

// The digits of a mark: those of its text, and those of its text, kind and store.
const textDigits, placeDigits = 24, 8

// marks names the marks of texts that were decided, or have expired.
type marks struct{ key []byte }

// marks returns the names of marks. Without a key there are none, and create makes one.
func (b *Inbox) marks(create bool) (m marks, err error) {
	dir, err := b.open(".", create)
	if err != nil {
		return m, err
	}
	defer dir.Close()
	if m.key = backend.ReadKey(dir, keyFile); m.key == nil && create {
		m.key, err = backend.KeyIn(dir, keyFile)
	}
	return m, err
}

// ofText begins the names of all marks of a text: r- and hex digits of a keyed sum of its letters
// and digits, so that neither case nor punctuation makes another one.
func (m marks) ofText(text string) string {
	return "r-" + m.sum(cmp.Or(Letters(text), content.FoldText(text)))[:textDigits]
}

func (m marks) of(p Proposal) string {
	name := m.ofText(p.Text)
	return name + m.sum(name, p.kind(), p.Store)[:placeDigits]
}

func (m marks) sum(parts ...string) string {
	h := hmac.New(sha256.New, m.key)
	h.Write([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h.Sum(nil))
}

// has reports whether a proposal was decided or has expired.
func (m marks) has(dir *disk.Dir, p Proposal) bool {
	if m.key == nil {
		return false
	}
	mark, ok := readProposal(dir, m.of(p))
	return ok && mark.Gone != 0
}

// bury replaces a proposal by the mark that it is not to be made again.
func (b *Inbox) bury(dir *disk.Dir, p Proposal) error {
	m, err := b.marks(true)
	if err != nil {
		return err
	}
	// After a crash between the two the proposal waits again.
	mark := Proposal{ID: m.of(p), Gone: log.StampOf(b.now()), Fact: p.Fact}
	if err := mark.write(dir); err != nil {
		return err
	}
	return disk.IgnoreNotExist(dir.Remove(p.ID + ".json"))
}

// MarksOf returns the names of the marks that texts were decided.
func (b *Inbox) MarksOf(texts ...string) (names []string, err error) {
	m, err := b.marks(false)
	if err != nil || m.key == nil {
		return nil, disk.IgnoreNotExist(err)
	}
	err = b.each("proposals", func(_ *disk.Dir, name string) error {
		for _, text := range texts {
			if strings.HasPrefix(name, m.ofText(text)) {
				names = append(names, name)
				break
			}
		}
		return nil
	})
	return names, err
}

// Unmark removes the marks that texts were decided, and returns how many.
func (b *Inbox) Unmark(texts ...string) (n int, err error) {
	names, err := b.MarksOf(texts...)
	if err != nil || len(names) == 0 {
		return 0, err
	}
	dir, err := b.open("proposals", false)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	for _, name := range names {
		// After a crash some marks are there, and the purge is not reported as done.
		err = errors.Join(err, disk.IgnoreNotExist(dir.Remove(name)))
	}
	return len(names), err
}

// DecidedFact returns the key of the fact with which a rule of this text was decided, or "".
func (b *Inbox) DecidedFact(p Proposal) string {
	dir, err := b.open("proposals", false)
	if err != nil {
		return ""
	}
	defer dir.Close()
	m, _ := b.marks(false)
	if mark, ok := readProposal(dir, m.of(p)); ok && m.key != nil {
		return mark.Fact
	}
	return ""
}

// Fate is what became of a proposal that was not made.
type Fate int

// The fates.
const (
	Waits   Fate = iota // it waits since before
	Decided             // it was decided, or has expired
	Full                // too many others wait
)

// FateOf returns what became of a proposal that [Inbox.Propose] has not made, and its id.
func (b *Inbox) FateOf(p Proposal) (f Fate, id string) {
	id = idOf(p)
	dir, err := b.open("proposals", false)
	if err != nil {
		return Full, id
	}
	defer dir.Close()
	m, _ := b.marks(false)
	switch was, known := readProposal(dir, id); {
	case known && !b.isGone(was):
		return Waits, id
	case known, m.has(dir, p):
		return Decided, id
	}
	return Full, id
}
