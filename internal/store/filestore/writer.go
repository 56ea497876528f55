package filestore

import (
	"fmt"
	"io"
	"time"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Writer is a healed store, open for the holder of its lock: log, index and watermark agree, and
// Append keeps them so.
type Writer struct {
	Files
	Log    *log.Appender
	Index  Mirror
	mark   *log.WatermarkWriter
	w      log.Watermark
	short  bool // the log may have lost lines at its end
	now    time.Time
	behind error // why the index could not be healed; the log takes writes all the same
	notes  []string

	purgeLeft error // see PurgeLeft
}

// OpenWriter opens a store for writing and heals what a crash, a reboot, git or another external
// modification left. The lock must be held.
func (s Files) OpenWriter(now time.Time) (*Writer, error) {
	s.faulty = nil // a writer reports the repair
	s.Now = log.StampOf(now)
	wr := &Writer{Files: s, now: now}
	err := wr.open()
	if err == nil {
		err = finishPurge(wr)
	}
	if err != nil {
		wr.Close()
		return nil, err
	}
	return wr, nil
}

// Locked runs fn with a writer, under the lock that lock takes, and reports repairs.
func (s Files) Locked(lock func() (func() error, error), now time.Time, tell func(string),
	fn func(*Writer) error) (err error) {
	unlock, err := lock()
	if err != nil {
		return err
	}
	defer disk.Finish(&err, unlock)
	wr, err := s.OpenWriter(now)
	if err != nil {
		return err
	}
	defer wr.Close()
	defer func() { wr.ReportTo(tell) }()
	return fn(wr)
}

func (wr *Writer) open() (err error) {
	if wr.Log, err = log.OpenAppender(wr.Dir); err != nil {
		return err
	}
	wr.Index = Mirror{dir: wr.Dir, now: wr.now}
	if wr.Index.Tree, err = index.Open(wr.Dir, wr.Boot == ""); err != nil {
		return err
	}
	var sound bool
	if wr.mark, wr.w, sound, err = log.OpenWatermark(wr.Dir); err != nil {
		return err
	}
	wr.short = isShort(wr.w, sound, wr.Log.Ino(), wr.Log.Size())
	// Somebody may have deleted index/ as a whole: it is derived, and is rebuilt.
	sound = sound && (wr.Index.Tree.Exists() || wr.w.Applied == 0)
	trust, err := wr.trust(wr.w, sound, &wr.Log.Segment)
	if err != nil || trust == Current && wr.w.Applied == wr.Log.Size() && !wr.midway() {
		return err
	}
	return wr.heal(trust)
}

// midway reports whether a compaction did not finish its renames: the generation is odd.
func (wr *Writer) midway() bool { return wr.w.Gen%2 == 1 }

// Close closes what OpenWriter opened; the lock is the caller's.
func (wr *Writer) Close() {
	if wr.Log != nil {
		wr.Log.Close()
	}
	if wr.Index.Tree != nil {
		wr.Index.Tree.Close()
	}
	if wr.mark != nil {
		wr.mark.Close()
	}
}

// fresh reports whether nothing has ever been written here.
func (wr *Writer) fresh() bool { return wr.Log.Size() == 0 && wr.w.Gen == 0 }

// Watermark returns the watermark that is to be written next.
func (wr *Writer) Watermark() log.Watermark { return wr.w }

// note adds a line to those that ReportTo passes on.
func (wr *Writer) note(format string, args ...any) {
	wr.notes = append(wr.notes, fmt.Sprintf(format, args...))
}

// ReportTo calls warn with each repair and each remark on the write, a line each.
func (wr *Writer) ReportTo(warn func(string)) {
	if warn == nil {
		return
	}
	noteFew(wr, wr.Index.Kept, wr.sayKept, "files of index/ were kept in quarantine/")
	for _, line := range wr.notes {
		warn(line)
	}
}

func (wr *Writer) sayLeftOut(d *log.Damage) string { return d.LeftOut(wr.Program) }

func (wr *Writer) sayKept(k Kept) string {
	if _, err := wr.Dir.Lstat(k.Copy); err != nil {
		return k.File + " differed from the log, and what it had was purged"
	}
	return k.File + " differed from the log; " +
		advice.Run("fsck", "--adopt", k.Copy).As(wr.Program) + " stores it"
}

// noteFew notes a line for each of a few things, and of more how many.
func noteFew[T any](wr *Writer, list []T, line func(T) string, what string) {
	const most = 3
	for _, one := range list[:min(len(list), most)] {
		wr.note("%s", line(one))
	}
	if more := len(list) - most; more > 0 {
		wr.note("and %d more %s", more, what)
	}
}

// IndexError returns why the index could not be healed; nil where it follows the log.
func (wr *Writer) IndexError() error { return wr.behind }

// Newest returns the newest live record of a key, expired or not.
func (wr *Writer) Newest(key keypath.Key) (log.Record, bool, error) {
	found, err := newestIn(wr, key)
	rec, ok := found[key]
	return rec, ok && rec.Valid(), err
}

// newestIn returns the newest records of some keys in the writer's store; see lookup.newest. The
// sound copy of a line that cannot be read is taken in first.
func newestIn(wr *Writer, keys ...keypath.Key) (state.Fold, error) {
	for again := false; ; again = true {
		l := lookup{Files: wr.Files, seg: &wr.Log.Segment, w: wr.w, trusted: Current}
		if wr.Shared && wr.behind != nil {
			l.trusted = Stale // git has changed the log, and the state is still of the old one
		}
		f, err := l.newest(keys...)
		if err != nil || len(f.damaged) == 0 {
			return f.found, err
		}
		n := 0
		if !again {
			if n, err = takeIn(wr, f.damaged); err != nil {
				return nil, err
			}
		}
		if n == 0 {
			for _, d := range f.damaged {
				wr.note("%s", wr.sayLeftOut(d))
			}
			return f.found, nil
		}
	}
}

// takeIn takes in the sound copies of damaged lines, and returns how many there were.
func takeIn(wr *Writer, damaged []*log.Damage) (int, error) {
	v, err := wr.Load()
	if err != nil {
		return 0, err
	}
	defer v.Close()
	n, err := wr.Readmit(v, damaged)
	if err != nil || n == 0 {
		return 0, err
	}
	// A crash before this makes the next writer fold everything, for a line that is older than
	// those before it stands behind the watermark.
	return n, wr.WriteWatermark()
}

// Append stores envelopes with one write and one fsync, then brings the index to each key's last
// one, then the watermark. With an error they are stored only if it wraps backend.ErrStored.
func (wr *Writer) Append(envelopes []log.Envelope) error {
	size := 0
	for _, e := range envelopes {
		size += e.LineSize() + 1
	}
	buf := make([]byte, 0, size)
	ends := make([]int, len(envelopes))
	newest := wr.w.MaxTS
	for i, e := range envelopes {
		buf = append(e.AppendLine(buf), '\n')
		ends[i] = len(buf)
		newest = max(newest, e.TS)
	}
	if err := wr.Log.Append(buf); err != nil {
		return err
	}
	if wr.behind != nil {
		return asStored(wr.behind)
	}
	if err := wr.Index.follow(envelopes, buf, ends); err != nil {
		return err
	}
	wr.w.MaxTS = newest
	return wr.advance(log.Sum(lineAt(buf, ends, len(ends)-1)))
}

// advance writes the watermark: the index mirrors the whole log, whose last line has the sum last.
// A crash before it makes the next writer replay lines that are in the index already, which changes
// nothing.
func (wr *Writer) advance(last string) error {
	wr.w.Applied, wr.w.Ino, wr.w.Boot, wr.w.Last = wr.Log.Size(), wr.Log.Ino(), wr.Boot, last
	return asStored(wr.mark.Write(wr.w))
}

// WriteWatermark writes the watermark: the index mirrors the whole log.
func (wr *Writer) WriteWatermark() error {
	last, err := wr.Log.SumBefore(wr.Log.Size())
	if err != nil {
		return err
	}
	return wr.advance(last)
}

// NextGeneration raises the generation in the watermark. It is odd while files are renamed, so that
// readers look again, and the next writer knows of a crash in between.
func (wr *Writer) NextGeneration() error {
	wr.w.Gen++
	return wr.WriteWatermark()
}

// Install puts a new state in place that covers the log up to an offset, whose last line has the
// sum last. The index must be durable before the checkpoint says that nothing before it need be
// replayed.
func (wr *Writer) Install(d *state.Draft, covered Covered) error {
	// A crash before this leaves the old state and checkpoint.
	if err := wr.Dir.SyncTree(); err != nil {
		return err
	}
	archives, err := wr.archivesForCheckpoint(covered.Anew)
	if err != nil {
		return err
	}
	d.Position = position{covered.Ino, covered.Size, covered.Lines, covered.Last,
		covered.Numbers, archives, covered.Compared}.encode()
	d.MaxTS = covered.MaxTS
	return d.Install(log.StampOf(wr.now))
}

// Covered is the part of the log that a state was folded from.
type Covered struct {
	Ino   uint64    // of log.jsonl
	Size  int64     // bytes of it
	Lines int       // lines in them
	Last  string    // log.Sum of the last of those lines
	MaxTS log.Stamp // newest ts met in the whole history up to there

	Numbers map[string]int64 // highest of each counter, likewise; see [View.Numbers]

	Anew     bool  // the state was folded from the whole history
	Compared int64 // when the files of index/ were last compared; see [ComparedAt]
}

// ReplaceLog replaces log.jsonl by what it has besides some spans, and makes the checkpoint
// describe the new file: the state covers the remaining lines of those that it covered. A crash
// before the rename of log.jsonl leaves the old file; the lines of a rotation are in the archive
// too then, where folding them twice changes nothing.
func (wr *Writer) ReplaceLog(without ...purge.Span) error {
	if err := wr.cutLog(without); err != nil {
		return err
	}
	cp, err := state.ReadCheckpoint(wr.Dir)
	if err != nil {
		return err
	}
	pos, err := parsePosition(cp.Position)
	if err != nil {
		return err
	}
	pos.offset -= purge.Before(without, pos.offset)
	pos.ino = wr.Log.Ino()
	if pos.last, err = wr.Log.SumBefore(pos.offset); err != nil {
		return err
	}
	if pos.lines, err = countLines(io.LimitReader(wr.Log.From(0), pos.offset)); err != nil {
		return err
	}
	if pos.archives, err = wr.archivesForCheckpoint(false); err != nil {
		return err
	}
	cp.Position = pos.encode()
	// A crash before this leaves a checkpoint of the old file: readers fold archives and log, and
	// the next writer rebuilds.
	return state.WriteCheckpoint(wr.Dir, cp)
}

// cutLog replaces log.jsonl by what it has besides some spans.
func (wr *Writer) cutLog(without []purge.Span) error {
	if len(without) == 0 {
		return nil
	}
	if err := Cut(wr.Dir, log.File, without); err != nil {
		return err
	}
	return wr.reopenLog()
}

// reopenLog opens the file that has taken the place of the log.
func (wr *Writer) reopenLog() error {
	fresh, err := log.OpenAppender(wr.Dir)
	if err != nil {
		return err
	}
	wr.Log.Close()
	wr.Log = fresh
	return nil
}
