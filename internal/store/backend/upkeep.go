package backend

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Names of what a store keeps beside the records.
const (
	ConfigFile     = "config.json"
	OpsFile        = "ops.jsonl"        // the journal of operations
	InjectionsFile = "injections.jsonl" // the journal of injections
)

// CatchUpOp is the operation of an update that only brings a store to where its log, or the note of
// a killed update, is. Package policy has a row for it.
const CatchUpOp = "settle"

// Located is a backend that has a place.
type Located interface {
	// Location returns where the store is, for people: a path, or a URL without its secrets.
	Location() string
}

// Identified is a backend on a server, which may have several names.
type Identified interface {
	// Identity returns a text that is the same for every name of the store, and only for these.
	Identity(ctx context.Context) (string, error)
}

// Rooted is a backend in files below a directory, which the first update makes.
type Rooted interface {
	// Exists reports whether the directory is there.
	Exists() bool
	// Create makes the directory where absent, and reports whether it made it.
	Create() (made bool, err error)
	// FilePath returns where a key's index file is, or would be; "" for a key that has none.
	FilePath(key keypath.Key) string
	// Mark returns a text that is another one after each update and each compaction.
	Mark() (string, error)
	// IsCold reports whether a long history has no state and no sidecars: every read goes through
	// all of it until a compaction.
	IsCold() bool
	// LogFault says that acknowledged lines of the log are gone, as far as the last read has met
	// it; else "".
	LogFault() string
}

// Halves is a backend that keeps, beside the records, a note of an update of this store and others
// until all of them have appended.
type Halves interface {
	// Half returns the note; nil for none.
	Half() ([]byte, error)
	// SetHalf replaces the note, durably; nil removes it.
	SetHalf(text []byte) error
}

// Upkeep is a backend that keeps something besides the history: it can be folded and checked.
type Upkeep interface {
	// Compact folds what reads have to go through since the last time.
	Compact(ctx context.Context, c Caller, o CompactOptions) (CompactReport, error)
	// Check looks at every line of the history, and at what follows from it. Without options it
	// changes nothing.
	Check(ctx context.Context, c Caller, o CheckOptions) (CheckReport, error)
	// Sizes measures the store.
	Sizes(ctx context.Context) (Sizes, error)
	// Examine says how the store is, as far as milliseconds tell. It does not fail.
	Examine(ctx context.Context) []Remark
}

// CompactOptions are the options of a compaction.
type CompactOptions struct {
	IfNeeded    bool // do nothing while the log has grown little, for cron
	DryRun      bool // only report
	KeepExpired bool // keep expired memories in state and index
	NamesOnly   bool // compare only the names in index/, as a compaction does that begins by itself

	Limits Limits // when the log moves to archive/, by the configuration
}

// Limits are lines and bytes of a log.
type Limits struct {
	Lines int   `json:"lines"`
	Bytes int64 `json:"bytes"`
}

// Exceeded reports whether a segment has passed a limit.
func (l Limits) Exceeded(lines int, bytes int64) bool {
	return lines >= l.Lines || bytes >= l.Bytes
}

// CompactReport describes the work of a compaction or, in a dry run, the work that it would do.
type CompactReport struct {
	Done     bool   `json:"done"`              // false: nothing needed doing, or only a dry run
	Why      string `json:"why,omitempty"`     // why nothing was done
	Lines    int    `json:"lines"`             // of the live log that were covered
	Bytes    int64  `json:"bytes"`             // likewise
	Keys     int    `json:"keys"`              // live keys, now in state.jsonl
	Expired  int    `json:"expired"`           // expired keys, taken out of state and index
	Repaired int    `json:"repaired"`          // index files that were missing, changed or stale
	Damaged  int    `json:"damaged"`           // lines that could not be read and were left out
	Archive  string `json:"archive,omitempty"` // where the live segment went

	Newest log.Record `json:"-"` // of the keys, or of those that left; without content
	Copy   bool       `json:"-"` // only this machine's copy of the store is folded
}

