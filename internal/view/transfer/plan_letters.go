package transfer

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// isPlain reports whether a note with a plain id comes into a store whose notes have letters.
func (p *plan) isPlain(w mem.Checked) bool {
	return p.im.o.IDs.Draw != nil && w.Imported() && note.IsPlain(w.Key())
}

// letter returns the key with letters of a note, which a copy of it had got, too. Where another
// note has it, it gets a number of this store.
func (p *plan) letter(w mem.Checked) (keypath.Key, error) {
	to, err := note.Letter(p.file[w.Key()])
	if err != nil {
		return to, err
	}
	if have := p.here[to]; have != nil && !content.IsPurgeMark(have.newest) {
		return p.freeKey(w)
	}
	p.lettered[w.Key()] = true
	return to, nil
}
