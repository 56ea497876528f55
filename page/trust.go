package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/layer"
	"github.com/set-memory/mem/log"
)

// asking is a .mem that nobody has let in, or what others have written into one since.
type asking struct {
	Root, Why string
	Known     bool // it was let in before
	List      []mem.Memory
	Gone      []string // keys that others have deleted
	More      int
	Seen      string // stands for exactly what is listed, in the form that lets it in
	Err       string
	site      *layer.Site
	lines     []log.Record
}

// asking returns the stores that ask for trust.
func (v *visit) asking() (list []*asking) {
	for _, s := range v.layers.Sites.Skipped {
		if s.Untrusted {
			list = append(list, &asking{Root: s.Root, Why: s.Why,
				site: v.layers.Sites.At(s.Root)})
		}
	}
	for _, sh := range v.shelves {
		if sh.site.Grant == nil || sh.err != nil {
			continue
		}
		one := &asking{Root: sh.Root, Why: "others have written to it since it was let in",
			Known: true, site: sh.site}
		if one.read(v); len(one.lines) > 0 || one.Err != "" {
			list = append(list, one)
		}
	}
	return list
}

// maxUnseen is how many lines of a store are shown at once. No more are let in at once.
const maxUnseen = 200

// read lists what a store says that nobody has looked at.
func (a *asking) read(v *visit) {
	unseen, err := v.layers.Unseen(v.ctx(), v.o.Caller, a.site)
	if err == nil {
		a.lines = unseen
		var gone []log.Record
		gone, err = v.layers.UnseenDeletions(v.ctx(), a.site)
		a.lines = append(a.lines, gone...)
	}
	if err != nil {
		a.Err = mem.Message(err)
		return
	}
	a.More = max(0, len(a.lines)-maxUnseen)
	a.lines = a.lines[:len(a.lines)-a.More]
	seen := sha256.New()
	for _, rec := range a.lines {
		seen.Write(append(rec.Line, '\n'))
		if !rec.Valid() {
			a.Gone = append(a.Gone, rec.Key.String())
			continue
		}
		a.List = append(a.List, mem.NewMemory(rec))
	}
	a.Seen = hex.EncodeToString(seen.Sum(nil))
}

func showTrust(v *visit) error {
	list := v.asking()
	for _, a := range list {
		if !a.Known {
			a.read(v)
		}
	}
	return v.show("trust", "Stores that ask for trust", list)
}

// letIn lets a store in, if it says what the person was shown, and finds the stores anew.
func letIn(v *visit) error {
	if err := v.letInListed(); err != nil {
		return err
	}
	if err := v.find(); err != nil {
		return err
	}
	return v.back("/review/trust", "Let in: "+v.r.PostForm.Get("root"))
}

func (v *visit) letInListed() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, a := range v.asking() {
		if a.Root != v.r.PostForm.Get("root") {
			continue
		}
		a.read(v)
		if a.Seen != v.r.PostForm.Get("seen") {
			return &fault{http.StatusConflict, "It says something else than you were shown.",
				"Look at it again."}
		}
		return v.layers.LetIn(v.ctx(), a.site, a.lines)
	}
	return errNoStore
}
