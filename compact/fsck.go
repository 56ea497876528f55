package compact

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Check is one invariant that fsck holds a store against. The numbers are kept forever.
type Check struct {
	ID      string // F01 ...
	Name    string
	Meaning string // what a finding says
	Repair  string // what --repair does about it
}

// The checks, in the order in which they report.
var (
	checkTorn       = Check{"F01", "torn", "the log ends within a line", "the torn bytes go to quarantine/"}
	checkLine       = Check{"F02", "line", "a line is no envelope", "the line goes to quarantine/"}
	checkChecksum   = Check{"F03", "checksum", "a line's checksum is not that of its bytes", "the line goes to quarantine/"}
	checkFuture     = Check{"F04", "future", "a ts lies more than 24 h ahead", "the write is taken in again with the time of now"}
	checkMissing    = Check{"F05", "missing", "a live key has no index file", "written from the log"}
	checkStale      = Check{"F06", "stale", "an index file is older than the log, or its key is dead", "written from the log, or removed"}
	checkDuplicate  = Check{"F07", "duplicate", "an index file stands at another key's place", "the file goes to quarantine/"}
	checkForeign    = Check{"F08", "foreign", "a file in index/ is no envelope", "the file goes to quarantine/"}
	checkEdited     = Check{"F09", "edited", "an index file was changed by hand", "a copy goes to quarantine/, the file is written from the log; --adopt takes the change in"}
	checkState      = Check{"F10", "state", "state.jsonl is not what the log says", "written anew"}
	checkCheckpoint = Check{"F11", "checkpoint", "the checkpoint is damaged or fits neither log nor state", "written anew"}
	checkWatermark  = Check{"F12", "watermark", "the watermark is damaged or does not fit the log", "written anew"}
	checkMode       = Check{"F13", "mode", "others may read or write what is private", "the mode is set"}
	checkTemp       = Check{"F14", "temp", "a temporary file was left behind", "removed"}
	checkIrregular  = Check{"F15", "irregular", "a link, fifo or device stands in the store", "it goes to quarantine/ as it is; a log.jsonl that is one is left alone"}
)

// Checks lists all of them, for the documentation and for the tests.
func Checks() []Check {
	return []Check{checkTorn, checkLine, checkChecksum, checkFuture, checkMissing, checkStale, checkDuplicate, checkForeign, checkEdited,
		checkState, checkCheckpoint, checkWatermark, checkMode, checkTemp, checkIrregular}
}

// Finding is one place that breaks an invariant.
type Finding struct {
	Check  string `json:"check"`
	Name   string `json:"name"`
	File   string `json:"file"`             // below the root
	Line   int    `json:"line,omitempty"`   // from 1
	Offset int64  `json:"offset,omitempty"` // of the line
	Key    string `json:"key,omitempty"`
	Detail string `json:"detail"`

	length int64 // of the line
}

func (f Finding) String() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s %s %s: %s", f.Check, f.Name, at, f.Detail)
}

// Audit looks at a whole store. It changes nothing.
type Audit struct {
	Dir      *disk.Dir
	Now      time.Time
	Boot     string
	Progress func(done, total int) // files and lines looked at; may be nil

	findings []Finding
	fold     Fold                       // the whole history
	covered  map[keypath.Key]log.Record // of keys written again since the checkpoint: what the state should hold
	newest   log.Stamp                  // of the records that are not from the future
	lines    int
	torn     int64     // bytes of a torn tail
	end      log.Start // up to where the live segment was looked at, and
	ino      uint64    // which file it was
	live     *log.Live
	state    *disk.File // nil: there is none
	archives []string
	known    map[string]bool // archives that have been looked at
	cp       Checkpoint
	cpErr    error // why there is no checkpoint
	cpFits   bool
	tree     *index.Tree
	looked   int
}

// Run goes through all checks.
func (a *Audit) Run() ([]Finding, error) {
	a.known = map[string]bool{}
	a.findings, a.fold, a.covered, a.newest, a.looked = nil, Fold{}, map[keypath.Key]log.Record{}, log.MinStamp, 0
	a.lines, a.torn, a.cpFits, a.end, a.ino = 0, 0, false, log.Start{}, 0
	defer a.close()
	for _, step := range []func() error{a.open, a.checkFiles, a.checkpoint, a.checkLog, a.checkIndex, a.checkState, a.watermark} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return a.sorted(), nil
}

func (a *Audit) sorted() []Finding {
	slices.SortStableFunc(a.findings, func(x, y Finding) int { return strings.Compare(x.Check, y.Check) })
	return a.findings
}

// open takes hold of log, state and checkpoint as they are at one moment, so that what compactions and rotations do from here on is no concern
// of the audit. The index has no such moment: see Recheck.
func (a *Audit) open() error {
	const tries, pause = 50, 4 * time.Millisecond // a compaction is done with its renames after some syncs
	for try := 1; ; try++ {
		before, _, err := readMark(a.Dir)
		if ignoreIrregular(err) == nil {
			err = a.hold()
		}
		if err != nil {
			return err
		}
		after, _, err := readMark(a.Dir)
		if err = ignoreIrregular(err); err != nil || after.Gen == before.Gen && after.Gen%2 == 0 || try == tries {
			return err
		}
		a.close()
		time.Sleep(pause)
	}
}

func (a *Audit) hold() (err error) {
	if a.live, err = log.OpenReader(a.Dir); harmlessAbsence(err) != nil {
		return err
	}
	if a.archives, err = log.Archives(a.Dir); ignoreIrregular(err) != nil {
		return err
	}
	a.cp, a.cpErr = ReadCheckpoint(a.Dir)
	if a.state, err = a.Dir.Open(StateFile); harmlessAbsence(err) != nil {
		return err
	}
	a.tree, err = index.Open(a.Dir, a.Boot == "")
	return ignoreIrregular(err)
}

// harmlessAbsence lets pass that something is not there, or is no plain file: the check that it concerns says so.
func harmlessAbsence(err error) error { return ignoreIrregular(ignore(err, fs.ErrNotExist)) }

func (a *Audit) close() {
	if a.live != nil {
		a.live.Close()
	}
	if a.state != nil {
		a.state.Close()
	}
	if a.tree != nil {
		a.tree.Close()
	}
	a.live, a.state, a.tree = nil, nil, nil
}

func (a *Audit) find(c Check, f Finding, format string, args ...any) {
	f.Check, f.Name, f.Detail = c.ID, c.Name, fmt.Sprintf(format, args...)
	a.findings = append(a.findings, f)
}

func (a *Audit) tick() {
	if a.looked++; a.Progress != nil && a.looked%1024 == 0 {
		a.Progress(a.looked, max(a.looked, 2*a.lines))
	}
}

// Lines counts the lines of log and archives that the last run looked at.
func (a *Audit) Lines() int { return a.lines }
