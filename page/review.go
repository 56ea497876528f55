package page

import (
	"errors"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/audit"
	"github.com/set-memory/mem/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/layer"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// waiting is a write without a word on where it is from, and what it would replace.
type waiting struct {
	place
	For      keypath.Key // that it was written for
	Rec, Now log.Record  // Now is zero where nothing is there
	Lines    []diffLine
}

// IsLate reports whether what is there was written since.
func (w waiting) IsLate() bool { return w.Now.TS > w.Rec.TS }

// reviewData is what waits for a person.
type reviewData struct {
	Queue []waiting
	More  int
}

// How much is shown at once.
const (
	maxQueue = 20
	maxFound = 50
)

func review(v *visit) error {
	var data reviewData
	for _, sh := range v.used() {
		list, err := mem.OfClass(v.ctx(), sh.store, v.o.Caller, keypath.Prefix{},
			keypath.Quarantined)
		if err != nil {
			return err
		}
		for _, rec := range list {
			if len(data.Queue) == maxQueue {
				data.More++
				continue
			}
			one, err := v.waiting(sh, rec)
			if err != nil {
				return err
			}
			data.Queue = append(data.Queue, one)
		}
	}
	return v.show("review", "Review", data)
}

// waiting holds a quarantined write against what it would replace.
func (v *visit) waiting(sh *shelf, rec log.Record) (w waiting, err error) {
	w = waiting{place: place{sh, rec.Key}, Rec: rec}
	if w.For, err = policy.Released(rec.Key); err != nil {
		return w, err
	}
	now, err := sh.store.Get(v.ctx(), v.o.Caller, w.For, true)
	if errors.Is(err, mem.ErrNotFound) {
		return w, nil
	}
	w.Now = now.Clone()
	w.Lines = compare(indented(now.Content), indented(rec.Content))
	return w, err
}

// asShown refuses to decide about a write that is not what the person was shown.
func (v *visit) asShown(at place) error {
	rec, err := at.store.Get(v.ctx(), v.o.Caller, at.Key, true)
	if err == nil && rec.TS.String() != v.r.PostForm.Get("ts") {
		err = &fault{http.StatusConflict, "It was written again since you looked.",
			"Review shows what it says now."}
	}
	return err
}

func approve(v *visit, at place) error {
	if err := v.asShown(at); err != nil {
		return err
	}
	out, err := at.store.Approve(v.ctx(), v.o.Caller, at.Key,
		mem.ApproveOptions{Force: v.r.PostForm.Get("over") != ""})
	if errors.Is(err, mem.ErrConflict) {
		err = &fault{http.StatusConflict, mem.Message(err),
			"Review shows both: approve it there over what is newer, or reject it."}
	}
	if err != nil {
		return err
	}
	return v.back("/review", "Approved: "+out.Key.Shown())
}

func reject(v *visit, at place) error {
	if err := v.asShown(at); err != nil {
		return err
	}
	if _, err := at.store.Reject(v.ctx(), v.o.Caller, at.Key); err != nil {
		return err
	}
	return v.back("/review", "Rejected. The history keeps it.")
}

// finding is what audit has found, with what its memories say.
type finding struct {
	audit.Finding
	*shelf
	Newest, Rest []listed
}

// CanSettle reports whether the first may take the place of the others.
func (f finding) CanSettle() bool {
	return f.Check == audit.Duplicates || f.Check == audit.Contradictions
}

// auditData is what audit has found.
type auditData struct {
	Found         []finding
	More, Scanned int
}

func showAudit(v *visit) error {
	var data auditData
	for _, sh := range v.used() {
		o := audit.Options{Duplicates: true, Contradictions: true, Dangling: true, Expired: true}
		for _, other := range v.used() {
			if other != sh && other.ID == layer.User {
				o.Others = append(o.Others, other.store)
			}
		}
		rep, err := audit.Run(v.ctx(), sh.store, v.o.Caller, o)
		if err != nil {
			return err
		}
		data.Scanned += rep.Scanned
		shown := min(len(rep.Found), maxFound-len(data.Found))
		data.More += len(rep.Found) - shown
		for _, f := range rep.Found[:shown] {
			one := finding{Finding: f, shelf: sh}
			one.Newest, one.Rest = v.listKeys(sh, f.Key), v.listKeys(sh, f.Others...)
			data.Found = append(data.Found, one)
		}
	}
	return v.show("audit", "Duplicates and contradictions", data)
}

// listKeys returns what lies under some keys. What is gone by now is left out.
func (v *visit) listKeys(sh *shelf, keys ...keypath.Key) (list []listed) {
	for _, key := range keys {
		if rec, err := sh.store.Get(v.ctx(), v.o.Caller, key, true); err == nil {
			list = append(list, v.newListed(sh.ID, rec))
		}
	}
	return list
}

// supersede marks a memory as replaced by another.
func supersede(v *visit, at place) error {
	by, err := keypath.Parse(v.r.PostForm.Get("by"))
	if err != nil {
		return err
	}
	_, err = edit.Supersede(v.ctx(), at.store, v.all, v.o.Caller, at.Key, by, edit.Author{})
	if err != nil {
		return err
	}
	return v.back("/review/audit", at.Key.Shown()+" is superseded by "+by.Shown())
}
