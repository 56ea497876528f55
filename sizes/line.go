package sizes

import (
	"bytes"

	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Line is what a line of the history says about the size of its key.
type Line struct {
	Key     keypath.Key // one that a size counts
	TS      log.Stamp
	Text    []byte // the line without its newline; its bytes are those that it was read from
	Deleted bool   // it is a tombstone

	below keypath.Prefix // whose size counts the key
}

// Of returns the line of a record; ok is false where no size counts its key.
func Of(rec log.Record) (l Line, ok bool) {
	return newLine(rec.Key, rec.TS, rec.Line, !rec.Valid())
}

func newLine(key keypath.Key, ts log.Stamp, text []byte, deleted bool) (l Line, ok bool) {
	below, ok := key.SizedBelow()
	return Line{Key: key, TS: ts, Text: text, Deleted: deleted, below: below}, ok
}

// Read reads a line, with its newline; ok is false where it shows no key that a size counts. A line
// in canonical layout is not decoded: what counts stands at fixed places. Any other must be JSON,
// and so must a last line that has no newline, which may be torn. Whether a checksum is right does
// not matter.
func Read(raw []byte) (l Line, ok bool) {
	text, ended := bytes.CutSuffix(raw, []byte{'\n'})
	key, rest, plain := plainKey(text)
	if plain && !bytes.HasPrefix(key, []byte(keypath.Sessions+"/")) {
		return l, false
	}
	if plain && ended {
		if ts, deleted, ok := fixedPlaces(rest); ok {
			key, err := keypath.Parse(string(key))
			if err != nil {
				return l, false
			}
			return newLine(key, ts, text, deleted)
		}
	}
	return readJSON(text)
}

// plainKey returns the key with which a canonical line begins, and what follows the quote that
// closes it. ok is false where it may be another key than its bytes say.
func plainKey(text []byte) (key, rest []byte, ok bool) {
	text, canonical := bytes.CutPrefix(text, []byte(`{"key":"`))
	end := bytes.IndexByte(text, '"')
	if !canonical || end < 0 || bytes.IndexByte(text[:end], '\\') >= 0 {
		return nil, nil, false
	}
	return text[:end], text[end+1:], keypath.IsNormal(text[:end])
}

// fixedPlaces reads what follows the key of a canonical line.
func fixedPlaces(rest []byte) (ts log.Stamp, deleted, ok bool) {
	rest, follows := bytes.CutPrefix(rest, []byte(`,"ts":"`))
	if !follows || len(rest) < len(log.StampLayout) {
		return 0, false, false
	}
	ts, err := log.ParseTime(string(rest[:len(log.StampLayout)]))
	rest = rest[len(log.StampLayout):]
	if err != nil {
		return 0, false, false
	}
	deleted = bytes.HasPrefix(rest, []byte(`","valid":false,`))
	return ts, deleted, deleted || bytes.HasPrefix(rest, []byte(`","valid":true,`))
}

// readJSON reads a line in any layout, as [log.Decode] does but for the checksum.
func readJSON(text []byte) (l Line, ok bool) {
	object, err := log.CompactLine(nil, trim(text))
	if err != nil {
		return l, false
	}
	var key keypath.Key
	var ts log.Stamp
	var content []byte
	for name, value := range jsontext.Members(object) {
		switch name {
		case "key":
			key, err = keypath.Parse(jsontext.Unquote(value))
		case "ts":
			ts, err = log.ParseTime(jsontext.Unquote(value))
		case "content":
			content = value
		}
		if err != nil {
			return l, false
		}
	}
	if content == nil {
		return l, false
	}
	return newLine(key, ts, text, string(content) == "null")
}

// trim takes off what editors put around a line.
func trim(text []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
}
