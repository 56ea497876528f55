package content

import (
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// IsPurgeMark reports whether a record is the tombstone that a purge has left: its key must not
// have versions that it takes ([Takes]).
func IsPurgeMark(rec log.Record) bool {
	return !rec.Valid() && !rec.Unsealed && MarksPurge(rec.Source)
}

// MarksPurge reports whether a source is that of a purge's tombstone: no other write may have such
// a source.
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
	seen, err := log.ParseTime(jsontext.Unquote(Member(mark.Source, Seen)))
	if err != nil || seen >= mark.TS {
		return mark.TS - 1
	}
	return seen
}

// TextOf is the member of an undo's word in a source, beside "restored", that has the time of the
// version whose text it brought back, where the restored one was brought back itself.
const TextOf = "text_of"

// VersionOf returns the time of the version whose text a record has: its own or, where an undo
// brought an older version back, that of the older one. A purge of that takes both.
func VersionOf(e log.Envelope) log.Stamp {
	at := e.TS
	if !e.Valid() {
		return at
	}
	edited := Member(e.Source, "edited")
	for _, name := range [...]string{"restored", TextOf} {
		if ts, err := log.ParseTime(jsontext.Unquote(Member(edited, name))); err == nil {
			at = min(at, ts)
		}
	}
	return at
}

// Takes reports whether the mark of a purge takes a line of its key.
func Takes(mark, e log.Envelope) bool {
	to := PurgedTo(mark)
	return e.TS <= to || VersionOf(e) <= to
}
