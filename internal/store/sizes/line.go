package sizes

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Line is a line of the history, as far as it counts in a size.
type Line struct {
	Key     keypath.Key // one that a size counts
	TS      log.Stamp
	Text    []byte // the line without its newline; it shares the bytes that it was read from
	Deleted bool   // it is a tombstone

	below keypath.Prefix // whose size counts the key
}

// LineOf returns the line of a record; ok is false where no size counts its key.
func LineOf(rec log.Record) (l Line, ok bool) {
	return newLine(rec.Key, rec.TS, rec.Line, !rec.Valid())
}

func newLine(key keypath.Key, ts log.Stamp, text []byte, deleted bool) (l Line, ok bool) {
	below, ok := key.SizedBelow()
	if !ok {
		return l, false
	}
	return Line{Key: key, TS: ts, Text: text, Deleted: deleted, below: below}, true
}

// readLines yields what counts of the lines of a reader that stands at the beginning of one. Each
// shares a buffer until the next step. An error is the reader's, and the last.
func readLines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, bufferFor(r))
		var long []byte // for a line that the reader's buffer does not hold
		for {
			raw, err := in.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) || len(long) > 0 {
				// Of a line that nobody reads, because it is too long, the beginning will do.
				long = append(long, raw[:min(len(raw), log.MaxLine+1-len(long))]...)
				if errors.Is(err, bufio.ErrBufferFull) {
					continue
				}
				raw = long
			}
			if l, ok := readLine(raw); ok && !yield(l, nil) {
				return
			}
			if long = long[:0]; err != nil {
				if err != io.EOF {
					yield(Line{}, err)
				}
				return
			}
		}
	}
}

// bufferFor returns the size of a buffer: a large one costs more than it saves.
func bufferFor(r io.Reader) int {
	const most = 64 << 10
	if sized, ok := r.(interface{ Size() int64 }); ok {
		return int(min(sized.Size()+1, most))
	}
	return most
}

// readLine reads one line, with its newline; ok is false where it shows no key that a size counts,
// and for one that is longer than log.MaxLine. A line in canonical layout is not decoded: what
// counts stands at fixed places. Any other must be JSON, and so must a last line that has no
// newline, for it may be torn. Whether a checksum is right does not matter.
func readLine(raw []byte) (l Line, ok bool) {
	if len(raw) > log.MaxLine {
		return l, false
	}
	text, ended := bytes.CutSuffix(raw, []byte{'\n'})
	spelled, rest, certain := plainKey(text)
	if certain && !bytes.HasPrefix(spelled, []byte(keypath.Sessions+"/")) {
		return l, false
	}
	if certain && ended {
		if ts, deleted, ok := fixedPlaces(rest); ok {
			key, err := keypath.Parse(string(spelled))
			if err != nil {
				return l, false
			}
			return newLine(key, ts, text, deleted)
		}
	}
	return readJSON(text)
}

// plainKey returns the key with which a canonical line begins, and what follows the quote that
// closes it. certain is false where the line may be of another key than its first bytes say.
func plainKey(text []byte) (spelled, rest []byte, certain bool) {
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
	deleted = bytes.HasPrefix(rest, []byte(`","valid":false,`))
	ok = deleted || bytes.HasPrefix(rest, []byte(`","valid":true,`))
	return ts, deleted, ok && err == nil
}

// readJSON reads a line in any layout, as [log.Decode] does but for the checksum.
func readJSON(text []byte) (l Line, ok bool) {
	object, err := log.CompactLine(nil, trim(text))
	if err != nil {
		return l, false
	}
	found := map[string][]byte{}
	for name, value := range jsontext.Members(object) {
		found[name] = value
	}
	key, err := keypath.Parse(jsontext.Unquote(found["key"]))
	if err != nil {
		return l, false
	}
	ts, err := log.ParseTime(jsontext.Unquote(found["ts"]))
	if err != nil || found["content"] == nil || found["source"] == nil {
		return l, false
	}
	return newLine(key, ts, text, string(found["content"]) == "null")
}

// trim takes off what editors put around a line.
func trim(text []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
}
