package fsck

import (
	"errors"
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// checkLog reads every line of every segment, strictly, and folds the sound ones (F01 to F04, F17).
func (c *Checker) checkLog() error {
	c.begin("log", 0)
	for _, name := range c.archives {
		if err := c.checkArchive(name); err != nil {
			return err
		}
	}
	if err := c.checkLive(log.Start{}); err != nil {
		return err
	}
	c.findings = append(c.findings, c.clock.future()...)
	c.newest = max(c.newest, c.clock.near)
	return c.bury()
}

// bury folds tombstones in place of those that are damaged, or that a state proves.
func (c *Checker) bury() error {
	files := filestore.Files{Dir: c.Dir, Shared: c.Shared}
	lost, err := files.Buried(c.damaged, filestore.NewestOf(c.fold))
	if err == nil && !c.Shared && len(c.damaged)+len(selectFindings(c.findings, checkArchive)) > 0 {
		c.deleted, err = filestore.Deleted(c.Dir, c.live, c.fold)
	}
	short, failed := filestore.IsShort(c.Dir)
	if failed = ignoreIrregular(failed); err == nil {
		err = failed
	}
	if short {
		c.unclear, c.short = true, !c.Shared
	}
	for _, e := range c.deleted {
		c.fold.Add(log.RecordOf(e))
	}
	for _, rec := range lost {
		c.take(rec)
		c.deleted = append(c.deleted, rec.Envelope)
	}
	c.nameSpared()
	return err
}

// nameSpared adds to the findings of damaged tombstones the memories that these leave live, but for
// those that are older by place and time.
func (c *Checker) nameSpared() {
	for _, d := range c.damaged {
		for _, lost := range filestore.ShownTombstones(d.Raw, d.Pos) {
			rec := c.fold[lost.Key]
			older := lost.TS != 0 && lost.TS <= rec.TS && lost.Pos.Compare(rec.Pos) < 0
			if rec.Key.IsZero() || !rec.Valid() || older {
				continue
			}
			c.unclear = true
			at := "a time that cannot be read"
			if lost.TS != 0 {
				at = lost.TS.String()
			}
			keep, del := advice.Run("fsck", "--repair"), advice.Run("forget", rec.Key.String())
			c.explain(d.Pos, rec.Key, fmt.Sprintf("; a deletion of %s, of %s, that leaves the "+
				"memory of %s live: %s keeps it, %s deletes it", rec.Key, at, rec.TS, keep, del))
		}
	}
}

// explain adds to the finding of a line.
func (c *Checker) explain(pos log.Pos, key keypath.Key, text string) {
	for i := range c.findings {
		if f := &c.findings[i]; f.File == pos.File && f.Offset == pos.Off && f.Line == pos.Line {
			f.Key, f.Detail = key.String(), f.Detail+text
			return
		}
	}
}

// checkListed compares the archives with those that the checkpoint lists (F16).
func checkListed(c *Checker) error {
	if c.cpErr != nil || c.Shared {
		return nil
	}
	list, _ := filestore.ArchivesOf(c.cp) // one that cannot be read is a finding already
	for _, a := range list {
		fault, err := a.Fault(c.Dir)
		if err = ignoreIrregular(err); err != nil {
			return err
		}
		if fault != "" {
			// It cannot agree with the others' times as long as it is away, and would win over what
			// was re-dated when it is back.
			c.clock.agree(c.cp.MaxTS)
			c.find(checkArchive, Finding{File: a.Name}, "%s: %s", fault, filestore.PutBack)
		}
	}
	return nil
}

func (c *Checker) checkArchive(name string) error {
	c.known[name] = true
	f, err := c.Dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = c.scanSegment(f, name, log.Start{})
	return err
}

// checkLive checks the live segment from a position on.
func (c *Checker) checkLive(from log.Start) (err error) {
	if c.live == nil {
		return nil
	}
	c.torn = 0
	c.end, err = c.scanSegment(c.live.From(from.Off), log.File, from)
	c.ino = c.live.Ino()
	return err
}

// scanSegment reads a segment and returns where its last whole line ends.
func (c *Checker) scanSegment(r io.Reader, name string, end log.Start) (log.Start, error) {
	before := log.MinStamp
	for rec, err := range log.ScanStrict(r, name, end) {
		c.lines++
		c.tick()
		var damage *log.Damage
		if errors.As(err, &damage) {
			c.findDamage(damage)
			if c.torn == 0 {
				end = damage.Pos.After()
			}
			continue
		}
		if err != nil {
			return end, err
		}
		end = rec.Pos.After()
		at := Finding{File: name, Line: rec.Pos.Line, Offset: rec.Pos.Off,
			Key: rec.Key.String(), Length: rec.Pos.Len}
		if rec.Unsealed {
			c.find(checkUnsealed, at, "%s has no checksum that covers it", rec.Key)
		}
		if !c.clock.see(rec, before, at) {
			c.newest = max(c.newest, rec.TS)
		}
		before = max(before, rec.TS)
		c.take(rec)
	}
	c.clock.agree(min(log.ArchivedAt(name), before))
	return end, nil
}

// take folds a record, and keeps what the state should hold of a key that was written again after
// the checkpoint.
func (c *Checker) take(rec log.Record) {
	if c.cpFits && rec.Pos.File == log.File && rec.Pos.Off >= c.offset {
		if _, kept := c.covered[rec.Key]; !kept {
			c.covered[rec.Key] = c.fold[rec.Key]
		}
	}
	c.fold.Add(rec)
	if id, ok := c.taken.Note(rec.Envelope); ok {
		c.takers[id] = append(c.takers[id], rec.Envelope.Clone())
	}
	if content.IsPurgeMark(rec) {
		c.marks.Add(rec)
	}
}

func (c *Checker) findDamage(d *log.Damage) {
	at := Finding{File: d.Pos.File, Line: d.Pos.Line, Offset: d.Pos.Off, Length: d.Pos.Len}
	why := "; one bit of it has flipped, and --repair puts that right"
	if !c.mend(d) {
		c.damaged, why = filestore.WithDamage(c.damaged, d), ""
	}
	switch {
	case why != "":
		c.find(checkChecksum, at, "%s%s", d.Reason, why)
	case errors.Is(d, log.ErrTorn):
		c.torn = d.Pos.Len
		c.find(checkTorn, at, "%d bytes without an end: %s", d.Pos.Len, d.Reason)
	case errors.Is(d, log.ErrChecksum):
		c.find(checkChecksum, at, "%s%s", d.Reason, c.mayDelete(d))
	default:
		c.find(checkLine, at, "%s%s", d.Reason, c.mayDelete(d))
	}
}

// mend folds what a line was before one bit of it flipped, as the repair restores it.
func (c *Checker) mend(d *log.Damage) bool {
	mended := log.Mend(d.Raw)
	for _, e := range mended {
		c.take(log.Record{Envelope: e, Line: e.Line(), Pos: d.Pos})
	}
	return mended != nil
}

// mayDelete says of a damaged line that it may be a tombstone which nothing makes up for: it shows
// neither that it is none nor a key that was written before, and no state was made after it.
func (c *Checker) mayDelete(d *log.Damage) string {
	covered := c.cpFits && (d.Pos.File != log.File || d.Pos.Off < c.offset)
	valid, shown := log.ShownValid(d.Raw)
	_, known := c.fold[log.ShownKey(d.Raw)]
	if covered || shown && (valid || known) {
		return ""
	}
	c.unclear = true
	return "; it may have deleted a memory, which mem ls shows again then"
}

// expected returns what the state should hold for a key.
func (c *Checker) expected(key keypath.Key) (log.Record, bool) {
	rec, again := c.covered[key]
	if !again {
		rec = c.fold[key]
	}
	return rec, !rec.Key.IsZero() && rec.Valid()
}
