package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/changes"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/inject"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// place is a key in a store, as a request names it.
type place struct {
	*shelf
	Key keypath.Key
}

// Path returns where the memory is shown.
func (p place) Path() string { return memoryPath(p.ID, p.Key.String()) }

// Store returns what the store is called.
func (p place) Store() string { return p.Title }

// Text returns the key as text.
func (p place) Text() string { return p.Key.String() }

// place returns the memory that a request is about.
func (v *visit) place() (p place, err error) {
	if p.Key, err = keypath.Parse(v.r.FormValue("key")); err != nil {
		return p, err
	}
	p.shelf, err = v.shelf(v.r.FormValue("in"), p.Key)
	return p, err
}

// version is one write of a key.
type version struct {
	TS      log.Stamp
	Before  log.Stamp // of the version before; 0: there is none, or it is not listed
	Valid   bool
	Source  string
	Summary string
}

// memoryData is all that is known of a memory.
type memoryData struct {
	place
	Live     bool
	Rec      log.Record
	Fields   content.Fields
	At       log.Stamp
	Expired  bool
	Heading  string
	Prose    string // what it says besides its title
	JSON     string
	Source   string
	Versions []version
	Count    int
	Told     []inject.Injection
	ToldAll  int
}

// How many versions of a memory, and tellings, are listed.
const (
	maxVersions = 50
	maxTellings = 10
)

func showMemory(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	data := memoryData{place: at}
	if err := v.versions(&data); err != nil {
		return err
	}
	rec, err := at.store.Get(v.ctx(), v.caller(), at.Key, true)
	switch {
	case errors.Is(err, mem.ErrNotFound):
		data.Heading = "Deleted"
	case err != nil:
		return err
	default:
		data.describe(rec.Clone(), log.StampOf(at.store.Now()))
	}
	if err := v.tellings(&data); err != nil {
		return err
	}
	return v.show("memory", data.Heading, data)
}

// describe takes from a live record what is shown of it.
func (d *memoryData) describe(rec log.Record, now log.Stamp) {
	d.Live, d.Rec, d.Fields = true, rec, content.Parse(rec.Content)
	d.At, d.Expired = d.Fields.Time(rec.TS), d.Fields.Expired(now)
	d.Heading = readout.Short(rec.Content, d.Fields)
	if d.Prose = d.Fields.Text; strings.TrimSpace(d.Prose) == d.Heading {
		d.Prose = ""
	}
	d.JSON, d.Source = indented(rec.Content), indented(rec.Source)
}

// versions lists the history of a memory.
func (v *visit) versions(d *memoryData) error {
	history, err := d.store.History(v.ctx(), v.caller(), d.Key)
	if err != nil {
		return err
	}
	d.Count = history.Count
	for rec, err := range history.Rows {
		if err != nil {
			return err
		}
		if n := len(d.Versions); n > 0 {
			d.Versions[n-1].Before = rec.TS
		}
		if len(d.Versions) == maxVersions {
			break
		}
		one := version{TS: rec.TS, Valid: rec.Valid(), Source: mem.SourceSummary(rec.Source)}
		if one.Valid {
			one.Summary = readout.Short(rec.Content, content.Parse(rec.Content))
		}
		d.Versions = append(d.Versions, one)
	}
	return nil
}

// tellings finds the conversations that were told a memory.
func (v *visit) tellings(d *memoryData) error {
	all, err := v.layers.Reading()
	if err != nil {
		return err
	}
	list, err := inject.Recorded(all, "", 0)
	for i := len(list) - 1; i >= 0; i-- {
		for _, m := range list[i].Memories {
			if m.Key != d.Key.String() || m.Layer != "" && m.Layer != d.site.Layer {
				continue
			}
			if d.ToldAll++; d.ToldAll <= maxTellings {
				d.Told = append(d.Told, list[i])
			}
			break
		}
	}
	return err
}

// indented returns JSON for people.
func indented(text []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return out.String()
}

// diffLine is a line of a comparison.
type diffLine struct{ Kind, Sign, Text string }

// compare returns the lines in which two texts differ, with some around them.
func compare(old, now string) (lines []diffLine) {
	text := diff.Diff("old", []byte(old+"\n"), "new", []byte(now+"\n"))
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if i < 3 || line == "" { // it names what is compared
			continue
		}
		kind := map[byte]string{'+': "added", '-': "gone", '@': "hunk"}[line[0]]
		lines = append(lines, diffLine{kind, line[:1], line[1:]})
	}
	return lines
}

// diffData is two versions of a memory.
type diffData struct {
	place
	From, To changes.Version
	Lines    []diffLine
}

func showDiff(v *visit) error {
	at, err := v.place()
	if err != nil {
		return err
	}
	var stamps []log.Stamp
	for _, name := range []string{"from", "to"} {
		if text := v.r.FormValue(name); text != "" {
			ts, err := log.ParseTime(text)
			if err != nil {
				return err
			}
			stamps = append(stamps, ts)
		}
	}
	pair, err := changes.Between(v.ctx(), at.store, v.caller(), at.Key, stamps...)
	if err != nil {
		return err
	}
	return v.show("diff", "What changed", diffData{at, pair.From, pair.To,
		compare(versionText(pair.From), versionText(pair.To))})
}

// versionText returns the lines of a version; none where it is a deletion.
func versionText(p changes.Version) string {
	if string(p.Content) == "null" {
		return ""
	}
	return indented(p.Content)
}
