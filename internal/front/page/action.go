package page

import (
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
)

// action is what a guest did last, so that one button undoes it.
type action struct {
	id    string // an older page has another one, and undoes nothing
	path  string // the page that shows what came of it
	parts []writes
}

type writes struct {
	*shelf
	list []mem.Outcome
}

// did goes to another page after an action, and offers there to undo it.
func (v *visit) did(path, notice string, parts ...writes) error {
	parts = slices.DeleteFunc(parts, func(p writes) bool { return len(p.list) == 0 })
	err := v.redirect(path, notice)
	if len(parts) > 0 {
		v.guest.say(notice, &action{secret(), path, parts})
	}
	return err
}

// edited is did for an edit of one memory.
func (v *visit) edited(at place, path, notice string, res edit.Result) error {
	if !res.Changed {
		return v.redirect(path, "Nothing changed")
	}
	return v.did(path, notice, writes{at.shelf, []mem.Outcome{res.Outcome}})
}

// undoLast takes the last action back.
func undoLast(v *visit) error {
	last := v.guest.take(v.r.PostForm.Get("action"))
	if last == nil {
		return errUndone
	}
	var back []writes
	for _, p := range last.parts {
		sh, err := v.shelf(p.ID, keypath.Key{}) // the stores may have been found anew
		if err != nil {
			return err
		}
		written, err := edit.Revert(v.ctx(), sh.store, v.caller, p.list, edit.Author{})
		if err != nil {
			return err
		}
		back = append(back, writes{sh, written})
	}
	return v.did(last.path, "Undone", back...)
}

// changeSeveral does one thing to all memories that are selected in a list.
func changeSeveral(v *visit) error {
	form := v.r.PostForm
	selected := map[*shelf][]keypath.Key{}
	for _, one := range form["at"] {
		in, name, _ := strings.Cut(one, " ")
		key, err := keypath.Parse(name)
		if err != nil {
			return err
		}
		sh, err := v.shelf(in, key)
		if err != nil {
			return err
		}
		selected[sh] = append(selected[sh], key)
	}
	var parts []writes
	count := 0
	for _, sh := range v.shelves {
		if len(selected[sh]) > 0 {
			written, err := v.change(sh.store, selected[sh])
			if err != nil {
				return err
			}
			parts, count = append(parts, writes{sh, written}), count+len(written)
		}
	}
	return v.did("/memories?"+form.Get("asked"),
		plural(count, "memory", "memories")+" changed", parts...)
}

// change forgets memories of one store, or gives them a tag; -tag takes it away.
func (v *visit) change(s *mem.Store, keys []keypath.Key) ([]mem.Outcome, error) {
	tag := strings.TrimSpace(v.r.PostForm.Get("tag"))
	with := edit.Changes{Add: []string{tag}}
	if gone, ok := strings.CutPrefix(tag, "-"); ok {
		with = edit.Changes{Remove: []string{gone}}
	}
	switch do := v.r.PostForm.Get("do"); {
	case do == "forget":
		gone, _, err := forget.Delete(v.ctx(), s, v.caller, keys, "", nil)
		return gone, err
	case do != "tag" || tag == "":
		return nil, errNoTag
	}
	for _, key := range keys {
		if err := session.CheckTouched(key, with.Add, nil); err != nil {
			return nil, err
		}
	}
	done, err := edit.Touch(v.ctx(), s, v.caller, keys, with, edit.Author{})
	return done.Touched, err
}

func pinMemory(v *visit, at place) error {
	pin := v.r.PostForm.Get("off") == ""
	done, err := edit.Pin(v.ctx(), at.store, v.caller, []keypath.Key{at.Key}, pin, edit.Author{})
	if err == nil && len(done.Missing) > 0 {
		err = &mem.NotFoundError{Key: at.Key}
	}
	if err != nil {
		return err
	}
	notice := "Unpinned"
	if pin {
		notice = "Pinned: injected first in every conversation"
	}
	return v.did(at.Path(), notice, writes{at.shelf, done.Touched})
}
