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

// writes are those of an action to one store.
type writes struct {
	*shelf
	list []mem.Outcome
}

// writesOf returns the writes of an edit of one memory.
func writesOf(at place, res edit.Result) writes {
	if !res.Changed {
		return writes{at.shelf, nil}
	}
	return writes{at.shelf, []mem.Outcome{res.Outcome}}
}

// did goes to another page after an action, and offers there to undo it.
func (v *visit) did(path, notice string, parts ...writes) error {
	parts = slices.DeleteFunc(parts, func(p writes) bool { return len(p.list) == 0 })
	err := v.back(path, notice)
	if len(parts) > 0 {
		v.guest.say(notice, &action{secret(), path, parts})
	}
	return err
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
		written, err := edit.Revert(v.ctx(), sh.store, v.o.Caller, p.list, edit.Author{})
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
		if len(selected[sh]) == 0 {
			continue
		}
		written, err := v.change(sh, selected[sh], form.Get("do"), strings.TrimSpace(form.Get("tag")))
		if err != nil {
			return err
		}
		parts, count = append(parts, writes{sh, written}), count+len(written)
	}
	return v.did("/memories?"+form.Get("asked"),
		plural(count, "memory", "memories")+" "+changes[form.Get("do")], parts...)
}

// changes are what can be done to several memories at once, and what a notice says then.
var changes = map[string]string{"forget": "forgotten", "pin": "pinned", "tag": "tagged",
	"untag": "without the tag"}

// change does one thing to memories of one store.
func (v *visit) change(sh *shelf, keys []keypath.Key, do, tag string) ([]mem.Outcome, error) {
	with := edit.Changes{}
	switch {
	case do == "forget":
		gone, _, err := forget.Delete(v.ctx(), sh.store, v.o.Caller, keys, "", nil)
		return gone, err
	case do == "pin":
		done, err := edit.Pin(v.ctx(), sh.store, v.o.Caller, keys, true, edit.Author{})
		return done.Touched, err
	case tag == "":
		return nil, errNoTag
	case do == "tag":
		with.Add = []string{tag}
	case do == "untag":
		with.Remove = []string{tag}
	default:
		return nil, errNoPage
	}
	for _, key := range keys {
		if err := session.CheckTouched(key, with.Add, nil); err != nil {
			return nil, err
		}
	}
	done, err := edit.Touch(v.ctx(), sh.store, v.o.Caller, keys, with, edit.Author{})
	return done.Touched, err
}

func pinMemory(v *visit, at place) error {
	pin := v.r.PostForm.Get("off") == ""
	done, err := edit.Pin(v.ctx(), at.store, v.o.Caller, []keypath.Key{at.Key}, pin, edit.Author{})
	if err == nil && len(done.Missing) > 0 {
		err = &mem.NotFoundError{Key: at.Key}
	}
	if err != nil {
		return err
	}
	notice := "Unpinned"
	if pin {
		notice = "Pinned: it comes first in every conversation"
	}
	return v.did(at.Path(), notice, writes{at.shelf, done.Touched})
}
