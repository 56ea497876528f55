package lettering

import (
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Versions are those of notes with plain ids, by key.
type Versions map[keypath.Key][]log.Envelope

// Add adds a version, if it is of such a note, and no mark that an id has got letters.
func (v Versions) Add(e log.Envelope) {
	if note.IsPlain(e.Key) && !isGiven(e) {
		v[e.Key] = append(v[e.Key], e.Clone())
	}
}

// Names are the keys with letters that notes get.
type Names struct {
	to     map[keypath.Key]keypath.Key
	follow *strings.Replacer
}

// Of returns the names for all notes with these versions.
func Of(versions Versions) (n Names, err error) {
	n.to = map[keypath.Key]keypath.Key{}
	var pairs []string
	for _, key := range slices.SortedFunc(maps.Keys(versions), keypath.Key.Compare) {
		if n.to[key], err = note.Letter(versions[key]); err != nil {
			return n, err
		}
		pairs = append(pairs, quoted(key), quoted(n.to[key]))
	}
	n.follow = strings.NewReplacer(pairs...)
	return n, nil
}

func quoted(key keypath.Key) string { return string(jsontext.AppendString(nil, key.String())) }

// Line returns a line with the new names: its own key, and those that it refers to.
func (n Names) Line(e log.Envelope) log.Envelope {
	if to, ok := n.to[e.Key]; ok && !isGiven(e) {
		e.Key = to
	}
	e.Content = n.text(e.Content)
	return e
}

func (n Names) text(content []byte) []byte {
	return []byte(n.follow.Replace(string(content)))
}

// given is why a plain id has the mark of a purge.
const given = "the note has an id with letters"

// isGiven reports whether a line is the mark that a plain id gets.
func isGiven(e log.Envelope) bool {
	return content.MarksPurge(e.Source) &&
		jsontext.Unquote(content.Member(e.Source, "reason")) == given
}

// stone returns the mark that a plain id gets after its newest version.
func stone(newest log.Envelope) log.Envelope {
	var source jsontext.Object
	source.Text("kind", "user")
	source.Text("name", "mem fsck")
	source.Text("reason", given)
	source.Raw("purged", []byte("true"))
	return log.Envelope{Key: newest.Key, TS: newest.TS + 1, Source: source.Bytes(),
		Content: []byte("null")}
}
