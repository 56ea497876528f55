package compact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// Names below the root.
const (
	StateFile      = "state.jsonl"
	CheckpointFile = "checkpoint.json"
)

// ErrCheckpoint is returned by ReadCheckpoint when there is none, or none to trust: the whole log is folded then.
var ErrCheckpoint = errors.New("no valid checkpoint")

// Checkpoint says which part of the log state.jsonl covers. It is a hint: where it is absent or does not fit, the whole history is folded.
type Checkpoint struct {
	V         int       `json:"v"`
	Ino       uint64    `json:"ino"`        // inode of log.jsonl
	Offset    int64     `json:"offset"`     // bytes of log.jsonl that the state covers
	Lines     int       `json:"lines"`      // lines in them
	Last      string    `json:"last"`       // log.Sum of the last of those lines
	MaxTS     log.Stamp `json:"-"`          // newest ts covered
	MaxText   string    `json:"max_ts"`     //
	Keys      int       `json:"keys"`       // lines of state.jsonl
	StateSize int64     `json:"state_size"` // bytes of state.jsonl
	StateSum  string    `json:"state_sum"`  // SHA-256 of state.jsonl, in hex
	Written   string    `json:"written"`    // when, for people
}

// ReadCheckpoint reads checkpoint.json. The error wraps ErrCheckpoint, log.ErrNewer, or is the file system's.
func ReadCheckpoint(dir *disk.Dir) (Checkpoint, error) {
	text, err := dir.ReadFile(CheckpointFile, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return Checkpoint{}, fmt.Errorf("%w: none written yet", ErrCheckpoint)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	return parseCheckpoint(text)
}

func parseCheckpoint(text []byte) (c Checkpoint, err error) {
	if !log.Sealed(text) {
		return c, fmt.Errorf("%w: damaged", ErrCheckpoint)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	if c.V > log.FormatVersion {
		return c, fmt.Errorf("%w: checkpoint format %d, this mem reads up to %d", log.ErrNewer, c.V, log.FormatVersion)
	}
	if c.MaxTS, err = log.ParseTime(c.MaxText); err != nil || c.Offset < 0 || c.StateSize < 0 {
		return c, fmt.Errorf("%w: malformed", ErrCheckpoint)
	}
	return c, nil
}

func writeCheckpoint(dir *disk.Dir, c Checkpoint) error {
	c.V, c.MaxText = log.FormatVersion, c.MaxTS.String()
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	// A crash before the rename leaves the old checkpoint beside the new state: it covers less, and folding more of the log than
	// needed changes nothing.
	return dir.WriteFileSync(CheckpointFile, func(w io.Writer) error {
		_, err := w.Write(append(log.Seal(text), '\n'))
		return err
	})
}

// Tail is about how many bytes a log of this size has behind the checkpoint.
func Tail(dir *disk.Dir, size int64) int64 {
	cp, err := ReadCheckpoint(dir)
	if err != nil || cp.Offset > size {
		return size
	}
	return size - cp.Offset
}

// fits reports whether the checkpoint speaks of this log and of this state file.
func (c Checkpoint) fits(live *log.Live, stateSize int64) (bool, error) {
	if c.Ino != live.Ino() || c.Offset > live.Size() || c.StateSize != stateSize {
		return false, nil
	}
	last, err := live.SumBefore(c.Offset)
	return err == nil && last == c.Last, err
}
