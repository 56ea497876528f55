package page

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// editData is a memory while it is edited.
type editData struct {
	place
	TS    log.Stamp // of the version that is edited
	Typed string
	Fault *failure
	Lost  *log.Record     // written by another program meanwhile; without a key: deleted
	Lines []edit.DiffLine // from that to what was typed
}

func editForm(v *visit, at place) error {
	err := cmp.Or(edit.MayEdit(at.Key), policy.CheckVerb(at.Key, policy.Edit))
	if err != nil {
		return err
	}
	rec, err := at.store.Get(v.ctx(), v.o.Caller, at.Key, true)
	if err != nil {
		return err
	}
	return v.show("edit", "Edit", editData{place: at, TS: rec.TS, Typed: indented(rec.Content)})
}

// saveEdit stores what was typed, on the condition that the version is the newest that it was made
// of. Whatever goes wrong, the text stays in the form.
func saveEdit(v *visit, at place) (err error) {
	data := editData{place: at, Typed: strings.ReplaceAll(v.r.PostForm.Get("text"), "\r\n", "\n")}
	if data.TS, err = v.stamp("ts"); err != nil {
		return err
	}
	res, err := v.replace(at, data.TS, []byte(data.Typed))
	var conflict *mem.ConflictError
	switch {
	case err == nil && !res.Changed:
		return v.back(at.Path(), "Nothing changed")
	case err == nil:
		return v.back(at.Path(), "Memory saved")
	case errors.As(err, &conflict):
		data.Lost = &conflict.Newest
		data.Lines = edit.DiffLines(indented(conflict.Newest.Content),
			strings.TrimSpace(data.Typed))
		data.TS = max(data.TS, conflict.Newest.TS) // who saves again has seen that
	default:
		f := failureOf(err)
		data.Fault = &f
	}
	v.send(statusOf(err), "edit", "Edit", data)
	return nil
}

// replace stores a text in the place of the version of a ts.
func (v *visit) replace(at place, ts log.Stamp, text []byte) (res edit.Result, err error) {
	form, err := jsontext.Readable(nil, text)
	if err != nil {
		return res, err
	}
	was, err := edit.VersionAt(v.ctx(), at.store, v.o.Caller, at.Key, ts)
	if err != nil || jsontext.Equal(form, was.Content) {
		return res, err
	}
	return edit.Replace(v.ctx(), at.store, v.o.Caller, was, form, edit.Author{})
}

func forgetMemory(v *visit, at place) error {
	gone, _, err := forget.Delete(v.ctx(), at.store, v.o.Caller, []keypath.Key{at.Key}, "", nil)
	if err == nil && len(gone) == 0 {
		err = &mem.NotFoundError{Key: at.Key}
	}
	if err != nil {
		return err
	}
	return v.back(at.Path(), "Forgotten: no agent is told it any more. Undo brings it back.")
}

// deletion is what was deleted from a store.
type deletion struct {
	*shelf
	forget.Deletion
}

// showDeleted lists what can be brought back, the newest first.
func showDeleted(v *visit) error {
	var all []deletion
	for _, sh := range v.used() {
		list, err := forget.Deletions(v.ctx(), sh.store, v.o.Caller)
		if err != nil {
			return err
		}
		for _, d := range list {
			if !d.Live && !d.Purged {
				all = append(all, deletion{sh, d})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b deletion) int { return cmp.Compare(b.TS, a.TS) })
	return v.show("deleted", "Deleted lately", all[:min(len(all), maxListed)])
}

func undo(v *visit, at place) error {
	var to *log.Stamp
	if v.r.PostForm.Get("to") != "" {
		ts, err := v.stamp("to")
		if err != nil {
			return err
		}
		to = &ts
	}
	done, err := edit.Undo(v.ctx(), at.store, v.o.Caller, at.Key, to, edit.Author{})
	if err != nil {
		return err
	}
	notice := "It is as of " + date(done.Restored) + " again"
	if !done.Valid {
		notice = "It is deleted again, as of " + date(done.Restored)
	}
	return v.back(at.Path(), notice)
}

// purgeData is what would go for good, or what the proof has found when it is gone.
type purgeData struct {
	place
	Match  forget.Match
	Proof  backend.Proof
	Failed string
}

func purgeForm(v *visit, at place) error {
	found, err := forget.EverOf(v.ctx(), at.store, v.o.Caller, at.Key)
	if err != nil {
		return err
	}
	return v.show("purge", "Delete this memory permanently?", purgeData{place: at, Match: found})
}

func purgeMemory(v *visit, at place) error {
	form := v.r.PostForm
	if _, err := forget.EverOf(v.ctx(), at.store, v.o.Caller, at.Key); err != nil {
		return err
	}
	proof, err := at.store.Purge(v.ctx(), v.o.Caller, mem.PurgeOptions{
		Keys:   []keypath.Key{at.Key},
		Reason: strings.TrimSpace(form.Get("reason")), ForgetKeys: form.Get("key_too") != ""})
	if err != nil && len(proof.Remains) == 0 {
		return err
	}
	data, status := purgeData{place: at, Proof: proof}, http.StatusOK
	if err != nil {
		status, data.Failed = statusOf(err), mem.Message(err)
	}
	v.send(status, "purged", "Deleted for good", data)
	return nil
}
