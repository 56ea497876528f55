package fsck

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Check is one invariant that fsck checks. The numbers are kept forever.
type Check struct {
	ID      string // F01 ...
	Name    string
	Meaning string // what a finding means
	Repair  string // what --repair does about it
}

// The checks, in the order in which they report.
var (
	checkTorn = Check{"F01", "torn", "the log ends within a line",
		"the torn bytes go to quarantine/"}
	checkLine     = Check{"F02", "line", "a line is no envelope", "the line goes to quarantine/"}
	checkChecksum = Check{"F03", "checksum", "a line's checksum does not match its bytes",
		"the line goes to quarantine/; one flipped bit is put right"}
	checkFuture = Check{"F04", "future", "a ts lies more than 24 h ahead",
		"the write is stored again with the current time; one that another machine has taken " +
			"goes to quarantine/, also when its time has come"}
	checkMissing = Check{"F05", "missing", "a live key has no index file",
		"written from the log"}
	checkStale = Check{"F06", "stale",
		"an index file is older than the log, or its key is dead",
		"written from the log, or removed; where the log has lost lines, stored again"}
	checkDuplicate = Check{"F07", "duplicate", "an index file is at the path of another key",
		"the file goes to quarantine/"}
	checkForeign = Check{"F08", "foreign", "a file in index/ is no envelope",
		"the file goes to quarantine/"}
	checkEdited = Check{"F09", "edited", "an index file was changed by hand",
		"a copy goes to quarantine/, the file is written from the log; --adopt stores the change"}
	checkState      = Check{"F10", "state", "state.jsonl differs from the log", "written anew"}
	checkCheckpoint = Check{"F11", "checkpoint",
		"the checkpoint is damaged or fits neither log nor state", "written anew"}
	checkWatermark = Check{"F12", "watermark", "the watermark is damaged or does not fit the log",
		"written anew"}
	checkMode = Check{"F13", "mode", "other users may read or write private files",
		"the mode is set"}
	checkTemp      = Check{"F14", "temp", "a temporary file was left behind", "removed"}
	checkIrregular = Check{"F15", "irregular", "a link, fifo or device is in the store",
		"it goes to quarantine/ unchanged; as log.jsonl it stays"}
	checkArchive = Check{"F16", "archive", "an archive is missing, shorter or changed",
		"nothing: restore it, or --accept-loss; its memories in state.jsonl are kept"}
	checkUnsealed = Check{"F17", "unsealed", "a line of the log has no checksum that covers it",
		"a sealed copy is stored, or the line with a checksum; the line goes to quarantine/"}
	checkPurged = Check{"F18", "purged", "a version of a purged memory is back, or was not removed",
		"it is purged; a purge.json that cannot be read, or is of a copy, goes to quarantine/"}
	checkAbsent = Check{"F19", "absent", "the file of a live artifact is missing",
		"nothing: restore it, or add the same bytes again"}
	checkAltered = Check{"F20", "altered", "the bytes in artifacts/ do not match their name",
		"the file goes to quarantine/, and is missing then"}
	checkUnnamed = Check{"F21", "unnamed", "a file in artifacts/ belongs to no live artifact",
		"the file goes to quarantine/"}
	checkCopy = Check{"F22", "copy", "a folder sync left a copy of the log beside it",
		"nothing: mem import imports it; then it can be removed"}
)

// Checks lists all of them, for the documentation and for the tests.
func Checks() []Check {
	return []Check{checkTorn, checkLine, checkChecksum, checkFuture, checkMissing, checkStale,
		checkDuplicate, checkForeign, checkEdited,
		checkState, checkCheckpoint, checkWatermark, checkMode, checkTemp, checkIrregular,
		checkArchive, checkUnsealed, checkPurged, checkAbsent, checkAltered, checkUnnamed,
		checkCopy}
}

// ByHand counts the findings that a person made by editing or adding files in index/.
func ByHand(found []Finding) int { return len(selectFindings(found, checkEdited, checkForeign)) }

