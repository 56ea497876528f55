package mem

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/secret"
)

// OpsFile is the journal of what ran (M-60). It is best effort, never synced, and never a reason for a command to fail; readers write it where they may.
const OpsFile = "ops.jsonl"

// opsLimit is the size at which the older half of the journal goes.
const opsLimit = 1 << 20

// opRecord is one line of the journal. What is empty is left out.
type opRecord struct {
	At      string // when it ran
	Op      string
	Key     string
	TS      string // of the envelope written, or the newest one read
	Valid   *bool
	Source  string
	Count   int
	Took    time.Duration
	Allowed []string // rules for secrets that did not count
	Error   string
}

// line is the record as JSON. It is written by hand, for every short command would pay for the reflection of encoding/json.
func (r opRecord) line() []byte {
	var b []byte
	text := func(name, value string) {
		if value != "" {
			b = jsontext.AppendString(append(append(b, `,"`...), name+`":`...), strings.ToValidUTF8(value, "�"))
		}
	}
	text("at", r.At)
	text("op", r.Op)
	text("key", r.Key)
	text("ts", r.TS)
	if r.Valid != nil {
		b = strconv.AppendBool(append(b, `,"valid":`...), *r.Valid)
	}
	text("source", r.Source)
	if r.Count > 0 {
		b = strconv.AppendInt(append(b, `,"count":`...), int64(r.Count), 10)
	}
	b = strconv.AppendFloat(append(b, `,"ms":`...), float64(r.Took.Microseconds())/1000, 'f', -1, 64)
	b = r.appendAllowed(b)
	text("error", r.Error)
	b[0] = '{'
	return append(b, "}\n"...)
}

func (r opRecord) appendAllowed(b []byte) []byte {
	for i, rule := range r.Allowed {
		if i == 0 {
			b = append(b, `,"allowed":`...)
		}
		b = jsontext.AppendString(append(b, "[,"[min(i, 1)]), rule)
	}
	if len(r.Allowed) > 0 {
		b = append(b, ']')
	}
	return b
}

// running is an operation that will have a line in the journal.
type running struct {
	store   *Store
	op      string
	start   time.Time
	allowed []string // rules for secrets
}

func (s *Store) begin(op string) running { return running{store: s, op: op, start: s.opts.clock()} }

// clock measures durations; it is the system's even where Now is fixed.
func (o Options) clock() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}

func (r running) write(key keypath.Key, p prepared, err error) {
	if !p.Key.IsZero() {
		key = p.Key
	}
	rec := opRecord{Key: key.String()}
	if err == nil {
		valid := p.Valid()
		rec.TS, rec.Valid, rec.Source = p.TS.String(), &valid, withheld(SourceSummary(p.Source), string(p.Source))
	}
	r.end(rec, err)
}

func (r running) batch(count int, err error) { r.end(opRecord{Count: count}, err) }

func (r running) read(newest log.Record, count int, err error) {
	rec := opRecord{Count: count}
	if count > 0 {
		valid := newest.Valid()
		rec.Key, rec.TS, rec.Valid, rec.Source = newest.Key.String(), newest.TS.String(), &valid, withheld(SourceSummary(newest.Source), string(newest.Source))
	}
	r.end(rec, err)
}

func (r running) end(rec opRecord, err error) {
	s := r.store
	if s.root() == nil {
		return
	}
	rec.At, rec.Op = s.stamp().String(), r.op
	rec.Allowed = r.allowed
	rec.Took = s.opts.clock().Sub(r.start)
	if err != nil {
		rec.Error = withheld(clip(err.Error(), 300), err.Error())
	}
	rec.Key = withheld(rec.Key, rec.Key)
	s.jot(OpsFile, opsLimit, rec.line())
}

// withheld gives text for the journal, unless what it was made of looks like a secret: a refused write's key or message, or what was let
// in this once.
func withheld(text, of string) string {
	if secret.Within(jsontext.AppendString(nil, of)) {
		return "(withheld: it looks like a secret)"
	}
	return text
}

// jot appends a line to a file of at most limit bytes. It is best effort.
func (s *Store) jot(name string, limit int64, line []byte) {
	f, err := s.root().Append(name)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(line)
	if fi, err := f.Stat(); err == nil && fi.Size() > limit {
		s.trim(name, f, fi.Size(), limit)
	}
}

// trim keeps the newer half, from the beginning of a line on. A line that another process writes meanwhile may be lost: nothing
// depends on it.
func (s *Store) trim(name string, f *disk.File, size, limit int64) {
	half := make([]byte, limit/2)
	if _, err := f.ReadAt(half, size-int64(len(half))); err != nil {
		return
	}
	_, rest, _ := bytes.Cut(half, []byte{'\n'})
	s.root().WriteFile(name, rest)
}

// SourceSummary says in a few words where a write came from: kind and name, or the string.
func SourceSummary(source []byte) string {
	if len(source) > 0 && source[0] == '"' {
		return clip(jsontext.Unquote(source), 60)
	}
	var kind, name string
	for member, value := range jsontext.Members(source) {
		switch member {
		case "kind":
			kind = jsontext.Unquote(value)
		case "name":
			name = jsontext.Unquote(value)
		}
	}
	if kind != "" && name != "" {
		kind += " "
	}
	return clip(kind+name, 60)
}

// clip cuts a text to some characters.
func clip(text string, most int) string {
	if n := 0; len(text) > most {
		for i := range text {
			if n++; n > most {
				return text[:i] + "…"
			}
		}
	}
	return text
}
