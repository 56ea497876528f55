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

// editData is a memory while it is edited, or added.
type editData struct {
	place
	TS     log.Stamp // of the version that is edited
	Fields edit.Fields
	AsJSON bool
	Typed  string // as JSON
	Fault  *failure
	Lost   *log.Record     // written by another program meanwhile; without a key: deleted
	Lines  []edit.DiffLine // from that version to the typed text

	Stores  []*shelf // that a new memory may go to
	In, New string   // the one that is chosen, and the key
}

func editForm(v *visit, at place) error {
	err := cmp.Or(edit.MayEdit(at.Key), policy.CheckVerb(at.Key, policy.Edit))
	if err != nil {
		return err
	}
	rec, err := at.store.Get(v.ctx(), v.caller, at.Key, true)
	if err != nil {
		return err
	}
	data := editData{place: at, TS: rec.TS, Typed: indented(rec.Content)}
	fields, isText := edit.FieldsOf(rec.Content)
	data.Fields, data.AsJSON = fields, !isText || v.r.URL.Query().Get("json") != ""
	return v.show("edit", "Edit", data)
}

// fieldsOf returns the fields of a form. Tags that are sent as they were shown stay as they were.
func (v *visit) fieldsOf(was edit.Fields) edit.Fields {
	form := v.r.PostForm
	f := edit.Fields{Summary: form.Get("summary"), Tags: was.Tags,
		Text:       strings.ReplaceAll(form.Get("text"), "\r\n", "\n"),
		Type:       strings.TrimSpace(form.Get("type")),
		Importance: strings.TrimSpace(form.Get("importance")),
		Expires:    strings.TrimSpace(form.Get("expires")), Pinned: form.Get("pinned") != ""}
	if form.Get("tags") == strings.Join(was.Tags, ", ") {
		return f
	}
	f.Tags = nil
	for tag := range strings.SplitSeq(form.Get("tags"), ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(f.Tags, tag) {
			f.Tags = append(f.Tags, tag)
		}
	}
	return f
}

// saveEdit stores the typed text if the version that was edited is still the newest. If it cannot,
// the text stays in the form.
func saveEdit(v *visit, at place) (err error) {
	data := editData{place: at, AsJSON: v.r.PostForm.Has("json")}
	if data.TS, err = v.stamp("ts"); err != nil {
		return err
	}
	was, err := edit.VersionAt(v.ctx(), at.store, v.caller, at.Key, data.TS)
	if err != nil {
		return err
	}
	var res edit.Result
	if data.AsJSON {
		data.Typed = strings.ReplaceAll(v.r.PostForm.Get("json"), "\r\n", "\n")
		res, err = v.replace(at, was, []byte(data.Typed))
	} else {
		shown, _ := edit.FieldsOf(was.Content)
		data.Fields = v.fieldsOf(shown)
		res, err = edit.SetFields(v.ctx(), at.store, v.caller, was, data.Fields, edit.Author{})
	}
	if err == nil {
		return v.edited(at, at.Path(), "Memory saved", res)
	}
	data.explain(err)
	v.send(statusOf(err), "edit", "Edit", data)
	return nil
}

// explain says in the form why nothing was stored.
func (d *editData) explain(err error) {
	var conflict *mem.ConflictError
	if d.TS == 0 || !errors.As(err, &conflict) {
		f := failureOf(err)
		d.Fault = &f
		return
	}
	d.Lost = &conflict.Newest
	typed := strings.TrimSpace(d.Typed)
	if !d.AsJSON {
		text, _ := d.Fields.Apply(d.Key, conflict.Newest.Content) // of a deletion there is none
		typed = indented(text)
	}
	d.Lines = edit.DiffLines(indented(conflict.Newest.Content), typed)
	d.TS = max(d.TS, conflict.Newest.TS) // the next form shows that version
}

// replace stores a text in the place of a version.
func (v *visit) replace(at place, was log.Record, text []byte) (res edit.Result, err error) {
	form, err := jsontext.Readable(nil, text)
	if err != nil || jsontext.Equal(form, was.Content) {
		return res, err
	}
	return edit.Replace(v.ctx(), at.store, v.caller, was, form, edit.Author{})
}

