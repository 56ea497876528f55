package forget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Across is a selection in the stores of a call.
type Across struct {
	Parts   []Part // those that have some
	LeftOut int    // see Found
	Moved   Elsewhere

	sel    Selection
	layers *layers.Layers
	caller mem.Caller
}

// Part is a selection in one store.
type Part struct {
	Site  *site.Site
	Store *mem.Store
	Layer string // "" where there is one store
	Root  string // "" for a store of the call
	Keys  []keypath.Key
	Found []Match // of the same keys
	// Takes reports whether a version of a key goes; nil: all do.
	Takes func(log.Record) bool
}

// Look looks in each store for the selected keys: live ones, or with ever those with any version.
func Look(ctx context.Context, l *layers.Layers, c mem.Caller, sel Selection, ever bool) (
	*Across, error) {
	a := &Across{sel: sel, layers: l, caller: c}
	look := Live
	if ever {
		look = FindEver
	}
	err := eachStore(l, func(p Part) error {
		found, err := look(ctx, p.Store, c, sel)
		if err != nil {
			return err
		}
		a.LeftOut += found.LeftOut
		for i := range found.Matches {
			found.Matches[i].Layer = p.Layer
		}
		p.Found = found.Matches
		p.Keys, err = Keys(found.Matches)
		if len(p.Keys) > 0 {
			a.Parts = append(a.Parts, p)
		}
		return err
	})
	if err == nil && ever {
		a.Moved, err = Follow(ctx, l, c, a.Parts)
	}
	return a, err
}

