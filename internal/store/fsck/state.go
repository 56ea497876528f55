package fsck

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// checkpoint reads the checkpoint and compares it with log and state (F11). It may be absent.
func (c *Checker) checkpoint() error {
	at := Finding{File: state.CheckpointName}
	err := c.cpErr
	switch {
	case errors.Is(err, state.ErrNone), errors.Is(err, disk.ErrIrregular):
		return nil
	case errors.Is(err, state.ErrCheckpoint):
		c.find(checkCheckpoint, at, "%s", err)
		return nil
	case err != nil:
		return err
	case c.live == nil:
		c.find(checkCheckpoint, at, "there is no log.jsonl")
		return nil
	case c.state == nil:
		c.find(checkCheckpoint, at, "there is no state.jsonl")
		return nil
	}
	fi, err := c.state.Stat()
	if err != nil {
		return err
	}
	if c.offset, c.cpFits, err = filestore.Covers(c.cp, c.live); err != nil {
		return err
	}
	if c.cpFits = c.cpFits && fi.Size() == c.cp.Size; !c.cpFits {
		c.find(checkCheckpoint, at,
			"it describes another log.jsonl or state.jsonl")
	}
	return nil
}

// checkState compares state.jsonl with the history up to the checkpoint (F10).
func (c *Checker) checkState() error {
	if !c.cpFits {
		return nil
	}
	sum, before := sha256.New(), len(c.findings)
	seen, err := c.stateLines(io.TeeReader(io.NewSectionReader(c.state, 0, c.cp.Size), sum))
	if err != nil {
		return err
	}
	if was := c.cp.Sum; was != "" && was != hex.EncodeToString(sum.Sum(nil)) &&
		len(c.findings) == before {
		c.find(checkState, Finding{File: state.FileName}, "its bytes differ from those written")
	}
	then := c.cp.ExpiredBy
	for key := range c.fold {
		if want, live := c.expected(key); live && !seen[key] &&
			!content.Expired(want.Content, then) {
			c.find(checkState, Finding{File: state.FileName, Key: key.String()}, "no line for %s",
				key)
		}
	}
	return nil
}

func (c *Checker) stateLines(r io.Reader) (map[keypath.Key]bool, error) {
	seen := make(map[keypath.Key]bool, len(c.fold))
	c.begin("state", len(c.fold))
	var last keypath.Key
	// Not strictly: a line that equals the one in the log, which was checked strictly, is fine.
	for rec, err := range log.Scan(r, state.FileName, log.Start{}) {
		c.tick()
		var damage *log.Damage
		if errors.As(err, &damage) {
			c.find(checkState, Finding{File: state.FileName, Line: damage.Pos.Line,
				Offset: damage.Pos.Off}, "%s", damage.Reason)
			continue
		}
		if err != nil {
			return nil, err
		}
		at := Finding{File: state.FileName, Line: rec.Pos.Line, Offset: rec.Pos.Off,
			Key: rec.Key.String()}
		if !last.IsZero() && rec.Key.Compare(last) <= 0 {
			c.find(checkState, at, "%s is out of order", rec.Key)
		}
		last, seen[rec.Key] = rec.Key, true
		switch want, live := c.expected(rec.Key); {
		case !live:
			c.find(checkState, at, "the log has no live %s", rec.Key)
		case want.TS != rec.TS:
			c.find(checkState, at, "%s is of %s, the log has %s", rec.Key, rec.TS, want.TS)
		case !rec.Canonical || !bytes.Equal(want.Line, rec.Line):
			c.find(checkState, at, "%s differs from the log", rec.Key)
		}
	}
	return seen, nil
}

const lostLines = ": what lost lines have deleted may be live again, as mem ls shows it"

// watermark compares the watermark with the log (F12). One that lags is what a crash leaves; it is
// reported all the same, since the index is not up to date until the next write.
func (c *Checker) watermark() error {
	at := Finding{File: log.WatermarkFile}
	w, err := log.ReadWatermark(c.Dir)
	switch {
	case errors.Is(err, disk.ErrIrregular):
		return nil
	case errors.Is(err, log.ErrWatermark):
		if c.live != nil && c.live.Size() > 0 {
			c.find(checkWatermark, at, "%s", err)
		}
		return nil
	case err != nil:
		return err
	case c.live == nil:
		if w.Applied > 0 {
			c.find(checkWatermark, at, "log.jsonl is gone%s", lostLines)
		}
		return nil
	}
	trust, err := filestore.CheckCopiedWatermark(w, c.live, c.Boot)
	switch {
	case err != nil:
		return err
	case w.Applied > c.live.Size():
		c.find(checkWatermark, at, "log.jsonl has %d bytes of %d%s", c.live.Size(), w.Applied,
			lostLines)
	case trust == filestore.Stale:
		c.find(checkWatermark, at, "it describes another log.jsonl")
	case w.Applied < c.live.Size()-c.torn:
		c.find(checkWatermark, at, "the index is current to byte %d of %d of the log", w.Applied,
			c.live.Size())
	case w.Gen%2 == 1:
		c.find(checkWatermark, at, "a compaction was interrupted")
	}
	return nil
}
