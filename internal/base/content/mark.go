package content

import (
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// IsPurgeMark reports whether a record is the tombstone that a purge has left: its key must not
// have versions before it.
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