// CheckOptions select what a check does about its findings.
type CheckOptions struct {
	Repair bool // repair from the log
	Adopt  bool // take hand edits of index files in as writes, before anything is repaired
	// Files are those whose edits are to be adopted, below the root; none: all of index/.
	Files []string
	// TrustClock makes a finding of every time that is ahead of the clock, also where archives and
	// neighbours agree with it.
	TrustClock bool

	// AcceptLoss names an archive, below the root: what it has lost is given up, and all else
	// repaired. Agree is called before with what that is; on an error nothing is changed.
	AcceptLoss string
	Agree      func(Loss) error

	// Take stores an edit and reports whether it was stored; the Store sets it.
	Take func(Edit) (bool, error)
}

// Edit is a person's change of an index file: the content is taken from it, and nothing else but
// the time of the version that was edited (content.KeepTime). Null stands for a file that was
// removed.
type Edit struct {
	File    string // below the root
	Key     keypath.Key
	Content []byte
	Foreign bool // the file stands at no key's place
}

// Loss is what a history has lost with an archive that no backup has.
type Loss struct {
	File  string     `json:"file"`            // below the root
	Fault string     `json:"fault"`           // as "it is missing"
	After string     `json:"after,omitempty"` // between these times its lines were written
	Until string     `json:"until,omitempty"`
	Kept  int        `json:"kept"`            // lines of it that can be read
	Lines []LostLine `json:"lines,omitempty"` // those that are there and cannot be read
}

// LostLine is as much of a damaged line as is legible.
type LostLine struct {
	Line int    `json:"line"` // from 1
	Key  string `json:"key,omitempty"`
	TS   string `json:"ts,omitempty"`
}

// CheckReport lists the findings, and those that are left after a repair.
type CheckReport struct {
	Found   []Finding `json:"found"`
	Left    []Finding `json:"left"`    // after --repair and --adopt; the same as Found without
	Adopted []string  `json:"adopted"` // keys
	Records int       `json:"records"` // lines that were read

	Accepted *Loss `json:"accepted,omitempty"` // what was given up
}

// Finding is one place where an invariant does not hold.
type Finding struct {
	Check  string `json:"check"` // the invariant, as "F01"
	Name   string `json:"name"`
	File   string `json:"file"`             // below the root; or the table
	Line   int    `json:"line,omitempty"`   // from 1
	Offset int64  `json:"offset,omitempty"` // of the line
	Key    string `json:"key,omitempty"`
	Detail string `json:"detail"`

	Length int64 `json:"-"` // of the line
	Mended bool  `json:"-"` // it was put right when it was found
}

func (f Finding) String() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s %s %s: %s", f.Check, f.Name, at, f.Detail)
}

// Sizes are how much a store holds.
type Sizes struct {
	LogLines  int   // of log.jsonl, or of all there is on a server
	LogBytes  int64 // likewise
	Blobs     int   // that artifacts are about
	BlobBytes int64

	Folded       bool // there is a state, and there are archives
	StateBytes   int64
	Archives     int // segments in archive/
	ArchiveBytes int64
}

// Remark is one thing that was looked at.
type Remark struct {
	What    string
	Message string
	Bad     bool   // something does not work
	Fix     string // what to do; "": nothing needs doing
}

// Set sets the message and what to do about it.
func (r *Remark) Set(message, fix string) { r.Message, r.Fix = message, fix }

// ReportDamage reports a line that was left out: to a log as an error, or to warn where
// there is no log; warn may be nil. program is as for [log.Damage.LeftOut].
func ReportDamage(to *slog.Logger, warn func(string), program string, d *log.Damage) {
	switch {
	case to.Enabled(context.Background(), slog.LevelError):
		to.Error(d.LeftOut(program), "file", d.Pos.File, "line", d.Pos.Line)
	case warn != nil:
		warn(d.LeftOut(program))
	}
}
