package page

import (
	"errors"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/audit"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/layer"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/readout"
)

// waiting is a write without a word on where it is from, and what it would replace.
type waiting struct {
	In, Store string
	Key       string // below /untrusted
	For       string // the key that it was written for
	TS        log.Stamp
	Title     string
	JSON      string
	Source    string
	Now       string // what that key holds; "": nothing
	NowTS     log.Stamp
	Lines     []diffLine
	IsLater   bool // what the key holds was written since
}

// reviewData is what waits for a person.
type reviewData struct {
	Queue []waiting
	More  int
	Trust int // stores that ask for it
}

// maxQueue is how many waiting writes are shown at once.
const maxQueue = 20

func review(v *visit) error {
	data := reviewData{Trust: len(v.asking())}
	for _, sh := range v.used() {
		if sh.err != nil {
			return sh.err
		}
		list, err := mem.OfClass(v.ctx(), sh.store, v.caller(), keypath.Prefix{},
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
	key, err := policy.Released(rec.Key)
	if err != nil {
		return w, err
	}
	w = waiting{In: sh.ID, Store: sh.Title, Key: rec.Key.String(), For: key.String(), TS: rec.TS,
		Title: readout.Short(rec.Content, content.Parse(rec.Content)),
		JSON:  indented(rec.Content), Source: indented(rec.Source)}
	now, err := sh.store.Get(v.ctx(), v.caller(), key, true)
	if errors.Is(err, mem.ErrNotFound) {
		return w, nil
	}
	if err != nil {
		return w, err
	}
	w.Now, w.NowTS, w.IsLater = indented(now.Content), now.TS, now.TS > rec.TS
	w.Lines = compare(w.Now, w.JSON)
	return w, nil
}

// decided returns the write that a person decides about, as they were shown it.
func (v *visit) decided() (at place, err error) {
	if at, err = v.place(); err != nil {
		return at, err
	}
	ts, err := log.ParseTime(v.r.PostForm.Get("ts"))
	if err != nil {
		return at, err
	}
	rec, err := at.store.Get(v.ctx(), v.caller(), at.Key, true)
	if err == nil && rec.TS != ts {
		err = &fault{http.StatusConflict, "It was written again since you looked.",
			"Review shows what it says now."}
	}
	return at, err
}

func approve(v *visit) error {
	at, err := v.decided()
	if err != nil {
		return err
	}
	out, err := at.store.Approve(v.ctx(), v.caller(), at.Key,
		mem.ApproveOptions{Force: v.r.PostForm.Get("over") != ""})
	if conflict := (*mem.ConflictError)(nil); errors.As(err, &conflict) {
		return &fault{http.StatusConflict, mem.Message(err),
			"Review shows both: approve it there over what is newer, or reject it."}
	}
	if err != nil {
		return err
	}
	return v.back("/review", "Approved: "+out.Key.Shown())
}

func reject(v *visit) error {
	at, err := v.decided()
	if err != nil {
		return err
	}
	if _, err := at.store.Reject(v.ctx(), v.caller(), at.Key); err != nil {
		return err
	}
	return v.back("/review", "Rejected. The history keeps it.")
}

// finding is what audit has found, with what its memories say.
type finding struct {
	audit.Finding
	In, Store string
	Newest    listed
	Others    []listed
	CanSettle bool // the first may take the place of the others
}

// auditData is what audit has found.
type auditData struct {
	Found   []finding
	More    int
	Scanned int
}

// maxFound is how many findings are shown at once.
const maxFound = 50

func showAudit(v *visit) error {
	var data auditData
	for _, sh := range v.used() {
		if sh.err != nil {
			return sh.err
		}
		rep, err := audit.Run(v.ctx(), sh.store, v.caller(), audit.Options{Duplicates: true,
			Contradictions: true, Dangling: true, Expired: true, Others: v.beside(sh)})
		if err != nil {
			return err
		}
		data.Scanned += rep.Scanned
		for _, f := range rep.Found {
			if len(data.Found) == maxFound {
				data.More++
				continue
			}
			one, err := v.finding(sh, f)
			if err != nil {
				return err
			}
			data.Found = append(data.Found, one)
		}
	}
	return v.show("audit", "Duplicates and contradictions", data)
}

// beside returns the stores that are read together with one.
func (v *visit) beside(sh *shelf) (list []*mem.Store) {
	for _, other := range v.used() {
		if other != sh && other.ID == layer.User && other.err == nil {
			list = append(list, other.store)
		}
	}
	return list
}

// finding reads the memories of a finding. One that is gone by now is left out.
func (v *visit) finding(sh *shelf, f audit.Finding) (one finding, err error) {
	one = finding{Finding: f, In: sh.ID, Store: sh.Title,
		CanSettle: f.Check == audit.Duplicates || f.Check == audit.Contradictions}
	for i, key := range append([]keypath.Key{f.Key}, f.Others...) {
		rec, err := sh.store.Get(v.ctx(), v.caller(), key, true)
		if errors.Is(err, mem.ErrNotFound) {
			continue
		}
		if err != nil {
			return one, err
		}
		if i == 0 {
			one.Newest = v.newListed(sh.ID, rec)
		} else {
			one.Others = append(one.Others, v.newListed(sh.ID, rec))
		}
	}
	return one, nil
}

// supersede marks a memory as replaced by another.
func supersede(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	by, err := keypath.Parse(v.r.PostForm.Get("by"))
	if err != nil {
		return err
	}
	all, err := v.layers.Reading()
	if err != nil {
		return err
	}
	if !at.Used {
		all = at.store
	}
	done, err := edit.Supersede(v.ctx(), at.store, all, v.caller(), at.Key, by, edit.Author{})
	if err != nil {
		return err
	}
	if !done.Changed {
		return v.back("/review/audit", "It is superseded already")
	}
	return v.back("/review/audit", at.Key.Shown()+" is superseded by "+by.Shown())
}
