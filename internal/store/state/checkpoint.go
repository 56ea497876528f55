package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// Names below the root.
const (
	FileName       = "state.jsonl"
	CheckpointName = "checkpoint.json"
	CacheDir       = "cache"
)

// ErrCheckpoint is wrapped by the errors of Open and ReadCheckpoint when there is no checkpoint, or
// no valid one: the whole history is folded then.
var ErrCheckpoint = errors.New("no valid checkpoint")

// ErrNone is wrapped, too, where there is none.
var ErrNone = errors.New("none written yet")

// Position is the part of the history that a state covers, as the keeper of the history writes it:
// members of a JSON object, like `"offset":7,"lines":1`. This package does not read it.
type Position string

// Checkpoint records what state.jsonl covers. It is a hint: where it is absent or does not match,
// the whole history is folded.
type Checkpoint struct {
	Position Position  // what of the history is covered
	MaxTS    log.Stamp // newest ts covered
	Keys     int       // lines of state.jsonl
	Size     int64     // bytes of state.jsonl
	Sum      string    // SHA-256 of state.jsonl, in hex
	Written  string    // when, for people

	// ExpiredBy is the first time at which all live records that the state lacks have expired: to a
	// reader whose time is before it the state is no shortcut. A checkpoint of an earlier mem may
	// have a later time, or none: then it is Written.
	ExpiredBy log.Stamp
}

// maxCheckpoint is the greatest size of a checkpoint: it lists the archives.
const maxCheckpoint = 8 << 20

// ReadCheckpoint reads checkpoint.json. The error wraps ErrCheckpoint, log.ErrNewer, or is the file
// system's.
func ReadCheckpoint(dir *disk.Dir) (Checkpoint, error) {
	text, err := dir.ReadFile(CheckpointName, maxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, ErrNone)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	return ParseCheckpoint(text)
}

// ParseCheckpoint reads the text of checkpoint.json; see ReadCheckpoint.
func ParseCheckpoint(text []byte) (Checkpoint, error) {
	if !log.Sealed(text) {
		return Checkpoint{}, fmt.Errorf("%w: damaged", ErrCheckpoint)
	}
	object, err := jsontext.Compact(nil, text)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	c, version, err := decodeCheckpoint(object)
	switch {
	case version > log.FormatVersion:
		return Checkpoint{}, fmt.Errorf("%w: checkpoint format %d, this mem reads up to %d",
			log.ErrNewer, version, log.FormatVersion)
	case err != nil:
		return Checkpoint{}, fmt.Errorf("%w: malformed", ErrCheckpoint)
	}
	return c, nil
}

// decodeCheckpoint reads the members. It is written by hand because the reflection of encoding/json
// would slow down every short command. Members that are not this package's are the position.
func decodeCheckpoint(object []byte) (c Checkpoint, version int, err error) {
	var own []byte
	stamped := false
	for name, value := range jsontext.Members(object) {
		var e error
		switch name {
		case "v":
			version, e = strconv.Atoi(string(value))
		case "max_ts":
			c.MaxTS, e = log.ParseTime(jsontext.Unquote(value))
			stamped = true
		case "keys":
			c.Keys, e = strconv.Atoi(string(value))
		case "state_size":
			c.Size, e = strconv.ParseInt(string(value), 10, 64)
		case "state_sum":
			c.Sum = jsontext.Unquote(value)
		case "written":
			c.Written = jsontext.Unquote(value)
		case "expired_by":
			c.ExpiredBy, e = log.ParseTime(jsontext.Unquote(value))
		case "checksum":
		default:
			own = append(append(jsontext.AppendString(append(own, ','), name), ':'), value...)
		}
		err = errors.Join(err, e)
	}
	if !stamped || c.Size < 0 {
		err = ErrCheckpoint
	}
	if c.ExpiredBy == 0 {
		c.ExpiredBy, _ = log.ParseTime(c.Written)
	}
	c.Position = Position(bytes.TrimPrefix(own, []byte{','}))
	return c, version, err
}

// WriteCheckpoint replaces checkpoint.json.
func WriteCheckpoint(dir *disk.Dir, c Checkpoint) error {
	text := fmt.Appendf(nil, `{"v":%d,`, log.FormatVersion)
	if c.Position != "" {
		text = append(append(text, c.Position...), ',')
	}
	text = fmt.Appendf(text, `"max_ts":"%s","keys":%d,"state_size":%d,"state_sum":"%s","written":`,
		c.MaxTS, c.Keys, c.Size, c.Sum)
	text = jsontext.AppendString(text, c.Written)
	text = fmt.Appendf(text, `,"expired_by":"%s"}`, max(c.ExpiredBy, log.MinStamp))
	// A crash before the rename leaves the old checkpoint with the new state: it covers less, and
	// folding more of the log than needed changes nothing.
	return dir.WriteBytesSync(CheckpointName, append(log.Seal(text), '\n'))
}
