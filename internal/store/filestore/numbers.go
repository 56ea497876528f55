package filestore

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A number is never returned twice, so the next one depends on every key that ever was, and a
// compaction drops tombstones from the state. So the checkpoint keeps the highest number of each
// counter up to there; the rest is in the log after it. Without it the whole history is read. A
// number that no store can have returned does not count (keypath.Counts).

// checkpointNumbers returns the numbers of the checkpoint, whether it fits the log or not.
func checkpointNumbers(dir *disk.Dir) *keypath.Counts {
	cp, _ := state.ReadCheckpoint(dir)
	pos, _ := parsePosition(cp.Position) // of one that cannot be read: none
	numbers := keypath.CountsOf(pos.numbers)
	return &numbers
}

func archivedNumbers(dir *disk.Dir) (*keypath.Counts, error) {
	numbers := &keypath.Counts{}
	names, err := log.Archives(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := dir.Open(name)
		if err != nil {
			return nil, err
		}
		err = addNumbers(numbers, f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// Numbers returns the highest number of each counter in what a view covers of the history, and in
// the checkpoint: a purge may have been killed after the lines had gone.
func (v *View) Numbers() (map[string]int64, error) {
	numbers := checkpointNumbers(v.from.Dir)
	if v.file != nil {
		pos, err := parsePosition(v.file.Position)
		if err != nil {
			return nil, err
		}
		if pos.numbers == nil {
			return v.allNumbers()
		}
		numbers.Merge(keypath.CountsOf(pos.numbers))
	}
	for key, err := range v.sinceKeys() {
		if err != nil {
			return nil, err
		}
		numbers.AddKey(key)
	}
	return numbers.Highest(), nil
}

func (v *View) allNumbers() (map[string]int64, error) {
	numbers, err := archivedNumbers(v.from.Dir)
	if err != nil {
		return nil, err
	}
	err = addNumbers(numbers, v.seg.From(0))
	return numbers.Highest(), err
}

// addNumbers adds the numbers in the keys of lines. A damaged line counts too if its key can be
// read: a repair may bring the record back, and no other record may have its number by then.
func addNumbers(numbers *keypath.Counts, r io.Reader) error { return eachKey(r, numbers.AddKey) }

// eachKey calls fn with the keys that lines show, if they can have a number, and the zero Key.
func eachKey(r io.Reader, fn func(keypath.Key)) error {
	in := bufio.NewReaderSize(r, 32<<10)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if full || len(line) > 0 {
			if len(line)+len(part) <= log.MaxLine {
				line = append(line, part...)
			}
			part = line
		}
		if full {
			continue
		}
		fn(keyOf(part))
		if line = line[:0]; err != nil {
			return disk.Ignore(err, io.EOF)
		}
	}
}

// keyOf returns the key that a line shows, if it can have a number, whatever else is wrong with the
// line; the zero Key for none. Lines in canonical layout begin with their key and are not decoded.
func keyOf(line []byte) (key keypath.Key) {
	rest, canonical := bytes.CutPrefix(line, []byte(`{"key":"/`))
	head := rest[:min(len(rest), len("note/"))]
	switch {
	case string(head) == "note/":
	case bytes.HasPrefix(head, []byte{'/'}) || bytes.IndexByte(head, '\\') >= 0:
		canonical = false // another spelling of the key, perhaps
	case canonical:
		return key
	}
	if !canonical {
		if e, err := log.Decode(bytes.TrimSpace(line)); err == nil {
			return e.Key
		}
	}
	_, value, _ := bytes.Cut(line, []byte(`"key":`))
	if n, _ := jsontext.StringLen(value); n > 0 && value[0] == '"' {
		key, _ = keypath.Parse(jsontext.Unquote(value[:n]))
	}
	return key
}
