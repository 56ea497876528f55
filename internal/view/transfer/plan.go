package transfer

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Renamed is a memory of an import that has another key here.
type Renamed struct {
	From keypath.Key `json:"from"`
	To   keypath.Key `json:"to"`
}

// local is what the store has of a key.
type local struct {
	newest log.Record
	lines  map[string]bool       // of each version, by its time and source
	values map[log.Identity]bool // the lineage of each version, and the identity of its content
}

// plan decides for each key of an import where its lines go.
type plan struct {
	im      *incoming
	here    map[keypath.Key]*local
	born    map[string]keypath.Key       // notes by birth
	known   map[kinship]keypath.Key      // by each version
	purged  map[keypath.Key]log.Envelope // the newest mark of a purge of each key
	ids     map[string]keypath.Key       // notes by id, of any scope
	counts  keypath.Counts
	file    map[keypath.Key][]log.Envelope // in the order of the file
	bases   map[keypath.Key]bool           // of the keys of the file
	earlier map[keypath.Key][]log.Identity // versions that the file names and does not hold
	first   log.Identity                   // of the file
	raw     bool                           // it is no export: its keys are in no order
	same    bool                           // it begins as a segment of this log does
	// timeless reports whether it has lines without a time.
	timeless bool
	moved    map[keypath.Key]keypath.Key
	lettered map[keypath.Key]bool // of moved: notes that get letters, with all their versions
}

// arrange sets the key of each line. A key whose lines continue its versions here is folded by
// time. Any other key that is taken here is replaced by a free name, that of a note by the next
// number, also where the file refers to it.
func (im *incoming) arrange() error {
	p := &plan{im: im, here: map[keypath.Key]*local{}, born: map[string]keypath.Key{},
		known: map[kinship]keypath.Key{}, ids: map[string]keypath.Key{},
		file: map[keypath.Key][]log.Envelope{}, bases: map[keypath.Key]bool{},
		purged:  map[keypath.Key]log.Envelope{},
		earlier: parseEarlier(im.o.earlier, im.o.Prefix),
		moved:   map[keypath.Key]keypath.Key{}, lettered: map[keypath.Key]bool{}}
	var last keypath.Key
	for i, w := range im.writes {
		e := w.Envelope()
		if i == 0 && w.Imported() {
			p.first = lineage(e)
		}
		p.timeless = p.timeless || !w.Imported()
		p.raw = p.raw || last.Compare(e.Key) > 0
		last = e.Key
		p.file[e.Key] = append(p.file[e.Key], e)
		p.bases[baseOf(e.Key)] = true
		p.counts.AddKey(e.Key)
	}
	if err := im.op.Store().Everything(im.ctx, p.look); err != nil {
		return err
	}
	p.dropPurged()
	if err := p.place(); err != nil {
		return err
	}
	return p.rewrite()
}

// look takes in a version that the store has.
func (p *plan) look(rec log.Record) error {
	p.counts.AddKey(rec.Key)
	p.same = p.same || p.raw && rec.Pos.Line == 1 && lineage(rec.Envelope) == p.first
	id, isNote := keypath.NoteID(rec.Key)
	if isNote {
		p.born[birth(rec.Envelope)], p.ids[id] = rec.Key, rec.Key
	} else if !p.bases[baseOf(rec.Key)] {
		return nil
	}
	p.known[kinOf(rec.Key, lineage(rec.Envelope))] = rec.Key
	p.meetMark(rec)
	have := p.here[rec.Key]
	if have == nil {
		have = &local{rec.Clone(), map[string]bool{}, map[log.Identity]bool{}}
		p.here[rec.Key] = have
	}
	if rec.Wins(have.newest) {
		have.newest = rec.Clone()
	}
	have.lines[birth(rec.Envelope)], have.values[lineage(rec.Envelope)] = true, true
	for _, id := range earlierOf(rec) {
		have.values[id], p.known[kinOf(rec.Key, id)] = true, rec.Key
	}
	if p.timeless {
		have.values[saying(rec.Content)] = true
	}
	return nil
}

// place finds the keys that go elsewhere, in the order of the file.
func (p *plan) place() error {
	decided := map[keypath.Key]bool{}
	for _, w := range p.im.writes {
		key := w.Key()
		if decided[key] {
			continue
		}
		decided[key] = true
		to, known := p.origin(key)
		if !known {
			to = key
		}
		switch {
		case p.isOlder(w, p.here[to]):
			to = keypath.Key{}
		case known:
			p.compare(key, p.here[to])
		case p.isPlain(w):
			var err error
			if to, err = p.letter(w); err != nil {
				return err
			}
		case p.clashes(w):
			var err error
			if to, err = p.freeKey(w); err != nil {
				return err
			}
		}
		if to != key {
			p.moved[key] = to
		}
	}
	return nil
}

