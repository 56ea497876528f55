package content

import (
	"bytes"
	"encoding/hex"
	"time"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// taken is the member of a source that names the line from the future in whose place a person took
// this one.
const taken = "taken"

// Taking returns a source for a line that takes the place of another one: it names that.
func Taking(source []byte, old log.Envelope) []byte {
	id := old.Identity()
	var o jsontext.Object
	o.Text("ts", old.TS.String())
	o.Text("sum", hex.EncodeToString(id[:]))
	return SourceMembers(source).With(taken, o.Bytes()).Object()
}

// Taken are the lines from the future that others name as replaced, with the times of these.
type Taken map[log.Identity]log.Stamp

// Note notes the line that another one names, and returns it.
func (t Taken) Note(e log.Envelope) (id log.Identity, ok bool) {
	if !bytes.Contains(e.Source, []byte(`"taken"`)) {
		return id, false
	}
	id, ok = log.ParseIdentity([]byte(jsontext.Unquote(Member(Member(e.Source, taken), "sum"))))
	if at, known := t[id]; ok && (!known || e.TS < at) {
		t[id] = e.TS
	}
	return id, ok
}

// farAhead is by how much a line that was taken is ahead of the one in its place, at least.
const farAhead = log.Stamp(12 * time.Hour / time.Microsecond)

// Has reports whether a line of this time is from the future, and was taken. Of no other line is
// that believed: a source is text that anybody can write.
func (t Taken) Has(id log.Identity, ts log.Stamp) bool {
	at, ok := t[id]
	return ok && ts > at+farAhead
}
