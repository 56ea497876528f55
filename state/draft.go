package state

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// Draft is a new state, synced under a temporary name, with its sidecars. Whoever installs it sets
// Position and MaxTS.
type Draft struct {
	Checkpoint
	Expired []log.Record // key and ts of live records that were dropped

	dir   *disk.Dir
	temp  string    // "" when it is in place
	cache []sidecar // without those that are in place, or could not be written
}

// DraftOptions say how a state is written.
type DraftOptions struct {
	Sidecars bool                  // with columns and full text: somebody will read it
	Drop     func(log.Record) bool // live records that are left out; nil: none
	Tick     func(records int)     // called after each record; may be nil
}

// Write writes the live records of a view, sorted by key, to a synced temporary file. The same live
// set gives the same bytes.
func Write(dir *disk.Dir, v *View, o DraftOptions) (*Draft, error) {
	d := &Draft{dir: dir}
	d.Written = v.Written()
	var cache *sidecars
	if o.Sidecars {
		cache = newSidecars(dir, v.Estimate())
	}
	defer cache.discard()
	sum := sha256.New()
	var err error
	d.temp, err = dir.TempFileSync(func(w io.Writer) error { return d.fill(w, sum, v, cache, o) })
	cache.end()
	if err != nil {
		return nil, err
	}
	d.Sum = hex.EncodeToString(sum.Sum(nil))
	d.cache = cache.drafts(d.Checkpoint)
	return d, nil
}

func (d *Draft) fill(w io.Writer, sum hash.Hash, v *View, cache *sidecars, o DraftOptions) error {
	out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
	for rec, err := range v.Live() {
		if err != nil {
			return err
		}
		if o.Drop != nil && o.Drop(rec) {
			d.Expired = append(d.Expired,
				log.Record{Envelope: log.Envelope{Key: rec.Key, TS: rec.TS}})
			continue
		}
		cache.add(rec)
		d.Keys++
		d.Size += int64(len(rec.Line)) + 1
		out.Write(rec.Line)
		out.WriteByte('\n')
		if o.Tick != nil {
			o.Tick(d.Keys)
		}
	}
	return out.Flush()
}

// Discard removes what was not put in place.
func (d *Draft) Discard() {
	if d.temp != "" {
		// A crash before this leaves a temporary file, which fsck removes.
		d.dir.Remove(d.temp)
	}
	for _, s := range d.cache {
		s.Discard()
	}
	d.temp, d.cache = "", nil
}

// Install puts the draft in place. Everything else that the checkpoint vouches for must be durable
// by now, for nothing before it is replayed any more.
func (d *Draft) Install(now log.Stamp) error {
	// The sidecars name the state by its checksum: until that is in place nobody believes them.
	for _, s := range d.cache {
		s.Install()
	}
	d.cache = nil
	// Commit point: the rename of state.jsonl. A crash before it changes nothing; after it the new
	// state stands beside the old checkpoint, which either does not fit it (the whole history is
	// folded) or covers less of the log (more is folded than needed).
	if err := d.dir.CommitSync(d.temp, FileName); err != nil {
		return err
	}
	d.temp = ""
	// What had expired when the state was written is not in it. A clock that was set back since
	// does not bring it in again.
	d.Written = max(d.Written, now.String())
	return WriteCheckpoint(d.dir, d.Checkpoint)
}
