package mem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// clock measures durations; it is the system's even where Now is fixed.
func (o Options) clock() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}

// wrote records one write in the journal. A stored write has its time and source there, also where
// the index could not follow.
func (op *Operation) wrote(p Checked, err error) {
	rec := opRecord{Key: p.env.Key.String()}
	if stored(err) {
		rec = recordOf(p)
	}
	op.end(rec, err)
}

// recordOf returns what the journal keeps of a write that is stored.
func recordOf(p Checked) opRecord {
	valid := p.env.Valid()
	rec := opRecord{Key: p.env.Key.String(), TS: p.env.TS.String(), Valid: &valid,
		Source: SourceSummary(p.env.Source), clean: p.facts != nil && p.facts.Clean()}
	if !rec.clean {
		rec.Source = redact(rec.Source, string(p.env.Source))
	}
	return rec
}

// run is what one update stored: all lines of the history from the first to the last.
type run struct {
	first, last *log.Envelope
	text        string // as the journal names it; "": no line has yet
}

// journaled returns the runs of an operation for its line in the journal; none where it stored one
// line, which key and time name.
func journaled(runs []run) (texts []string) {
	if len(runs) == 1 && runs[0].first == runs[0].last {
		return nil
	}
	for i := range runs {
		r := &runs[i] // each write of an update has a line with the same runs
		if r.text == "" {
			r.text = shortSum(r.first.Line()) + "-" + shortSum(r.last.Line())
		}
		texts = append(texts, r.text)
	}
	return texts
}

// shortSum returns the part of a line's checksum by which the journal names it.
func shortSum(line []byte) string { return log.Sum(line)[:16] }

// Failed records in the journal that a write of a key failed; the zero Key is for another failure.
func (op *Operation) Failed(key keypath.Key, err error) { op.end(opRecord{Key: key.String()}, err) }

// Done records in the journal how many records the operation touched, or its error; of what it
// wrote the last, and the key of the first.
func (op *Operation) Done(count int, err error) {
	rec := opRecord{}
	if op.last != nil {
		rec = recordOf(*op.last)
	}
	if op.first != rec.Key {
		rec.First = redact(op.first, op.first)
	}
	rec.Count = count
	op.end(rec, err)
}

// read records in the journal how many memories were read, the newest of them, and its source.
func (op *Operation) read(count int, newest readRecord, err error) {
	rec := opRecord{Count: count}
	if newest.key != "" {
		valid := !newest.gone
		rec.Key, rec.TS, rec.Valid = newest.key, newest.ts.String(), &valid
		rec.Source = redact(SourceSummary(newest.source), string(newest.source))
	}
	op.end(rec, err)
}

// readRecord is what the journal keeps of a memory that was read or folded.
type readRecord struct {
	key    string
	ts     log.Stamp
	source []byte
	gone   bool // the record deletes its key
}

func (op *Operation) end(rec opRecord, err error) {
	s := op.store
	rec.At, rec.Op, rec.Allowed = op.Now().String(), op.verb.String(), op.allowed
	// A refusal leaves nothing but its line.
	if len(op.runs) > 0 || policy.CountsAsWrite(rec.Op) && err == nil {
		rec.Turn = op.turn()
	}
	rec.Agent, rec.Member = op.caller.Agent, op.caller.Member
	rec.Took, rec.Runs = s.opts.clock().Sub(op.start), journaled(op.runs)
	if c := op.caller.Command; len(op.runs) > 0 || op.joined || err != nil {
		rec.Command, rec.Undoes = c.ID(), op.undoes
		if c != nil { // a server's request has none, and the path costs a call for each directory
			rec.Also = redacted(c.Others(s.RealPath()))
		}
	}
	if err != nil {
		rec.Code = string(KindOf(err))
		rec.Error = redact(text.Clip(err.Error(), 300), err.Error())
	}
	if !rec.clean {
		rec.Key = redact(rec.Key, rec.Key)
	}
	s.backend.Journal(backend.OpsFile).Append(rec.line(), opsLimit)
}