func eachStore(l *layers.Layers, fn func(Part) error) error {
	for _, site := range l.Sites.List() {
		s, err := l.Open(site)
		if err != nil {
			return err
		}
		p := Part{Site: site, Store: s}
		if l.Layered() {
			p.Layer = site.Layer
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

// Matches returns the matches of all stores.
func (a *Across) Matches() []Match {
	all := []Match{}
	for _, p := range append(slices.Clone(a.Parts), a.Moved.Parts...) {
		all = append(all, p.Found...)
	}
	return all
}

// Missing returns the keys that were named and are not found.
func (a *Across) Missing() []keypath.Key {
	return slices.DeleteFunc(append([]keypath.Key{}, a.sel.Keys...), func(key keypath.Key) bool {
		return slices.ContainsFunc(a.Parts,
			func(p Part) bool { return slices.Contains(p.Keys, key) })
	})
}

// Deleted is the result of a deletion in one store.
type Deleted struct {
	Layer    string
	Outcomes []mem.Outcome
}

// Delete deletes the found keys in each store at one instant, so that one undo takes them back
// together. Where the index of one could not follow, the others get theirs all the same.
func (a *Across) Delete(ctx context.Context, reason string, source []byte) (
	done []Deleted, missing []keypath.Key, err error) {
	by := a.caller
	var turn backend.InTurn
	for _, p := range a.Parts {
		by.Now = cmp.Or(by.Now, log.StampOf(p.Store.Now()))
		outcomes, gone, err := Delete(ctx, p.Store, by, p.Keys, reason, source)
		if err := turn.Next(err); err != nil {
			return done, missing, err
		}
		missing, done = append(missing, gone...), append(done, Deleted{p.Layer, outcomes})
	}
	return done, missing, turn.End()
}

// Purge removes the found keys from the history of each store, see mem.Purge, those that were moved
// first: where it is killed, the rest leads to them again. Damaged lines may show keys that were
// named and have no version. The error is of a purge that did not begin; done.Failed is the reason
// of a missing proof.
func (a *Across) Purge(ctx context.Context, reason string, forgetKeys bool) (
	done Purged, err error) {
	if err := a.addUnreadable(ctx); err != nil {
		return done, err
	}
	done.Stores = []PurgedStore{}
	parts := append(slices.Clone(a.Moved.Parts), a.Parts...)
	for i, p := range parts {
		proof, err := p.Store.Purge(ctx, a.caller, mem.PurgeOptions{
			Keys: p.Keys, Reason: reason, ForgetKeys: forgetKeys})
		if err != nil && len(proof.Remains) == 0 {
			return done, done.after(err, i+1, len(parts))
		}
		if proof.Versions > 0 {
			done.Failed = cmp.Or(done.Failed, err)
			done.Add(p, proof)
		}
	}
	done.Failed = cmp.Or(done.Failed, a.Moved.Left())
	if n := len(done.Stores); n > 0 {
		done.Stores[n-1].Beyond = append(done.Stores[n-1].Beyond, a.Moved.Beyond...)
	}
	done.Inbox, err = a.inbox().Scrub(a.sel.hasInboxText)
	if err == nil && a.sel.Text != "" {
		var marks int
		marks, err = a.inbox().Unmark(a.sel.Text)
		done.Inbox += marks
	}
	return done, err
}

func (a *Across) inbox() *inbox.Inbox { return inbox.In(a.layers.Sites.Book.Dir(), nil) }

// InInbox returns how many lines of the inbox a purge takes away besides.
func (a *Across) InInbox() (n int, err error) {
	err = a.inbox().Each(func(_ string, line []byte) {
		if inbox.Holds(line, a.sel.hasInboxText) {
			n++
		}
	})
	if err == nil && a.sel.Text != "" {
		var marks []string
		marks, err = a.inbox().MarksOf(a.sel.Text)
		n += len(marks)
	}
	return n, err
}

// hasInboxText reports whether a string in the inbox has the text or the session to purge.
func (sel Selection) hasInboxText(text string) bool {
	return sel.Session != "" && text == sel.Session || sel.Text != "" &&
		strings.Contains(strings.ToLower(text), strings.ToLower(sel.Text))
}

// addUnreadable adds the named keys that were not found, if no purge has taken them.
func (a *Across) addUnreadable(ctx context.Context) error {
	if len(a.sel.Keys) == 0 {
		return nil
	}
	permitted, err := a.sel.Permitted(a.caller)
	if err != nil {
		return err
	}
	past, err := PurgedBefore(ctx, a.layers, a.caller)
	if err != nil {
		return err
	}
	found := a.Parts
	return eachStore(a.layers, func(p Part) error {
		for _, key := range permitted {
			_, done := past[key.String()]
			if !done && !slices.ContainsFunc(found, func(f Part) bool {
				return f.Site == p.Site && slices.Contains(f.Keys, key)
			}) {
				p.Keys = append(p.Keys, key)
			}
		}
		if len(p.Keys) > 0 {
			a.Parts = append(a.Parts, p)
		}
		return nil
	})
}

// DeletionsIn returns the deletions in the stores of a call, newest first.
func DeletionsIn(ctx context.Context, l *layers.Layers, c mem.Caller) ([]Deletion, error) {
	all := []Deletion{}
	err := eachStore(l, func(p Part) error {
		list, err := Deletions(ctx, p.Store, c)
		for _, d := range list {
			d.Layer = p.Layer
			all = append(all, d)
		}
		return err
	})
	slices.SortStableFunc(all, func(a, b Deletion) int { return cmp.Compare(b.TS, a.TS) })
	return all, err
}

// PurgedBefore returns when keys were purged.
func PurgedBefore(ctx context.Context, l *layers.Layers, c mem.Caller) (
	map[string]log.Stamp, error) {
	list, err := DeletionsIn(ctx, l, c)
	past := map[string]log.Stamp{}
	for _, d := range list {
		if d.Purged {
			past[d.Key] = max(past[d.Key], d.TS)
		}
	}
	return past, err
}

// Purged is a purge of the stores of a call, as it is printed.
type Purged struct {
	Versions int           `json:"versions"`
	Stores   []PurgedStore `json:"stores"`
	Inbox    int           `json:"inbox,omitempty"` // lines of the inbox
	Failed   error         `json:"-"`               // something is left
}

// after returns the error of the n-th of some stores, after the others before it are done. A purge
// that has begun in a store goes on there by itself, and not in those behind it.
func (d *Purged) after(err error, n, of int) error {
	const rest = "the same command purges the rest"
	begun, has := errors.AsType[*backend.UnfinishedError](err)
	switch {
	case has && n < of:
		return &backend.UnfinishedError{Rest: rest, Err: begun.Err,
			Done: fmt.Sprintf("store %d of %d: %s", n, of, begun.Done)}
	case len(d.Stores) == 0:
		return err
	}
	return backend.Unfinished(err, "another store is purged", rest)
}

// PurgedStore is the purge of one store.
type PurgedStore struct {
	Layer    string          `json:"layer,omitempty"`
	Store    string          `json:"store,omitempty"` // see Match
	Keys     []keypath.Key   `json:"keys"`
	Versions int             `json:"versions"`
	Horizon  log.Stamp       `json:"horizon"`
	Proved   bool            `json:"proved"`
	Remains  []string        `json:"remains"`
	Others   []backend.Trace `json:"others"`       // at most maxOthers
	Total    int             `json:"others_total"` // all of them
	Short    int             `json:"too_short"`    // values that are too short to be looked for
	Beyond   []string        `json:"beyond"`       // files that were not looked into
	Kept     []string        `json:"kept"`         // sums of files that other artifacts are about

	Looked string `json:"-"` // see backend.Proof
}

// Place names the store; "" where there is one.
func (s *PurgedStore) Place() string { return placeOf(s.Layer, s.Store) }

// maxOthers is how many places of other keys are listed.
const maxOthers = 20

// Add adds the purge of one store.
func (d *Purged) Add(p Part, proof backend.Proof) {
	d.Versions += proof.Versions
	d.Stores = append(d.Stores, PurgedStore{
		Layer: p.Layer, Store: p.Root, Looked: proof.Looked, Keys: p.Keys, Versions: proof.Versions,
		Horizon: proof.Horizon, Proved: len(proof.Remains) == 0,
		Remains: append([]string{}, proof.Remains...),
		Others:  append([]backend.Trace{}, proof.Others[:min(len(proof.Others), maxOthers)]...),
		Total:   len(proof.Others), Short: proof.Short,
		Beyond: append([]string{}, proof.Beyond...), Kept: append([]string{}, proof.Kept...),
	})
}
