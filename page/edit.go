package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/edit"
	"github.com/set-memory/mem/forget"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// editData is a memory while it is edited.
type editData struct {
	place
	TS    log.Stamp // of the version that is edited
	Typed string
	Fault string
	Hint  string
	Lost  *lost // somebody else was first
}

// lost is what an edit has lost against.
type lost struct {
	TS     log.Stamp // 0: it was deleted
	Text   string
	Source string
	Lines  []diffLine // from it to what was typed
}

func editForm(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	if err := errors.Join(edit.MayEdit(at.Key), policy.CheckVerb(at.Key, "edit")); err != nil {
		return err
	}
	rec, err := at.store.Get(v.ctx(), v.caller(), at.Key, true)
	if err != nil {
		return err
	}
	return v.show("edit", "Edit", editData{place: at, TS: rec.TS, Typed: indented(rec.Content)})
}

// saveEdit stores what was typed, on the condition that the version is the newest that it was made
// of. Whatever goes wrong, the text stays in the form.
func saveEdit(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	data := editData{place: at, Typed: strings.ReplaceAll(v.r.PostForm.Get("text"), "\r\n", "\n")}
	if data.TS, err = log.ParseTime(v.r.PostForm.Get("ts")); err != nil {
		return err
	}
	res, err := v.replace(at, data.TS, []byte(data.Typed))
	var conflict *mem.ConflictError
	switch {
	case err == nil && !res.Changed:
		return v.back(at.Path(), "Nothing changed")
	case err == nil && !res.Valid:
		return v.back(at.Path(), "Memory deleted; bring back an older version below")
	case err == nil:
		return v.back(at.Path(), "Memory saved")
	case errors.As(err, &conflict):
		data.lose(conflict.Newest)
	default:
		f := failureOf(err)
		data.Fault, data.Hint = f.Message, f.Hint
	}
	v.send(statusOf(err), "edit", "Edit", data)
	return nil
}

// lose says against what the edit has lost. It is made of that from now on.
func (d *editData) lose(newest log.Record) {
	d.Lost = &lost{}
	if newest.Key.IsZero() {
		return
	}
	d.Lost = &lost{TS: newest.TS, Text: indented(newest.Content),
		Source: mem.SourceSummary(newest.Source)}
	d.Lost.Lines = compare(d.Lost.Text, strings.TrimSpace(d.Typed))
	d.TS = newest.TS
}

// replace stores a text in the place of the version of a ts.
func (v *visit) replace(at place, ts log.Stamp, text []byte) (res edit.Result, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return res, &fault{http.StatusBadRequest, "The text is empty.",
			"Forget deletes the memory."}
	}
	history, err := at.store.History(v.ctx(), v.caller(), at.Key)
	if err != nil {
		return res, err
	}
	for was, err := range history.Rows {
		if err != nil {
			return res, err
		}
		if was.TS != ts {
			continue
		}
		if same, _ := compact(was.Content), compact(text); same != "" && same == compact(text) {
			return res, nil
		}
		return edit.Replace(v.ctx(), at.store, v.caller(), was.Clone(), text, edit.Author{})
	}
	return res, &fault{http.StatusNotFound, "The version that this was made of is gone.", ""}
}

// compact returns JSON without white space; "" for what is none.
func compact(text []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return ""
	}
	return out.String()
}

// touch changes importance, expiry or tags, and nothing else.
func touch(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	form := v.r.PostForm
	with := edit.Changes{Importance: []byte(strings.TrimSpace(form.Get("importance"))),
		Expires: strings.TrimSpace(form.Get("expires")), NoExpiry: form.Get("keep") != "",
		Add: words(form.Get("add")), Remove: words(form.Get("remove")),
		Current: form.Get("current") != ""}
	if len(with.Importance) == 0 {
		with.Importance = nil
	}
	done, err := edit.Touch(v.ctx(), at.store, v.caller(), []keypath.Key{at.Key}, with,
		edit.Author{})
	if err != nil {
		return err
	}
	if len(done.Touched) == 0 {
		return v.back(at.Path(), "Nothing changed")
	}
	return v.back(at.Path(), "Memory changed")
}

func words(text string) []string { return strings.Fields(strings.ReplaceAll(text, ",", " ")) }

func forgetMemory(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	gone, _, err := forget.Delete(v.ctx(), at.store, v.caller(), []keypath.Key{at.Key},
		strings.TrimSpace(v.r.PostForm.Get("reason")), nil)
	if err != nil {
		return err
	}
	if len(gone) == 0 {
		return &mem.NotFoundError{Key: at.Key}
	}
	return v.back(at.Path(), "Forgotten: no agent is told it any more. Undo brings it back.")
}

func undo(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	var to *log.Stamp
	if text := v.r.PostForm.Get("to"); text != "" {
		ts, err := log.ParseTime(text)
		if err != nil {
			return err
		}
		to = &ts
	}
	done, err := edit.Undo(v.ctx(), at.store, v.caller(), at.Key, to, edit.Author{})
	if err != nil {
		return err
	}
	if !done.Valid {
		return v.back(at.Path(), "It is deleted again, as of "+date(done.Restored))
	}
	return v.back(at.Path(), fmt.Sprintf("It is as of %s again", date(done.Restored)))
}