// turn returns the place of the operation in the order of all writes of this person, as a time; ""
// where its own time says it.
func (op *Operation) turn() string {
	if turn := op.store.opts.Beside.turn(op.Now()); turn != op.Now() {
		return turn.String()
	}
	return ""
}

// willPurge records a purge that came from another copy, before it takes its keys out of the
// journal: after that no earlier command is the last one.
func (op *Operation) willPurge(keys int) {
	rec := opRecord{At: op.Now().String(), Turn: op.turn(), Op: policy.Purge.String(), Count: keys}
	op.store.backend.Journal(backend.OpsFile).Append(rec.line(), opsLimit)
}

// opsLimit is the size in bytes at which the older half of the journal is removed.
const opsLimit = 1 << 20

// opRecord is one line of the journal. Empty members are omitted.
type opRecord struct {
	At      string // when it ran
	Turn    string // see Operation.turn
	Op      string
	First   string // key of the first write, of several
	Key     string
	TS      string // of the envelope written, or the newest one read
	Valid   *bool
	Source  string
	Agent   string // that ran it; "" for a person, or nobody in particular
	Member  string // of a team, whose token called
	What    string // member of the configuration that was set
	Count   int
	Runs    []string // the first and the last line of each update
	Command string   // id of the command that the operation was part of
	Also    []string // roots of the other stores of the command
	Undoes  string   // id of the command that it took back
	Took    time.Duration
	Allowed []string // rules for secrets that did not count
	Code    string   // the Kind of the error
	Error   string

	clean bool // the scan of its write for secrets found none; no member
}

// line is the record as JSON. Every short command writes one, so it is spared the reflection of
// encoding/json.
func (r opRecord) line() []byte {
	var o jsontext.Object
	text := func(name, value string) { o.TextUnlessEmpty(name, strings.ToValidUTF8(value, "�")) }
	text("at", r.At)
	text("turn", r.Turn)
	text("op", r.Op)
	text("first", r.First)
	text("key", r.Key)
	text("ts", r.TS)
	if r.Valid != nil {
		o.Raw("valid", strconv.AppendBool(nil, *r.Valid))
	}
	text("source", r.Source)
	text("agent", r.Agent)
	text("member", r.Member)
	text("what", r.What)
	if r.Count > 0 {
		o.Raw("count", strconv.AppendInt(nil, int64(r.Count), 10))
	}
	if len(r.Runs) > 0 {
		o.Raw("runs", jsontext.AppendStrings(nil, r.Runs))
	}
	text("command", r.Command)
	if len(r.Also) > 0 {
		o.Raw("also", jsontext.AppendStrings(nil, r.Also))
	}
	text("undoes", r.Undoes)
	o.Raw("ms", strconv.AppendFloat(nil, float64(r.Took.Microseconds())/1000, 'f', -1, 64))
	if len(r.Allowed) > 0 {
		o.Raw("allowed", jsontext.AppendStrings(nil, r.Allowed))
	}
	text("code", r.Code)
	text("error", r.Error)
	return append(o.Bytes(), '\n')
}

// redact returns text for the journal, unless its origin looks like a secret: a refused write's key
// or message, or a write with --allow-secret.
func redact(text, of string) string {
	if secret.HasSecret(jsontext.AppendString(nil, of)) {
		return withheld
	}
	return text
}

func redacted(list []string) (texts []string) {
	for _, text := range list {
		texts = append(texts, redact(text, text))
	}
	return texts
}

// withheld stands in the journal and in messages for what looks like a secret.
const withheld = "(withheld: it looks like a secret)"

// SourceSummary returns in a few words where a write came from: kind and name, or the string; the
// verb of the last edit that kept its text (package edit); and the member of a team that wrote it.
func SourceSummary(source []byte) string {
	if len(source) > 0 && source[0] == '"' {
		return text.Clip(jsontext.Unquote(source), 60)
	}
	var kind, name, edited, by string
	for member, value := range jsontext.Members(source) {
		switch member {
		case "kind":
			kind = jsontext.Unquote(value)
		case "name":
			name = jsontext.Unquote(value)
		case "edited":
			edited = verbOf(value)
		case "member":
			by = " by " + text.Clip(jsontext.Unquote(value), 64)
		}
	}
	if kind != "" && name != "" {
		kind += " "
	}
	return text.Clip(kind+name, 60) + edited + by
}

