package exchange

import (
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// An id without letters is that of one machine: another one may have given it to another note. So
// such notes do not travel. Before an exchange each gets an id with letters, which come from its
// first line alone, with all its versions; what was under the old id is purged.

// letters is the notes of this machine whose ids have no letters.
type letters struct {
	versions map[keypath.Key][]log.Envelope
	stones   []log.Envelope // marks that the old ids get
}

// lettered is one note under its new id.
type lettered struct {
	was    log.Envelope // the newest version under the old one
	lines  []log.Envelope
	marked []log.Identity
	stone  log.Envelope // the mark that the old id gets
}

// add notes a version.
func (l *letters) add(e log.Envelope) {
	if id, isNote := keypath.NoteID(e.Key); isNote {
		if short, _ := keypath.ShortID(e.Key); short == id {
			l.versions[e.Key] = append(l.versions[e.Key], e.Clone())
		}
	}
}

// give returns the notes under their new ids. A mark of an earlier exchange, after which nothing
// was purged yet, counts again.
func (l *letters) give(source []byte, isMarked func(log.Envelope) bool) (
	list []lettered, err error) {
	to, names := map[keypath.Key]keypath.Key{}, []string{}
	for key, versions := range l.versions {
		slices.SortFunc(versions, newestFirst)
		switch newest := versions[0]; {
		case content.MarksPurge(newest.Source) && len(versions) > 1:
			l.stones = append(l.stones, newest)
		case newest.Valid():
			if to[key], err = note.Letter(versions); err != nil {
				return nil, err
			}
			names = append(names, quoted(key), quoted(to[key]))
		}
	}
	follow := strings.NewReplacer(names...)
	for _, key := range slices.SortedFunc(maps.Keys(to), keypath.Key.Compare) {
		one := lettered{was: l.versions[key][0]}
		one.stone = log.Envelope{Key: key, TS: one.was.TS + 1, Source: source,
			Content: []byte("null")}
		for _, e := range l.versions[key] {
			wasMarked := isMarked(e)
			e.Key, e.Content = to[key], []byte(follow.Replace(string(e.Content)))
			if one.lines = append(one.lines, e); wasMarked {
				one.marked = append(one.marked, e.Identity())
			}
		}
		list = append(list, one)
	}
	return list, nil
}

func newestFirst(a, b log.Envelope) int {
	if wins(a, b) {
		return -1
	}
	return 1
}

func quoted(key keypath.Key) string { return string(jsontext.AppendString(nil, key.String())) }

// letter moves the notes of this machine to ids with letters.
func (x *exchange) letter() error {
	var source jsontext.Object
	source.Text("kind", "user")
	source.Text("name", "mem sync")
	source.Text("reason", "the note has an id with letters")
	source.Raw("purged", []byte("true"))
	notes, err := x.own.give(source.Bytes(), x.isMarked)
	if err != nil || len(notes)+len(x.own.stones) == 0 {
		return err
	}
	var keys []keypath.Key
	var marked []log.Identity
	for _, one := range notes {
		keys, marked = append(keys, one.was.Key), append(marked, one.marked...)
	}
	stones, moved := x.own.stones, []log.Envelope{}
	err = x.op.FoldChosen(x.ctx, keys, func(newest map[keypath.Key]log.Record) (
		lines []log.Envelope) {
		for _, one := range notes {
			// One that was edited, deleted or purged meanwhile is left to the next exchange.
			if rec := newest[one.was.Key]; rec.Identity() == one.was.Identity() {
				moved = append(moved, one.lines...)
				stones = append(stones, one.stone)
				lines = append(append(lines, one.lines...), one.stone)
			}
		}
		return lines
	}, marked)
	if err != nil {
		return err
	}
	// A crash before this leaves the old versions behind their marks: the next exchange goes on.
	if _, err := x.op.PurgeMarked(x.ctx, stones); err != nil {
		return err
	}
	for _, e := range moved {
		x.local[e.Identity()] = true
		if mem.Travels(log.Record{Envelope: e}) {
			x.unsent = append(x.unsent, e)
		}
	}
	return nil
}