// lineages returns the identities of all versions of a key that the file has or names.
func (p *plan) lineages(key keypath.Key) []log.Identity {
	ids := append(slices.Clone(p.earlier[key]), p.im.found[key].Version)
	for _, e := range p.file[key] {
		ids = append(ids, lineage(e))
	}
	return ids
}

// origin returns the key that a memory of the file has here, if the file has or names a version of
// it that the store has, too. That alone proves that both are the same memory.
func (p *plan) origin(key keypath.Key) (to keypath.Key, known bool) {
	ids, have := p.lineages(key), p.here[key]
	for _, id := range ids {
		if have != nil && have.values[id] {
			return key, true
		}
	}
	for _, id := range ids {
		if to, known = p.known[kinOf(key, id)]; known {
			break
		}
	}
	return to, known
}

// compare lists a key that was changed here and in the file since both had the same version.
func (p *plan) compare(key keypath.Key, have *local) {
	newest := newestOf(p.file[key])
	if !slices.Contains(p.lineages(key), lineage(have.newest.Envelope)) &&
		!have.values[lineage(newest)] &&
		!jsontext.Equal(newest.Content, have.newest.Content) {
		p.im.rep.Conflicts = append(p.im.rep.Conflicts, have.newest.Key)
	}
}

// clashes reports whether a key of the file is another memory than the one that it is here.
func (p *plan) clashes(w mem.Checked) bool {
	key, have := w.Key(), p.here[w.Key()]
	if id, isNote := keypath.NoteID(key); have == nil && isNote {
		return !p.ids[id].IsZero() // another scope has the number
	}
	_, found := p.im.found[key] // its format gives the key, or a head that anybody writes
	if have == nil || isFormed(key) && (w.Imported() || !found) {
		return false
	}
	_, _, numbered := key.Number()
	newest := newestOf(p.file[key])
	switch {
	case jsontext.Equal(newest.Content, have.newest.Content) || p.sameFile(w, have),
		!numbered && content.IsPurgeMark(have.newest),
		!numbered && !w.Imported() && !have.newest.Valid(): // there is nothing to replace
		return false
	}
	return numbered && !content.IsPurgeMark(have.newest) || !p.same
}

// sameFile reports whether a key holds an import of the same file that nobody has changed since. A
// file whose whole path its source does not name could be any.
func (p *plan) sameFile(w mem.Checked, have *local) bool {
	path := content.Member(content.Member(w.Envelope().Source, "locator"), "path")
	source := have.newest.Source
	if isUndone(source) {
		source = jsontext.ParseMembers(content.BareSource(source)).DropName("edited").Object()
	}
	return !w.Imported() && filepath.IsAbs(jsontext.Unquote(path)) && w.SameOrigin(source)
}

// isUndone reports whether a source is that of a version that the undo of an import has left.
func isUndone(source []byte) bool {
	_, command := content.Undone(source)
	return command == policy.Import.String()
}

// isOlder reports whether a line without a time says what its key said before it was changed here.
// What the undo of an import took away comes back; what a session takes is its own to say.
func (p *plan) isOlder(w mem.Checked, have *local) bool {
	return !w.Imported() && have != nil && !isFormed(w.Key()) && have.values[saying(w.Content())] &&
		!jsontext.Equal(w.Content(), have.newest.Content) && !p.sameFile(w, have) &&
		!isUndone(have.newest.Source)
}

// isFormed reports whether a key has an id that no two stores give, or is that of a conversation.
func isFormed(key keypath.Key) bool {
	switch key.Class() {
	case keypath.Event, keypath.Artifact, keypath.Remembered, keypath.SessionInfo, keypath.Private:
		return true
	}
	return false
}

func newestOf(versions []log.Envelope) log.Envelope {
	return slices.MaxFunc(versions, func(a, b log.Envelope) int {
		return cmp.Compare(a.TS, b.TS)
	})
}