// verbOf returns what a source says of the edit after it.
func verbOf(edited []byte) string {
	for member, value := range jsontext.Members(edited) {
		if verb := jsontext.Unquote(value); member == "verb" && verb != "" {
			return ", " + text.Clip(verb, 20)
		}
	}
	return ""
}

// Ran is a line of the journal: an operation of this store that ended.
type Ran struct {
	Op   string // its name, as in Store.Begin
	TS   string // of the newest envelope that it wrote, or read; "" for none
	Code Kind   // of its failure; KindDone for none, "" for one that has none in the journal

	At, Key string   // when it ended, and the key of that envelope
	Turn    string   // At, or a later time where the clock went back: the order over several stores
	Count   int      // records that it touched, if it counts them
	Runs    []string // what it stored, if that is several lines; see Store.Stored

	Command string   // id of the command that it was part of; "" for none
	Also    []string // roots of the other stores of the command
	Undoes  string   // id of the command that it took back
	Agent   string   // that ran it; "" for a person, or nobody in particular
	Member  string   // of a team, whose token called; "" for none
}

// Journaled returns what ran, oldest first, as far back as the journal goes: it keeps the newest
// 512 KiB to 1 MiB. A line without Op says only that its command has written to another store, too.
// Lines that cannot be read are left out. The error is the file system's.
func (s *Store) Journaled() (list []Ran, err error) {
	text, err := s.Journal(backend.OpsFile).Read(opsLimit)
	for line := range bytes.Lines(text) {
		if r, ok := ranOf(line); ok {
			list = append(list, r)
		}
	}
	return list, err
}

// ranOf returns what a line of the journal says, if it is one.
func ranOf(line []byte) (r Ran, ok bool) {
	var x struct {
		Op, TS, Code, Error, Key string
		At, Turn                 string
		Count                    int
		Runs, Also               []string
		Command, Undoes, Agent   string
		Member                   string
	}
	if json.Unmarshal(line, &x) != nil || x.Op == "" && x.Command == "" {
		return r, false
	}
	r = Ran{Op: x.Op, TS: x.TS, Code: Kind(x.Code), At: x.At,
		Turn: cmp.Or(x.Turn, x.At), Key: x.Key, Count: x.Count, Runs: x.Runs,
		Command: x.Command, Also: x.Also, Undoes: x.Undoes, Agent: x.Agent,
		Member: x.Member}
	if x.Error == "" {
		r.Code = KindDone
	}
	return r, true
}

// Stored calls fn for every line that operations stored. The error wraps ErrCut where some of the
// lines are gone.
func (s *Store) Stored(ctx context.Context, list []Ran, fn func(log.Record) error) error {
	ends, single, until := map[string]string{}, map[string]log.Record{}, ""
	for _, r := range list {
		if len(r.Runs) == 0 {
			single[r.Key+" "+r.TS] = log.Record{}
		}
		for _, text := range r.Runs {
			first, last, _ := strings.Cut(text, "-")
			ends[first] = last
		}
	}
	left := maps.Clone(ends)
	err := s.Everything(ctx, func(rec log.Record) error {
		id, sum := rec.Key.String()+" "+rec.TS.String(), ""
		if _, wanted := single[id]; wanted {
			single[id] = rec.Clone() // of two with one time the later line
		}
		if len(ends) > 0 {
			sum = shortSum(rec.Line)
		}
		if last, begins := ends[sum]; begins && until == "" {
			until = last
			delete(left, sum)
		}
		if until == "" {
			return nil
		}
		if sum == until {
			until = ""
		}
		return fn(rec)
	})
	if err == nil && len(left)+len(until) > 0 {
		err = ErrCut
	}
	for _, r := range list {
		id := r.Key + " " + r.TS
		rec, wanted := single[id]
		switch {
		case err != nil || !wanted:
		case rec.Key.IsZero():
			err = ErrCut
		default:
			err = fn(rec)
		}
		delete(single, id)
	}
	return err
}