func addForm(v *visit) error {
	used := v.used()
	return v.show("edit", "Add a memory", editData{Stores: used, In: used[len(used)-1].ID})
}

// saveNew stores a new memory. Whatever goes wrong, the text stays in the form.
func saveNew(v *visit) error {
	form := v.r.PostForm
	data := editData{Stores: v.used(), In: form.Get("in"), New: strings.TrimSpace(form.Get("key")),
		Fields: v.fieldsOf(edit.Fields{})}
	if err := v.add(&data); err != nil {
		data.explain(err)
		v.send(statusOf(err), "edit", "Add a memory", data)
	}
	return nil
}

func (v *visit) add(data *editData) (err error) {
	if data.New != "" {
		if data.Key, err = keypath.Parse("/" + strings.TrimPrefix(data.New, "/")); err != nil {
			return err
		}
	}
	sh, err := v.shelf(data.In, data.Key)
	if err != nil {
		return err
	}
	added, err := edit.Add(v.ctx(), v.layers, v.caller, sh.site, data.Key, data.Fields)
	switch {
	case err != nil:
		return err
	case added.Known: // its own page undoes that
		return v.redirect("/memory?"+string(query("key", added.Key.String())),
			"A note has this text already; it was renewed")
	}
	return v.did(place{sh, added.Key}.Path(), "Memory added",
		writes{sh, []mem.Outcome{added.Outcome}})
}

func forgetMemory(v *visit, at place) error {
	gone, _, err := forget.Delete(v.ctx(), at.store, v.caller, []keypath.Key{at.Key}, "", nil)
	if err == nil && len(gone) == 0 {
		err = &mem.NotFoundError{Key: at.Key}
	}
	if err != nil {
		return err
	}
	return v.did(at.Path(), "Forgotten: no agent sees it any more", writes{at.shelf, gone})
}

// deletion is a deleted memory of a store.
type deletion struct {
	*shelf
	forget.Deletion
}

// showDeleted lists what can be brought back, the newest first.
func showDeleted(v *visit) error {
	var all []deletion
	for _, sh := range v.used() {
		list, err := forget.Deletions(v.ctx(), sh.store, v.caller)
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
	return v.show("deleted", "Recently deleted", all[:min(len(all), maxListed)])
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
	done, err := edit.Undo(v.ctx(), at.store, v.caller, at.Key, to, edit.Author{})
	if err != nil {
		return err
	}
	notice := "Restored: the version of " + date(done.Restored)
	if !done.Valid {
		notice = "Deleted again, as of " + date(done.Restored)
	}
	return v.edited(at, at.Path(), notice, done.Result)
}

// purgeData is what would go for good, or what the proof has found when it is gone.
type purgeData struct {
	place
	Match  forget.Match
	Proof  backend.Proof
	Failed string
}

func purgeForm(v *visit, at place) error {
	found, err := forget.EverOf(v.ctx(), at.store, v.caller, at.Key)
	if err != nil {
		return err
	}
	return v.show("purge", "Delete this memory permanently?", purgeData{place: at, Match: found})
}

func purgeMemory(v *visit, at place) error {
	form := v.r.PostForm
	if _, err := forget.EverOf(v.ctx(), at.store, v.caller, at.Key); err != nil {
		return err
	}
	o := mem.PurgeOptions{Keys: []keypath.Key{at.Key},
		Reason: strings.TrimSpace(form.Get("reason")), ForgetKeys: form.Get("key_too") != ""}
	moved, err := forget.Follow(v.ctx(), v.layers, v.caller,
		[]forget.Part{{Store: at.store, Keys: o.Keys}})
	if err == nil {
		err = moved.Purge(v.ctx(), v.caller, o)
	}
	if err != nil {
		return err
	}
	proof, err := at.store.Purge(v.ctx(), v.caller, o)
	if err != nil && len(proof.Remains) == 0 {
		return err
	}
	err = cmp.Or(err, moved.Left())
	data, status := purgeData{place: at, Proof: proof}, http.StatusOK
	if err != nil {
		status, data.Failed = statusOf(err), mem.Message(err)
	}
	v.send(status, "purged", "Deleted for good", data)
	return nil
}
