package mem

import (
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

// wrote records one write in the journal. A stored write has its time and source there, also where
// the index could not follow.
func (op *Operation) wrote(p Checked, err error) {
	rec := opRecord{Key: p.env.Key.String()}
	if isStored(err) {
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

// turn returns the place of a write in the order of all writes of this person.
func (b *Beside) turn(at log.Stamp) log.Stamp {
	if b == nil {
		return at
	}
	return b.sites.Turn(at)
}

// willPurge records a purge that came from another copy, before it takes its keys out of the
// journal: after that no earlier command is the last one.
func (op *Operation) willPurge(keys int) {
	rec := opRecord{At: op.Now().String(), Turn: op.turn(), Op: policy.Purge.String(), Count: keys}
	op.store.backend.Journal(backend.OpsFile).Append(rec.line(), opsLimit)
}

// enter records, before an append, that the command of the operation writes to this store, too: in
// the journal of each store that it has written to, or has joined. After a crash before the append
// that command is taken back in no store.
func (op *Operation) enter() {
	if op.caller.Command == nil { // as of a server's request: the path costs a call a directory
		return
	}
	root := op.store.RealPath()
	journal := op.store.backend.Journal(backend.OpsFile)
	for _, other := range op.caller.Command.Enter(root, journal) {
		other.Append(opRecord{At: op.Now().String(), Turn: op.turn(),
			Command: op.caller.Command.ID(), Also: redacted([]string{root}),
			Undoes: op.undoes}.line(), opsLimit)
	}
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
