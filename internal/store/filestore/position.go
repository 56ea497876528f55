package filestore

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// position is which bytes of which log.jsonl a state covers. It is stored in the checkpoint.
type position struct {
	ino    uint64 // of log.jsonl
	offset int64  // bytes of it that the state covers
	lines  int    // lines in them
	last   string // log.Sum of the last of those lines

	numbers map[string]int64 // highest of each counter in the history up to there; nil: not known

	archives archives // those that there were; empty: not known

	// When the files of index/ were last compared, by the file system's clock, in nanoseconds; 0:
	// never.
	compared int64
}

// encode returns the position as the checkpoint holds it.
func (p position) encode() state.Position {
	b := strconv.AppendUint([]byte(`"ino":`), p.ino, 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), p.offset, 10)
	b = strconv.AppendInt(append(b, `,"lines":`...), int64(p.lines), 10)
	b = jsontext.AppendString(append(b, `,"last":`...), p.last)
	if p.numbers != nil {
		b = append(b, `,"numbers":{`...)
		for i, counter := range slices.Sorted(maps.Keys(p.numbers)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsontext.AppendString(b, counter), ':')
			b = strconv.AppendInt(b, p.numbers[counter], 10)
		}
		b = append(b, '}')
	}
	if len(p.archives) > 0 {
		b = append(append(b, `,"archives":`...), p.archives...)
	}
	if p.compared != 0 {
		b = strconv.AppendInt(append(b, `,"compared":`...), p.compared, 10)
	}
	return state.Position(b)
}

// parsePosition reads a position. The error wraps state.ErrCheckpoint.
func parsePosition(text state.Position) (p position, err error) {
	for name, value := range jsontext.Members([]byte("{" + text + "}")) {
		var e error
		switch name {
		case "ino":
			p.ino, e = strconv.ParseUint(string(value), 10, 64)
		case "offset":
			p.offset, e = strconv.ParseInt(string(value), 10, 64)
		case "lines":
			p.lines, e = strconv.Atoi(string(value))
		case "last":
			p.last = jsontext.Unquote(value)
		case "numbers":
			p.numbers, e = parseNumbers(value)
		case "archives":
			p.archives = archives(value)
		case "compared":
			p.compared, e = strconv.ParseInt(string(value), 10, 64)
		}
		err = errors.Join(err, e)
	}
	if err != nil || p.offset < 0 {
		return position{}, fmt.Errorf("%w: malformed", state.ErrCheckpoint)
	}
	return p, nil
}

func parseNumbers(object []byte) (map[string]int64, error) {
	numbers := map[string]int64{}
	for counter, value := range jsontext.Members(object) {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return nil, err
		}
		if n > keypath.MaxCounted {
			return nil, nil // of a build that counted every number; the history is read again
		}
		numbers[counter] = n
	}
	return numbers, nil
}

// ComparedAt returns when a compaction has last compared the files of index/ with the log, as
// [disk.Changed] returns it; 0 for never, or where the checkpoint does not say.
func ComparedAt(dir *disk.Dir) int64 {
	cp, err := state.ReadCheckpoint(dir)
	if err != nil {
		return 0
	}
	pos, _ := parsePosition(cp.Position)
	return pos.compared
}

// matches reports whether the position is one of this log: the same file, with the covered bytes.
func (p position) matches(seg *log.Segment) (bool, error) {
	if p.ino != seg.Ino() {
		return false, nil
	}
	return p.matchesCopy(seg)
}

// matchesCopy is matches of a log that may be a copy.
func (p position) matchesCopy(seg *log.Segment) (bool, error) {
	if p.offset > seg.Size() {
		return false, nil
	}
	last, err := seg.SumBefore(p.offset)
	return err == nil && last == p.last, err
}

// coveredBy returns how many bytes of this log a checkpoint covers; negative if it is of another.
func coveredBy(cp state.Checkpoint, seg *log.Segment) int64 {
	pos, err := parsePosition(cp.Position)
	if err != nil {
		return -1
	}
	if ok, err := pos.matches(seg); !ok || err != nil {
		return -1
	}
	return pos.offset
}

// Covers returns how many bytes of a log a checkpoint covers. ok is false if it is of another log
// than this one, or than the one that this is a copy of.
func Covers(cp state.Checkpoint, seg *log.Segment) (offset int64, ok bool, err error) {
	p, err := parsePosition(cp.Position)
	if err != nil {
		return 0, false, nil
	}
	ok, err = p.matchesCopy(seg)
	return p.offset, ok, err
}

// stateNow is openState of a state that has every record which has not expired: where a compaction
// by a clock that was ahead has left out others, the history is read.
func (s Files) stateNow(seg *log.Segment) (*state.File, position, error) {
	file, pos, err := openState(s.Dir, seg)
	if file != nil && s.isEarly(file.Checkpoint) {
		file.Close()
		return nil, pos, nil
	}
	return file, pos, err
}

// isEarly reports whether the reader's time is one at which records that a state lacks have not
// expired.
func (s Files) isEarly(c state.Checkpoint) bool { return s.Now != 0 && s.Now < c.ExpiredBy }

// openState opens the state where it covers a part of this log; nil where it cannot be used.
func openState(dir *disk.Dir, seg *log.Segment) (*state.File, position, error) {
	file, err := state.Open(dir)
	if errors.Is(err, state.ErrCheckpoint) {
		return nil, position{}, nil
	}
	if err != nil {
		return nil, position{}, err
	}
	pos, err := parsePosition(file.Position)
	ok := false
	if err == nil {
		ok, err = pos.matches(seg)
	}
	if ok && err == nil {
		ok, err = file.Untouched()
	}
	if err != nil || !ok {
		file.Close()
		return nil, pos, disk.Ignore(err, state.ErrCheckpoint)
	}
	return file, pos, nil
}