// Removed counts the files that are missing in index/.
func Removed(found []Finding) int { return len(selectFindings(found, checkMissing)) }

// ofServer are the checks of a store on a server that no repair puts right: it touches no envelope
// and no bytes of an artifact there.
var ofServer = []Check{{ID: "P1"}, {ID: "P2"}, {ID: "P4"}}

// Repairable counts the findings that a repair puts right.
func Repairable(found []Finding) int {
	return len(found) - len(lasting(found))
}

// lasting returns those that no repair puts right: only a backup has the missing bytes, or a person
// decides. An archive that is not whole stays as it is, and while log.jsonl is a link or the like
// nothing can be repaired.
func lasting(found []Finding) (some []Finding) {
	kept := map[string]bool{}
	for _, f := range selectFindings(found, checkArchive, checkIrregular) {
		if f.File == log.File {
			return found
		}
		kept[f.File] = f.Check == checkArchive.ID
	}
	checks := append(ofServer, checkArchive, checkAbsent, checkCopy)
	for _, f := range found {
		if kept[f.File] || len(selectFindings([]Finding{f}, checks...)) > 0 {
			some = append(some, f)
		}
	}
	return some
}

// Lasting returns the checks that found what no repair puts right, each once.
func Lasting(found []Finding) (ids []string) {
	for _, f := range lasting(found) {
		ids = append(ids, f.Check)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Archives returns the archives that are not whole.
func Archives(found []Finding) (names []string) {
	for _, f := range selectFindings(found, checkArchive) {
		names = append(names, f.File)
	}
	return names
}

// Copies returns the check that finds copies of the log, for the advice that they need.
func Copies() []string { return []string{checkCopy.ID} }

// selectFindings returns the findings of some checks.
func selectFindings(found []Finding, checks ...Check) (some []Finding) {
	for _, f := range found {
		if slices.ContainsFunc(checks, func(c Check) bool { return c.ID == f.Check }) {
			some = append(some, f)
		}
	}
	return some
}

// Finding is one place where an invariant does not hold.
type Finding = backend.Finding

// Checker looks at a whole store. It changes nothing.
type Checker struct {
	Dir  *disk.Dir
	Now  time.Time
	Boot string
	// Progress is called now and then with a part of the check, and how many of its records were
	// looked at; a total of 0 is not known. It may be nil.
	Progress func(part string, done, total int)
	// TrustClock makes every ts a finding that is ahead of the clock, also where others agree with
	// it. Without, the clock may as well be behind.
	TrustClock bool
	// Shared is whether git makes the files of the root: it gives them their modes, and takes
	// archives away.
	Shared bool

	verified map[string]blobID // the files of artifacts/ whose bytes were right, by their names

	report
	opened
	history
}

// report holds the findings so far.
type report struct {
	findings []Finding
	part     string // of the check that goes on
	looked   int    // records of it
	total    int    // that it has; 0: not known
	lines    int    // of log and archives
	progress func(part string, done, total int)
}

// history is the content of log and archives.
type history struct {
	fold    state.Fold                 // the whole of it
	covered map[keypath.Key]log.Record // of keys written since the checkpoint
	newest  log.Stamp                  // of the records that are not from the future
	clock   clock
	taken   content.Taken   // lines from the future in whose place the history has others
	takers  takers          // these others
	marks   state.Fold      // tombstones of purges, the newest of each key
	damaged []*log.Damage   // lines, with their bytes where these show a tombstone
	deleted []log.Envelope  // tombstones in place of damaged ones, and of those that are away
	short   bool            // lines at the end of the log are lost, and index/ may have them
	unclear bool            // a damaged or lost line may be a tombstone, of whichever key
	torn    int64           // bytes of a torn tail
	end     log.Start       // up to where the live segment was read, and
	ino     uint64          // its inode
	known   map[string]bool // archives that have been read
}

// opened is log, state and checkpoint as they were at one moment.
type opened struct {
	live     *log.Segment
	state    *disk.File // nil: there is none
	archives []string
	cp       state.Checkpoint
	cpErr    error // why there is no checkpoint
	cpFits   bool
	offset   int64 // bytes of the log that the checkpoint covers, where it matches
	tree     *index.Tree
}

// Run goes through all checks.
func (c *Checker) Run() ([]Finding, error) {
	c.report = report{progress: c.Progress}
	c.history = history{
		fold: state.Fold{}, covered: map[keypath.Key]log.Record{}, newest: log.MinStamp,
		marks: state.Fold{}, taken: content.Taken{}, takers: takers{},
		known: map[string]bool{},
		clock: clock{limit: log.StampOf(c.Now) + futureSlack, near: log.MinStamp,
			agreed: log.MinStamp, trusted: c.TrustClock},
	}
	c.cpFits = false
	defer c.close()
	for _, step := range [...]func() error{
		c.open, c.checkFiles, c.checkpoint, func() error { return checkListed(c) }, c.checkLog,
		c.checkTaken, purgedCheck{c}.run, indexCheck{c}.run, c.checkState, c.watermark,
		blobCheck{c}.run,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.sorted(), nil
}

func (r *report) sorted() []Finding {
	slices.SortStableFunc(r.findings,
		func(x, y Finding) int { return strings.Compare(x.Check, y.Check) })
	return r.findings
}

// open opens log, state and checkpoint as they are at one moment, so that later compactions and
// rotations do not affect the check. For the index there is no such moment: see Reverify.
func (c *Checker) open() error {
	// A compaction is done with its renames after some syncs.
	const tries, pause = 50, 4 * time.Millisecond
	for try := 1; ; try++ {
		before, _, err := filestore.ReadWatermark(c.Dir)
		if ignoreIrregular(err) == nil {
			err = c.hold()
		}
		if err != nil {
			return err
		}
		after, _, err := filestore.ReadWatermark(c.Dir)
		if err = ignoreIrregular(err); err != nil || after.Gen == before.Gen && after.Gen%2 == 0 ||
			try == tries {
			return err
		}
		c.close()
		time.Sleep(pause)
	}
}

func (c *Checker) hold() (err error) {
	if c.live, err = log.OpenSegment(c.Dir); ignoreAbsent(err) != nil {
		return err
	}
	if c.archives, err = log.Archives(c.Dir); ignoreIrregular(err) != nil {
		return err
	}
	c.cp, c.cpErr = state.ReadCheckpoint(c.Dir)
	if c.state, err = c.Dir.Open(state.FileName); ignoreAbsent(err) != nil {
		return err
	}
	c.tree, err = index.Open(c.Dir, c.Boot == "")
	return ignoreIrregular(err)
}

// ignoreAbsent returns nil for a file that is absent or not plain: another check reports that.
func ignoreAbsent(err error) error { return ignoreIrregular(disk.IgnoreNotExist(err)) }

func (o *opened) close() {
	if o.live != nil {
		o.live.Close()
	}
	if o.state != nil {
		o.state.Close()
	}
	if o.tree != nil {
		o.tree.Close()
	}
	o.live, o.state, o.tree = nil, nil, nil
}

func (r *report) find(c Check, f Finding, format string, args ...any) {
	f.Check, f.Name, f.Detail = c.ID, c.Name, fmt.Sprintf(format, args...)
	r.findings = append(r.findings, f)
}

// begin begins a part of the check.
func (r *report) begin(part string, total int) { r.part, r.looked, r.total = part, 0, total }

func (r *report) tick() {
	if r.looked++; r.progress != nil && r.looked%1024 == 0 {
		total := r.total
		if total > 0 {
			total = max(total, r.looked)
		}
		r.progress(r.part, r.looked, total)
	}
}

// Lines returns how many lines of log and archives the last run read.
func (r *report) Lines() int { return r.lines }

func ignoreIrregular(err error) error { return disk.Ignore(err, disk.ErrIrregular) }
