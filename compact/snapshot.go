package compact

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/log"
)

// draft is a state file written under a temporary name, and what will go with it.
type draft struct {
	dir     *disk.Dir
	temp    string // "" when it is in place
	cp      Checkpoint
	expired []log.Record // live keys whose time is over, left out of the state
	cache   []sidecar    // without those that are in place, or could not be written
}

// discard removes what was not put in place.
func (d *draft) discard() {
	if d.temp != "" {
		d.dir.Remove(d.temp)
	}
	for _, s := range d.cache {
		s.Discard()
	}
	d.temp, d.cache = "", nil
}

// writeState writes the live records of a view, sorted by key, to a synced temporary file. The same live set gives the same bytes. Records for which drop is
// true are left out.
func writeState(dir *disk.Dir, v *View, cache *sidecars, drop func(log.Record) bool, tick func(records int)) (d *draft, err error) {
	d = &draft{dir: dir}
	sum := sha256.New()
	defer cache.discard()
	d.temp, err = dir.TempFileSync(func(w io.Writer) error {
		out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
		for rec, err := range v.Live() {
			if err != nil {
				return err
			}
			if drop(rec) {
				d.expired = append(d.expired, log.Record{Envelope: log.Envelope{Key: rec.Key, TS: rec.TS}})
				continue
			}
			cache.add(rec)
			d.cp.Keys++
			d.cp.StateSize += int64(len(rec.Line)) + 1
			out.Write(rec.Line)
			out.WriteByte('\n')
			tick(d.cp.Keys)
		}
		return out.Flush()
	})
	cache.end()
	d.cp.StateSum = hex.EncodeToString(sum.Sum(nil))
	d.cp.MaxTS = v.MaxTS
	if err != nil {
		return nil, err
	}
	if v.state != nil {
		d.cp.Written = v.cp.Written
	}
	d.cache = cache.drafts(d.cp)
	return d, nil
}

func never(log.Record) bool { return false }

func silent(int) {}

// snapshot writes state and checkpoint for a view of the whole log, under the lock.
func (wr *Writer) snapshot(v *View) error {
	d, err := writeState(wr.Dir, v, newSidecars(wr.Dir, v.Estimate()), never, silent)
	if err != nil {
		return err
	}
	defer d.discard()
	last, err := wr.Live.SumBefore(wr.Live.Size())
	if err != nil {
		return err
	}
	d.cp.Ino, d.cp.Offset, d.cp.Lines, d.cp.Last = wr.Live.Ino(), wr.Live.Size(), v.Lines, last
	return wr.install(d)
}

// install puts a draft in place. The index must be durable before the checkpoint says that nothing before it need be replayed.
func (wr *Writer) install(d *draft) error {
	if err := wr.Dir.SyncTree(); err != nil {
		return err
	}
	// The sidecars name the state by its checksum: until that is in place nobody believes them.
	for _, s := range d.cache {
		s.Install()
	}
	d.cache = nil
	// Commit point: the rename of state.jsonl. A crash before it changes nothing; after it the new state stands beside the old checkpoint,
	// which either does not fit it (the whole history is folded) or covers less of the log (more is folded than needed).
	if err := wr.Dir.CommitSync(d.temp, StateFile); err != nil {
		return err
	}
	d.temp = ""
	// What had expired when the state was written is not in it. A clock that was set back since does not bring it in again.
	d.cp.Written = max(d.cp.Written, log.StampOf(wr.now).String())
	return writeCheckpoint(wr.Dir, d.cp)
}
