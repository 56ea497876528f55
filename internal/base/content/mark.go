package content

import (
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// IsPurgeMark reports whether a record is the tombstone that a purge has left: its key must not
// have versions up to [PurgedTo].
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
