package content

import (
	"slices"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// IsPurgeMark reports whether a record is the tombstone that a purge has left: its key must not
// have versions that it takes ([Takes]).
func IsPurgeMark(rec log.Record) bool {
	return !rec.Valid() && !rec.Unsealed && MarksPurge(rec.Source)
}

// MarksPurge reports whether a source is that of a purge's tombstone.
func MarksPurge(source []byte) bool {
	for name, value := range jsontext.Members(source) {
		if name == "purged" {
			return string(value) == "true"
		}
	}
	return false
}

// Seen is the member of the source of a purge's mark that has the newest stamp of the key which the
// purge had seen, as envelopes have it. A mark without one takes all that is before it.
const Seen = "seen"

// PurgedTo returns the last stamp that the mark of a purge takes. What is after it, and before the
// mark, was written on another machine meanwhile: it is hidden, and stays in the history.
func PurgedTo(mark log.Envelope) log.Stamp {
	seen, err := seenBy(mark)
	if err != nil || seen >= mark.TS {
		return mark.TS - 1
	}
	return seen
}

// Redated returns a line with a time of now. The mark of a purge gets a later one, up to a limit,
// where it has seen a version that is later: that would win against it, and be back. Where that is
// beyond the limit, the mark takes the versions that it names, and all up to the newest of these
// that is before now: else it would take what was written since by clocks that were right.
func Redated(e log.Envelope, now, limit log.Stamp) log.Envelope {
	e.TS = now
	seen, err := seenBy(e)
	switch {
	case err != nil || !MarksPurge(e.Source):
	case seen < limit:
		e.TS = max(now, seen+1)
	default:
		to, named := log.Stamp(0), append(namedBy(e), seen)
		for _, at := range named {
			if at < now {
				to = max(to, at)
			}
		}
		e.Source = WithSeen(e.Source, to, named)
	}
	return e
}

func seenBy(mark log.Envelope) (log.Stamp, error) {
	return log.ParseTime(jsontext.Unquote(Member(mark.Source, Seen)))
}

// TextOf is the member of an undo's word in a source, beside "restored", that has the time of the
// version whose text it brought back, where the restored one was brought back itself.
const TextOf = "text_of"

// Besides is the member of the source of a purge's mark that has the times of the other versions
// that the purge had, and of lines from the future in whose place it had others. It takes those
// later than [Seen], too; the others count where the mark is [Redated].
const Besides = "besides"

// maxBesides is how many times a mark has of them, at most: the latest.
const maxBesides = 100

// WithSeen returns the source of a mark with the newest time that the purge had seen, and the times
// of others that it takes.
func WithSeen(source []byte, seen log.Stamp, besides []log.Stamp) []byte {
	o := jsontext.ParseMembers(source).With(Seen, jsontext.AppendString(nil, seen.String()))
	besides = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(besides))),
		func(at log.Stamp) bool { return at == seen })
	text := []byte{'['}
	for i, at := range besides[max(0, len(besides)-maxBesides):] {
		if i > 0 {
			text = append(text, ',')
		}
		text = jsontext.AppendString(text, at.String())
	}
	if len(besides) > 0 {
		o = o.With(Besides, append(text, ']'))
	}
	return o.Object()
}

// Named returns the times of other versions that a line says are its own, too: of the one from the
// future in whose place it came, or of those that it names as the mark of a purge.
func Named(e log.Envelope) []log.Stamp {
	if MarksPurge(e.Source) {
		return namedBy(e)
	}
	if ts, ok := takenFrom(e); ok {
		return []log.Stamp{ts}
	}
	return nil
}

// takenFrom returns the time of the line from the future in whose place a line came.
func takenFrom(e log.Envelope) (log.Stamp, bool) {
	at := jsontext.Unquote(Member(Member(e.Source, taken), "ts"))
	ts, err := log.ParseTime(at)
	return ts, err == nil && ts > e.TS
}

// namedBy returns the times that a mark has beside the newest.
func namedBy(mark log.Envelope) (list []log.Stamp) {
	for text := range jsontext.Elements(Member(mark.Source, Besides)) {
		at, err := log.ParseTime(jsontext.Unquote(text))
		if err == nil && len(list) < maxBesides {
			list = append(list, at)
		}
	}
	return list
}

// Reach is what marks of purges take of a key: versions up to a time, and those of other times.
type Reach struct {
	To      log.Stamp
	Besides []log.Stamp
}

// ReachOf returns what a mark takes.
func ReachOf(mark log.Envelope) Reach {
	r := Reach{To: PurgedTo(mark)}
	r.Add(Reach{r.To, namedBy(mark)})
	return r
}

// Add adds what another mark of the key takes, and reports whether that is more.
func (r *Reach) Add(other Reach) (more bool) {
	more = other.To > r.To
	r.To = max(r.To, other.To)
	for _, at := range other.Besides {
		if at > r.To && !slices.Contains(r.Besides, at) {
			r.Besides, more = append(r.Besides, at), true
		}
	}
	return more
}

// Takes reports whether a line of the key goes: also one by which an undo brought back a text that
// goes. A mark that takes more than these stays.
func (r Reach) Takes(e log.Envelope) bool {
	if !e.Valid() && MarksPurge(e.Source) {
		both := Reach{r.To, slices.Clone(r.Besides)}
		return e.TS <= r.To && !both.Add(ReachOf(e))
	}
	return slices.ContainsFunc(timesOf(e), func(at log.Stamp) bool {
		return at <= r.To || slices.Contains(r.Besides, at)
	})
}

// Takes reports whether the mark of a purge takes a line of its key.
func Takes(mark, e log.Envelope) bool { return ReachOf(mark).Takes(e) }

// VersionOf returns the time of the version whose text a record has: its own or, where an undo
// brought an older version back, that of the older one. A purge of that takes both.
func VersionOf(e log.Envelope) log.Stamp { return slices.Min(timesOf(e)) }

// timesOf returns the time of a line, of the one from the future in whose place it came and, where
// an undo brought an older version back, of that.
func timesOf(e log.Envelope) []log.Stamp {
	list := []log.Stamp{e.TS}
	if ts, ok := takenFrom(e); ok {
		list = append(list, ts)
	}
	if !e.Valid() {
		return list
	}
	edited := Member(e.Source, "edited")
	for _, name := range [...]string{"restored", TextOf} {
		if ts, err := log.ParseTime(jsontext.Unquote(Member(edited, name))); err == nil {
			list = append(list, ts)
		}
	}
	return list
}
