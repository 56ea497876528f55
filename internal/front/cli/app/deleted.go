package app

import (
	"context"
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// maxLookedUp is the number of missing keys of one command whose history is read.
const maxLookedUp = 10

// NameDeleted adds to the error of a verb which of the missing memories were deleted, when, and
// how the first of these comes back. It adds nothing about a memory that was purged, is in
// quarantine, or is another agent's.
func (a *App) NameDeleted(ctx context.Context, err error) error {
	if a.Layers == nil || !errors.Is(err, mem.ErrNotFound) {
		return err
	}
	all, failed := a.Layers.Reading()
	if failed != nil {
		return err
	}
	var back keypath.Key
	list := missingIn(err)
	for _, e := range list[:min(len(list), maxLookedUp)] {
		if restorable := a.lookUpDeleted(ctx, all, e); restorable && back.IsZero() {
			back = e.Key
		}
	}
	if back.IsZero() {
		return err
	}
	name := keypath.Name(back.String())
	if id, isNote := keypath.NoteID(back); isNote && note.HasLetters(back) {
		name = id
	}
	return Hinted(err, advice.Run("undo", name).Then(" brings it back"))
}

// missingIn returns the errors of missing memories that an error wraps.
func missingIn(err error) (list []*mem.NotFoundError) {
	switch e := err.(type) {
	case *mem.NotFoundError:
		return []*mem.NotFoundError{e}
	case interface{ Unwrap() error }:
		return missingIn(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			list = append(list, missingIn(one)...)
		}
	}
	return list
}

// lookUpDeleted adds to an error when its memory was deleted, and reports whether an undo brings
// the memory back.
func (a *App) lookUpDeleted(ctx context.Context, s *mem.Store, e *mem.NotFoundError) bool {
	if e.Key.Untrusted() {
		return false
	}
	v, err := s.History(ctx, a.Caller, e.Key)
	if err != nil || v.Count < 2 {
		return false
	}
	for rec, err := range v.Rows {
		if err != nil || rec.Valid() || content.IsPurgeMark(rec) {
			return false
		}
		e.Deleted = rec.TS
		by := jsontext.Unquote(content.Member(rec.Source, "name"))
		if strings.HasPrefix(by, "mem ") {
			e.By = by
		}
		return true
	}
	return false
}
