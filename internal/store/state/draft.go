package state

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"iter"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Draft is a new state, synced under a temporary name, with its sidecars. The caller sets Position
// and MaxTS before it installs it.
type Draft struct {
	Checkpoint
	Expired []log.Record // key and ts of live records that were dropped

	dir   *disk.Dir
	temp  string    // "" once it is installed
	cache []Sidecar // those still to install; one that could not be written is not there
	debug func(msg string)
}

// DraftOptions are options for writing a state.
type DraftOptions struct {
	Sidecars bool                  // write columns and full text too
	Drop     func(log.Record) bool // live records that have expired and are left out; nil: none
	Tick     func(records int)     // called after each record; may be nil
	Debug    func(msg string)      // called with why a sidecar is left out; may be nil
}

// Write writes the live records of a view, sorted by key, to a synced temporary file. The same live
// set always yields the same bytes.
func Write(dir *disk.Dir, v *View, o DraftOptions) (*Draft, error) {
	cache := o.sidecars(dir, v.Estimate())
	cache.reuse(v)
	d, err := write(dir, v.scan(context.Background(), keypath.Prefix{}, cache.saw), cache, o)
	if err == nil {
		d.ExpiredBy = max(v.ExpiredBy(), d.ExpiredBy)
	}
	return d, err
}

// WriteSorted is Write for live records that come sorted by key, about so many.
func WriteSorted(dir *disk.Dir, live iter.Seq2[log.Record, error], about int,
	o DraftOptions) (*Draft, error) {
	return write(dir, live, o.sidecars(dir, about), o)
}

func write(dir *disk.Dir, live iter.Seq2[log.Record, error], cache *sidecars, o DraftOptions) (
	*Draft, error) {
	d := &Draft{dir: dir, debug: o.Debug}
	d.ExpiredBy = log.MinStamp
	defer cache.discard()
	sum := sha256.New()
	var err error
	// A crash within this leaves temporary files, which fsck removes.
	d.temp, err = dir.TempFileSync(func(w io.Writer) error {
		return d.fill(w, sum, live, cache, o)
	})
	if err != nil {
		return nil, err
	}
	d.Sum = hex.EncodeToString(sum.Sum(nil))
	d.cache = cache.drafts(d)
	return d, nil
}

// sidecars returns a builder for a state of about so many lines; nil where none is wanted.
func (o DraftOptions) sidecars(dir *disk.Dir, lines int) *sidecars {
	if !o.Sidecars {
		return nil
	}
	return newSidecars(dir, lines)
}

// LeftOut says that a sidecar is left out, and why. Reads and searches find the same without it,
// only slower.
func (d *Draft) LeftOut(err error) {
	if d.debug != nil {
		d.debug(CacheDir + ": not written: " + err.Error())
	}
}

// Attach adds a sidecar of the state that another package has written, for Install or Discard.
func (d *Draft) Attach(s Sidecar) { d.cache = append(d.cache, s) }

func (d *Draft) fill(w io.Writer, sum hash.Hash, live iter.Seq2[log.Record, error],
	cache *sidecars, o DraftOptions) error {
	out := bufio.NewWriterSize(io.MultiWriter(w, sum), 64<<10)
	for rec, err := range live {
		if err != nil {
			return err
		}
		if o.Drop != nil && o.Drop(rec) {
			d.Expired = append(d.Expired,
				log.Record{Envelope: log.Envelope{Key: rec.Key, TS: rec.TS}})
			d.ExpiredBy = max(d.ExpiredBy, content.Parse(rec.Content).Expires+1)
			cache.leaveOut(rec)
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

// Discard removes the draft unless it was installed.
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

// Install puts the draft in place. What the checkpoint covers must be durable in the index by now,
// for nothing before it is replayed any more.
func (d *Draft) Install(now log.Stamp) error {
	// The sidecars name the state by its checksum: until that is in place nobody uses them.
	for _, s := range d.cache {
		if err := s.Install(); err != nil {
			d.LeftOut(err)
		}
	}
	d.cache = nil
	// Commit point: the rename. The package comment says what a crash before and after it leaves.
	if err := d.dir.CommitSync(d.temp, FileName); err != nil {
		return err
	}
	d.temp = ""
	d.Written = now.String()
	return WriteCheckpoint(d.dir, d.Checkpoint)
}
