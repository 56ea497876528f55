package readout

import (
	"cmp"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Header is the first line of a page as text.
const Header = "[Agent Memory]\n"

// Page is the answer of a read: the memories that fit, best first.
type Page struct {
	Entries    []Entry
	Tokens     int // estimate for the page as text, with its header, never over Limit; 0 if empty
	Limit      int // in tokens
	Considered int // live memories that may appear
	LeftOut    int // of these, those that are not on the page
	Pinned     int // of the entries, the rules that come first
	MorePinned int // of those left out, such rules
}

// Entry is one memory on a page.
type Entry struct {
	Key      string // as stored, with its first slash
	TS       log.Stamp
	Time     log.Stamp // of the memory, see Item.Time
	Type     string    // flattened, at most MaxType characters; may be empty
	Text     string    // as from [Short]; may be empty
	Layer    string    // as log.Record.Layer
	Origin   string    // where it is from, if not the word of a user or an agent; a plain word
	Standing Standing
	By       string // of a rule, the member of a team who made it; "" where the line names none
	Parts    Parts
	Tokens   int    // estimate for its line, newline included
	label    string // with Query.Labels, before the text
	byID     bool   // the label names a note by its id
	held     int    // memories that this line stands for, too
	about    string // the words that these have in common
	remark   string // as Query.Remark says; "" for none
}

// WriteText writes the header, then one line for each memory; nothing without entries.
func (p Page) WriteText(w io.Writer) error {
	if len(p.Entries) == 0 {
		return nil
	}
	var out strings.Builder
	out.WriteString(Header)
	for i := range p.Entries {
		out.WriteString(p.Entries[i].line())
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// line returns the memory as text: origin in parentheses if any, key without its first slash, type
// if any, text if any. No other key has the same text.
func (e *Entry) line() string {
	if e.label != "" {
		return e.labelled()
	}
	var out strings.Builder
	out.WriteString("- ")
	out.WriteString(e.mark())
	key := shortKey(e.Key)
	if key[0] == '(' { // it would look like an origin
		key = keypath.Show(e.Key)
	}
	out.WriteString(defuseName(key, e.Key))
	for _, part := range [...]string{e.Type, e.Text, e.remark} {
		if part != "" {
			out.WriteByte(' ')
			out.WriteString(part)
		}
	}
	out.WriteByte('\n')
	return out.String()
}

// mark returns the origin of a memory in parentheses, for a line without a heading.
func (e *Entry) mark() string {
	switch {
	case e.Standing != RepositoryFact && e.Origin == "":
		return ""
	case e.Standing != RepositoryFact:
		return "(" + e.Origin + ") "
	case e.Origin == "":
		return "(repository) "
	}
	return "(repository, " + e.Origin + ") "
}

// labelled returns the memory as a line of a block. Its type stands there only without a text.
func (e *Entry) labelled() string {
	line := strings.TrimRight(e.label+" "+cmp.Or(e.Text, e.Type)+" "+e.remark, " ") + "\n"
	if e.held > 0 {
		line += summary(e.held, e.about)
	}
	return line
}

// shortKey returns a key as people see it (keypath.Show), without its first slash. A key that then
// looks like one in quotes keeps the slash.
func shortKey(key string) string {
	shown := keypath.Show(key)
	if short, plain := strings.CutPrefix(shown, "/"); plain && !strings.HasPrefix(short, `"/`) {
		return short
	}
	return shown
}

// MarshalJSON returns what [Page.AppendJSON] appends.
func (p Page) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// AppendJSON appends the page as compact JSON, its members always in this order, scores to four
// decimals:
//
//	{"count":1,"memories":[{"key":"/a","ts":"...","type":"","text":"...",
//	"score":{"match":0,"recency":1,"importance":0.5,"total":0.65},"tokens":9}],
//	"tokens":14,"limit":2000,"left_out":0}
//
// Where several stores are read together, "layer" comes after "text" and names which it is from.
func (p Page) AppendJSON(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"count":`...), int64(len(p.Entries)), 10)
	dst = append(dst, `,"memories":[`...)
	for i := range p.Entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.Entries[i].appendJSON(dst)
	}
	dst = strconv.AppendInt(append(dst, `],"tokens":`...), int64(p.Tokens), 10)
	dst = strconv.AppendInt(append(dst, `,"limit":`...), int64(p.Limit), 10)
	dst = strconv.AppendInt(append(dst, `,"left_out":`...), int64(p.LeftOut), 10)
	return append(dst, '}')
}

func (e *Entry) appendJSON(dst []byte) []byte {
	dst = jsontext.AppendString(append(dst, `{"key":`...), e.Key)
	dst = jsontext.AppendString(append(dst, `,"ts":`...), e.TS.String())
	if e.Time != e.TS {
		dst = jsontext.AppendString(append(dst, `,"time":`...), e.Time.String())
	}
	dst = jsontext.AppendString(append(dst, `,"type":`...), e.Type)
	dst = jsontext.AppendString(append(dst, `,"text":`...), e.Text)
	if e.Layer != "" {
		dst = jsontext.AppendString(append(dst, `,"layer":`...), e.Layer)
	}
	dst = e.Parts.appendJSON(append(dst, `,"score":`...))
	dst = strconv.AppendInt(append(dst, `,"tokens":`...), int64(e.Tokens), 10)
	return append(dst, '}')
}

func (p Parts) appendJSON(dst []byte) []byte {
	dst = appendScore(append(dst, `{"match":`...), p.Match)
	dst = appendScore(append(dst, `,"recency":`...), p.Recency)
	dst = appendScore(append(dst, `,"importance":`...), p.Importance)
	dst = appendScore(append(dst, `,"total":`...), p.Total)
	return append(dst, '}')
}

// appendScore rounds to four decimals and writes 0 for NaN and infinities, which JSON cannot
// express.
func appendScore(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.AppendFloat(dst, math.Round(v*1e4)/1e4, 'f', -1, 64)
}
