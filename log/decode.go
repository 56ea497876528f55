package log

import (
	"bytes"
	"fmt"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// Decode reads one line, without its newline. A line that mem wrote is recognized by its checksum
// and parsed in place; anything else (hand-written, merged from elsewhere, other member order,
// white space, no checksum, members that mem does not know) is checked in full. The error wraps
// jsontext.ErrJSON, ErrEnvelope, ErrChecksum or keypath.ErrKey. The envelope may share the line's
// bytes.
func Decode(line []byte) (Envelope, error) {
	d, err := decode(line)
	return d.Envelope, err
}

// DecodeStrict is Decode that checks the JSON inside too, as fsck wants it.
func DecodeStrict(line []byte) (Envelope, error) {
	d, err := decodeStrict(line)
	return d.Envelope, err
}

// decoded is an envelope and how its line was spelled.
type decoded struct {
	Envelope
	canonical bool // the line stands in the canonical layout already
	unsealed  bool // it has no checksum, or what its checksum does not cover
}

func decode(line []byte) (decoded, error) {
	if body, sum, ok := unseal(line); ok && sumMatches(body, sum) {
		if e, ok := decodeCanonical(body); ok {
			return decoded{Envelope: e, canonical: true}, nil
		}
	}
	return decodeStrict(line)
}

func decodeStrict(line []byte) (decoded, error) {
	text, err := CompactLine(nil, bytes.TrimPrefix(line, []byte(byteOrderMark)))
	if err != nil {
		return decoded{}, err
	}
	f, err := collect(text)
	if err != nil {
		return decoded{}, err
	}
	e, err := f.envelope()
	if err != nil {
		return decoded{}, err
	}
	d := decoded{Envelope: e, unsealed: f.checksum == nil}
	if f.checksum != nil && !f.own(text) {
		if !f.canonical(e) {
			return decoded{}, ErrChecksum
		}
		d.unsealed = !f.respelled(e)
	}
	return d, nil
}

// decodeCanonical parses the fixed layout:
// {"key":"..","ts":"..","valid":..,"source":..,"content":..
func decodeCanonical(body []byte) (e Envelope, ok bool) {
	b, ok := bytes.CutPrefix(body, []byte(`{"key":"`))
	if !ok {
		return e, false
	}
	n, _ := jsontext.StringLen(body[len(`{"key":`):])
	if n == 0 {
		return e, false
	}
	key, ok := plainKey(b[:n-2])
	b, follows := bytes.CutPrefix(b[n-1:], []byte(`,"ts":"`))
	if !ok || !follows || len(b) < len(StampLayout) {
		return e, false
	}
	ts, ok := parseCanonical(b[:len(StampLayout)])
	if !ok {
		return e, false
	}
	b, live := bytes.CutPrefix(b[len(StampLayout):], []byte(`","valid":true,"source":`))
	if !live {
		if b, ok = bytes.CutPrefix(b, []byte(`","valid":false,"source":`)); !ok {
			return e, false
		}
	}
	n = jsontext.ValueLen(b)
	content, ok := bytes.CutPrefix(b[n:], []byte(`,"content":`))
	e = Envelope{Key: key, TS: ts, Source: b[:n], Content: content}
	return e, ok && isSource(e.Source) && isClosed(content) && e.Valid() == live
}

// isClosed reports whether content begins and ends like one value. Only what mem did not write
// could do so and be none.
func isClosed(content []byte) bool {
	switch n := len(content); {
	case n == 0:
		return false
	case content[0] == '{':
		return n > 1 && content[n-1] == '}'
	case content[0] == '[':
		return n > 1 && content[n-1] == ']'
	default:
		return jsontext.ValueLen(content) == n
	}
}

func isSource(value []byte) bool { return len(value) > 0 && (value[0] == '{' || value[0] == '"') }

// plainKey reads a key that is spelled as AppendLine spells it: normalized, with no escape that it
// does not need. quoted is what stands between the quotes.
func plainKey(quoted []byte) (keypath.Key, bool) {
	text := jsontext.Unescape(quoted)
	key, err := keypath.Parse(text)
	if err != nil || key.String() != text {
		return key, false
	}
	if len(text) == len(quoted) {
		return key, true
	}
	spelled := jsontext.AppendString(nil, text)
	return key, bytes.Equal(spelled[1:len(spelled)-1], quoted)
}

// fields are the members of a line that is JSON, as raw text.
type fields struct {
	key, ts, valid, source, content, checksum []byte

	others bool // there are members that mem does not know
}

func collect(text []byte) (*fields, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, fmt.Errorf("%w: want an object", ErrEnvelope)
	}
	f := &fields{}
	for name, value := range jsontext.RawMembers(text) {
		switch string(name) {
		case "key":
			f.key = value
		case "ts":
			f.ts = value
		case "valid":
			f.valid = value
		case "source":
			f.source = value
		case "content":
			f.content = value
		case "checksum":
			f.checksum = value
		default:
			f.others = true
		}
	}
	return f, nil
}

func (f *fields) envelope() (e Envelope, err error) {
	for _, need := range [...]struct {
		name  string
		value []byte
	}{{"key", f.key}, {"ts", f.ts}, {"source", f.source}, {"content", f.content}} {
		if need.value == nil {
			return e, fmt.Errorf("%w: no %q", ErrEnvelope, need.name)
		}
	}
	if f.key[0] != '"' || f.ts[0] != '"' {
		return e, fmt.Errorf("%w: \"key\" and \"ts\" must be strings", ErrEnvelope)
	}
	if !isSource(f.source) {
		return e, fmt.Errorf("%w: \"source\" must be an object or a string", ErrEnvelope)
	}
	e.Source, e.Content = f.source, f.content
	if e.Key, err = keypath.Parse(jsontext.Unquote(f.key)); err != nil {
		return e, err
	}
	if e.TS, err = ParseTime(jsontext.Unquote(f.ts)); err != nil {
		return e, fmt.Errorf("%w: ts: %w", ErrEnvelope, err)
	}
	if f.valid != nil && string(f.valid) != validText(e.Valid()) {
		return e, fmt.Errorf("%w: valid is %s, but content says %s", ErrEnvelope, f.valid,
			validText(e.Valid()))
	}
	return e, nil
}

// own reports whether the checksum is that of the line's own compact bytes.
func (f *fields) own(text []byte) bool {
	body, sum, ok := unseal(text)
	return ok && sumMatches(body, sum)
}

// canonical reports whether the checksum is that of the canonical line: re-formatting by another
// tool does no harm.
func (f *fields) canonical(e Envelope) bool {
	_, sum, _ := unseal(e.Line())
	return jsontext.Unquote(f.checksum) == "sha256:"+string(sum)
}

// respelled reports whether the members are those of the canonical line, in another layout. A
// member more or less, or a time that is spelled otherwise, is no layout: somebody has changed what
// the checksum does not cover.
func (f *fields) respelled(e Envelope) bool {
	return !f.others && f.valid != nil && jsontext.Unquote(f.key) == e.Key.String() &&
		jsontext.Unquote(f.ts) == e.TS.String()
}
