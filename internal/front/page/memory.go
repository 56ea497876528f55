package page

import (
	"cmp"
	"errors"
	"path"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// place is a key in a store, as a request names it.
type place struct {
	*shelf
	Key keypath.Key
}

// Path returns where the memory is shown.
func (p place) Path() string {
	return "/memory?" + string(query("in", p.ID, "key", p.Key.String()))
}

// place returns the memory that a request is about.
func (v *visit) place() (p place, err error) {
	if p.Key, err = keypath.Parse(v.r.FormValue("key")); err != nil {
		return p, err
	}
	p.shelf, err = v.shelf(v.r.FormValue("in"), p.Key)
	return p, err
}

type memoryData struct {
	place
	Rec    log.Record // the newest that is live, or was deleted last
	Fields content.Fields

	Live, Expired bool
	Versions      []log.Record // the newest first
	Count         int          // of them all
	Injected      []inject.Injection
	InjectedAll   int
}

// Importance returns the importance as a form shows it; "" where nobody has set one.
func (d *memoryData) Importance() string {
	fields, _ := edit.FieldsOf(d.Rec.Content)
	return fields.Importance
}

// maxHead is how many bytes of a title the heading shows on a narrow screen.
const maxHead = 80

// Parts returns the heading, and the text below it, which repeats nothing of it: the first line of
// summary and text or, where that is too long for a heading, the end of the key.
func (d *memoryData) Parts() (p struct{ Head, Prose string }) {
	all := strings.TrimSpace(d.Fields.Summary + "\n\n" + d.Fields.Text)
	p.Head, p.Prose, _ = strings.Cut(all, "\n")
	switch {
	case all == "":
		p.Head = title(d.Rec)
	case len(p.Head) > maxHead:
		p.Head, p.Prose = path.Base(d.Key.Shown()), all
	}
	p.Head, p.Prose = plain(p.Head), plain(strings.Trim(p.Prose, "\n"))
	return p
}

const maxVersions, maxInjections = 50, 10

func showMemory(v *visit, at place) error {
	data := memoryData{place: at}
	rec, err := at.store.Get(v.ctx(), v.caller, at.Key, true)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return err
	}
	data.Live, data.Rec, data.Fields = err == nil, rec.Clone(), content.Parse(rec.Content)
	data.Expired = data.Fields.Expired(log.StampOf(at.store.Now()))
	history, err := at.store.History(v.ctx(), v.caller, at.Key)
	if err != nil {
		return err
	}
	data.Count = history.Count
	for rec, err := range history.Rows {
		if err != nil {
			return err
		}
		if data.Versions = append(data.Versions, rec.Clone()); len(data.Versions) > maxVersions {
			break
		}
	}
	list, err := inject.TellingsOf(v.all, at.Key, at.site.Layer)
	if err != nil {
		return err
	}
	data.Injected, data.InjectedAll = list[:min(len(list), maxInjections)], len(list)
	return v.show("memory", at.Key.Shown(), &data)
}

// indented returns JSON for people, with escapes for what nobody sees; nothing of a deletion.
func indented(text []byte) string {
	if string(text) == "null" {
		return ""
	}
	return log.IndentShown(jsontext.AppendVisible(nil, text))
}

type diffData struct {
	place
	Pair  edit.Pair
	Lines []edit.DiffLine
}

func showDiff(v *visit, at place) error {
	from, err := v.stamp("from")
	to, err2 := v.stamp("to")
	if err = cmp.Or(err, err2); err != nil {
		return err
	}
	pair, err := edit.FindPair(v.ctx(), at.store, v.caller, at.Key, from, to)
	if err != nil {
		return err
	}
	return v.show("diff", "What changed", diffData{at, pair,
		edit.DiffLines(indented(pair.From.Content), indented(pair.To.Content))})
}

// stamp returns the ts of a version that a request names.
func (v *visit) stamp(name string) (log.Stamp, error) { return log.ParseTime(v.r.FormValue(name)) }