// freeKey returns the key that a memory got in an earlier import, or that it gets now; the zero Key
// for one that was deleted where it is from, or changed here since.
func (p *plan) freeKey(w mem.Checked) (keypath.Key, error) {
	newest := w.Envelope()
	if w.Imported() {
		newest = newestOf(p.file[w.Key()])
	}
	if !newest.Valid() {
		return keypath.Key{}, nil
	}
	if id, ok := keypath.NoteID(w.Key()); ok {
		return p.freeNote(newest, strings.TrimSuffix(w.Key().String(), id))
	}
	for n := 2; ; n++ {
		key, err := keypath.Parse(fmt.Sprintf("%s~%d", w.Key(), n))
		if err != nil {
			return key, fmt.Errorf("%s: no free name: %w", w.Key().Shown(), err)
		}
		have := p.here[key]
		switch {
		case p.file[key] != nil:
		case p.isOlder(w, have):
			return keypath.Key{}, nil
		case have == nil, w.Imported() && have.lines[birth(newest)],
			!w.Imported() && (!have.newest.Valid() || p.sameFile(w, have) ||
				jsontext.Equal(have.newest.Content, newest.Content)):
			return key, nil
		}
	}
}

func (p *plan) freeNote(e log.Envelope, space string) (keypath.Key, error) {
	if key, ok := p.born[birth(e)]; ok {
		p.here[key] = &local{} // an earlier import brought it
		return key, nil
	}
	n, ok := p.counts.Next("note")
	if !ok {
		return keypath.Key{}, fmt.Errorf("%s: %w: the numbers are used up", e.Key.Shown(),
			mem.ErrInput)
	}
	n = p.im.o.IDs.Number(n)
	scope := strings.TrimSuffix(strings.TrimPrefix(space, "/note/"), "/")
	key, err := keypath.Parse(space + p.im.o.IDs.ID(scope, n))
	p.counts.AddKey(key)
	return key, err
}

// rewrite sets the keys of the writes, also where they refer to each other. Of a memory that gets
// another key only the newest version does.
func (p *plan) rewrite() error {
	follow := following(p.moved)
	writes, seen := p.im.writes[:0], map[keypath.Key]bool{}
	for _, w := range p.im.writes {
		e, key := w.Envelope(), w.Key()
		to, moves := p.moved[key]
		if moves && (to.IsZero() ||
			w.Imported() && !p.lettered[key] && e.TS != newestOf(p.file[key]).TS) {
			p.im.rep.Stale++
			continue
		}
		if !moves {
			to = key
		}
		text := []byte(follow.Replace(string(e.Content)))
		if have := p.here[to]; have != nil && lineage(have.newest.Envelope) == lineage(e) {
			text = have.newest.Content // where it refers to, the file need not know
		}
		if moves || !bytes.Equal(text, e.Content) {
			var err error
			if w, err = p.im.op.CheckAgain(p.im.ctx, w, to, text); err != nil {
				file := cmp.Or(p.im.found[key].file, p.im.from.Path)
				p.im.refuse(file, 0, fmt.Errorf("%s: %w", key.Shown(), err))
				continue
			}
		}
		if moves && p.here[to] == nil && !seen[to] {
			p.im.rep.Renamed = append(p.im.rep.Renamed, Renamed{key, to})
		}
		if ids := p.earlier[key]; !e.Valid() && len(ids) > 0 {
			w = w.Earlier(named(ids))
		}
		if p.here[to] == nil && !seen[to] {
			w = w.IfFree()
		}
		seen[to] = true
		writes = append(writes, w)
	}
	p.im.writes = writes
	return nil
}

// following returns what replaces keys, as whole strings of a JSON text, by those that their
// memories have now.
func following(moved map[keypath.Key]keypath.Key) *strings.Replacer {
	var pairs []string
	for from, to := range moved {
		if !to.IsZero() {
			pairs = append(pairs, quoted(from), quoted(to))
		}
	}
	return strings.NewReplacer(pairs...)
}

func quoted(key keypath.Key) string { return string(jsontext.AppendString(nil, key.String())) }

// parseEarlier returns the lineages that an archive names, by key.
func parseEarlier(text []byte, prefix keypath.Prefix) map[keypath.Key][]log.Identity {
	earlier := map[keypath.Key][]log.Identity{}
	for line := range bytes.Lines(text) {
		hex, name, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		key, err := keypath.Parse(string(name))
		if err == nil {
			key, err = withPrefix(prefix, key)
		}
		if id, ok := log.ParseIdentity(hex); ok && err == nil {
			earlier[key] = append(earlier[key], id)
		}
	}
	return earlier
}

// lastOfEach leaves out the lines without a time that a later one of their key replaces: otherwise
// a second import would write each of them again.
func lastOfEach(writes []mem.Checked) (last []mem.Checked, replaced int) {
	at := make(map[keypath.Key]int, len(writes))
	for i, p := range writes {
		if !p.Imported() {
			at[p.Key()] = i
		}
	}
	for i, p := range writes {
		if p.Imported() || at[p.Key()] == i {
			last = append(last, p)
		}
	}
	return last, len(writes) - len(last)
}
