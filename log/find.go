package log

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/set-memory/mem/keypath"
)

// Wanted is a set of keys to find.
type Wanted map[string]struct{}

// Want returns the set of these keys.
func Want(keys ...keypath.Key) Wanted {
	w := make(Wanted, len(keys))
	for _, key := range keys {
		w.Add(key)
	}
	return w
}

// Add adds a key.
func (w Wanted) Add(key keypath.Key) { w[key.String()] = struct{}{} }

// Has reports whether a key is in the set.
func (w Wanted) Has(key keypath.Key) bool {
	_, has := w[key.String()]
	return has
}

// Find is Scan for the records of some keys. A line in canonical layout shows its key in its first
// bytes: if that is certainly another key, the line is neither decoded nor verified, which makes
// Find many times as fast as Scan. Every other line is yielded as Scan does, whatever its key.
func Find(r io.Reader, file string, start Start, w Wanted) iter.Seq2[Record, error] {
	return Grep(r, file, start, func(line []byte) bool { return !w.excludes(line) })
}

// FindFlipped is Find with the lines that may have had one of the keys before a bit flipped.
func FindFlipped(r io.Reader, file string, start Start, w Wanted) iter.Seq2[Record, error] {
	if len(w) > maxFlipped {
		return Scan(r, file, start)
	}
	flipped := w.flipped()
	return Grep(r, file, start, func(line []byte) bool {
		key, _ := bareKey(line)
		_, may := flipped[string(key)]
		return may || !w.excludes(line)
	})
}

// maxFlipped is for how many keys FindFlipped keeps what a flipped bit makes of each.
const maxFlipped = 1000

// flipped returns the keys that lines in canonical layout show once a bit of their key, or of the
// quote behind it, has flipped.
func (w Wanted) flipped() Wanted {
	all := Wanted{}
	for key := range w {
		line := []byte(keyOpen + key + `","ts":"`)
		for i := len(keyOpen); i <= len(keyOpen)+len(key); i++ {
			for bit := byte(1); bit != 0; bit <<= 1 {
				line[i] ^= bit
				if shown, ok := bareKey(line); ok {
					all[string(shown)] = struct{}{}
				}
				line[i] ^= bit
			}
		}
	}
	return all
}

// FindBelow is Find for the records of the keys under a prefix.
func FindBelow(r io.Reader, file string, start Start, p keypath.Prefix) iter.Seq2[Record, error] {
	if p == (keypath.Prefix{}) {
		return Scan(r, file, start)
	}
	root := []byte(p.String())
	return Grep(r, file, start, func(line []byte) bool {
		if beginsOtherwise(line, root) {
			return false
		}
		key, shown := bareKey(line)
		if !shown {
			return true
		}
		below, in := bytes.CutPrefix(key, root)
		return in && (len(below) == 0 || below[0] == '/') || !keypath.IsNormal(key)
	})
}

// grepBuffer is smaller than that of a scan: next to nothing is done with a line, so what a process
// pays for fresh memory shows.
const grepBuffer = 32 << 10

// Grep is Scan of the lines that pass, of which it is asked before they are decoded or verified. A
// line comes without its ending, and shares a buffer.
func Grep(r io.Reader, file string, start Start, passes func(line []byte) bool) iter.Seq2[
	Record, error] {
	return func(yield func(Record, error) bool) {
		in := lines{r: bufio.NewReaderSize(r, min(bufferFor(r), grepBuffer)),
			pos: Pos{File: file, Line: start.Line, Off: start.Off}}
		for in.next() {
			text := trim(in.raw)
			if len(text) == 0 || !passes(text) {
				continue
			}
			if !yield(in.record(text, decode)) {
				return
			}
		}
		if in.err != io.EOF {
			yield(Record{}, in.err)
		}
	}
}

// excludes reports whether a line is certainly of none of the keys. One with an escape in its key,
// or a key that is not in its normal form, might be.
func (w Wanted) excludes(line []byte) bool {
	key, shown := bareKey(line)
	if !shown {
		return false
	}
	if _, wanted := w[string(key)]; wanted {
		return false
	}
	return keypath.IsNormal(key)
}

// beginsOtherwise reports whether the key of a line certainly does not begin with root. A slash, an
// escape or a character outside ASCII may be another spelling of the root's character.
func beginsOtherwise(line, root []byte) bool {
	key, canonical := bytes.CutPrefix(line, []byte(keyOpen))
	if !canonical {
		return false
	}
	for i := range min(len(key), len(root)) {
		if c := key[i]; c != root[i] {
			return c != '/' && c != '\\' && c|root[i] < utf8.RuneSelf
		}
	}
	return false
}

// keyOpen begins a line in canonical layout.
const keyOpen = `{"key":"`

// bareKey returns the key with which a line in canonical layout begins; not shown where it has an
// escape, or the line is in another layout.
func bareKey(line []byte) (key []byte, shown bool) {
	rest, canonical := bytes.CutPrefix(line, []byte(keyOpen))
	end := bytes.IndexByte(rest, '"')
	if !canonical || end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return nil, false
	}
	return rest[:end], true
}

// ContentIn returns the bytes of a line in which its content stands: of one in canonical layout
// hardly more than that, of any other the whole line.
func ContentIn(line []byte) []byte {
	body, _, sealed := unseal(line)
	at := bytes.Index(body, []byte(`,"content":`))
	if !sealed || at < 0 {
		return line
	}
	return body[at:]
}
