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

// add notes a version.
func (l *letters) add(e log.Envelope) {
	if id, isNote := keypath.NoteID(e.Key); isNote {
		if short, _ := keypath.ShortID(e.Key); short == id {
			l.versions[e.Key] = append(l.versions[e.Key], e.Clone())
		}
	}
}

// give returns the lines of the notes under their new ids, and the marks of the old ones. A mark
// of an earlier exchange, after which nothing was purged yet, counts again.
func (l *letters) give(source []byte, isMarked func(log.Envelope) bool) (
	lines []log.Envelope, marked []log.Identity, err error) {
	to, names := map[keypath.Key]keypath.Key{}, []string{}
	for key, versions := range l.versions {
		slices.SortFunc(versions, newestFirst)
		switch newest := versions[0]; {
		case content.MarksPurge(newest.Source) && len(versions) > 1:
			l.stones = append(l.stones, newest)
		case newest.Valid():
			if to[key], err = note.Letter(versions); err != nil {
				return nil, nil, err
			}
			names = append(names, quoted(key), quoted(to[key]))
		}
	}
	follow := strings.NewReplacer(names...)
	for _, key := range slices.SortedFunc(maps.Keys(to), keypath.Key.Compare) {
		for _, e := range l.versions[key] {
			wasMarked := isMarked(e)
			e.Key, e.Content = to[key], []byte(follow.Replace(string(e.Content)))
			if lines = append(lines, e); wasMarked {
				marked = append(marked, e.Identity())
			}
		}
		stone := log.Envelope{Key: key, TS: l.versions[key][0].TS + 1, Source: source,
			Content: []byte("null")}
		l.stones = append(l.stones, stone)
		lines = append(lines, stone)
	}
	return lines, marked, nil
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
	lines, marked, err := x.own.give(source.Bytes(), x.isMarked)
	if err != nil || len(x.own.stones) == 0 {
		return err
	}
	if err := x.op.Fold(x.ctx, lines, marked); err != nil {
		return err
	}
	// A crash before this leaves the old versions behind their marks: the next exchange goes on.
	if _, err := x.op.PurgeMarked(x.ctx, x.own.stones); err != nil {
		return err
	}
	for _, e := range lines {
		x.local[e.Identity()] = true
		if mem.Travels(log.Record{Envelope: e}) {
			x.unsent = append(x.unsent, e)
		}
	}
	return nil
}
