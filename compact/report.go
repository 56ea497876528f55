package compact

import (
	"math"
	"time"

	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Report is what a compaction did or, in a dry run, would do.
type Report = backend.CompactReport

// see replaces newest by rec if rec is newer, without its content, of which only null is kept. The
// copy of the source reuses the memory of the source it replaces.
func see(newest *log.Record, rec log.Record) {
	if newest.Key.IsZero() || rec.TS > newest.TS {
		newest.Key, newest.TS = rec.Key, rec.TS
		newest.Source = append(newest.Source[:0], rec.Source...)
		newest.Content = nil
		if !rec.Valid() {
			newest.Content = []byte("null")
		}
	}
}

// tick returns a function that reports progress: records written, out of about total.
func (j *Job) tick(total int) func(int) {
	if j.Progress == nil {
		return nil
	}
	return func(n int) {
		if n%4096 == 0 {
			j.Progress(n, max(n, total))
		}
	}
}

// logStart logs the start of a compaction, once.
func logStart(j *Job, p snapshotPoint) {
	if j.Log == nil || j.DryRun || j.tells {
		return
	}
	j.tells, j.began = true, clockOf(j)
	j.Log.Info("compaction started", logline.Component, "compact", "log_bytes", p.size)
}

// logEnd logs the result: the lines and bytes that a reader scans.
func logEnd(j *Job, rep Report) {
	if j.Log == nil {
		return
	}
	after := int64(0)
	if fi, err := j.Dir.Lstat(state.FileName); err == nil {
		after = fi.Size()
	}
	j.Log.Info("compaction completed", logline.Component, "compact",
		"entries_before", rep.Lines, "entries_after", rep.Keys,
		"size_reduction_mb", inMB(rep.Bytes-after), "duration_ms", clockOf(j).Sub(j.began))
}

// clockOf returns the time that a compaction is measured by.
func clockOf(j *Job) (now time.Time) {
	if j.Clock != nil {
		now = j.Clock()
	}
	return now
}

// inMB returns bytes in MiB, to four digits behind the point.
func inMB(bytes int64) float64 { return math.Round(float64(bytes)/(1<<20)*1e4) / 1e4 }
