package mem

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Kind is the sort of an error, under the name that JSON shows. Names and exit codes are kept
// forever.
//
// An error of a package that this one does not know has its kind from a method Kind() string.
type Kind string

// The kinds.
const (
	KindDone     Kind = "done"
	KindNo       Kind = "no"
	KindInput    Kind = "input"
	KindRefused  Kind = "refused"
	KindConflict Kind = "conflict"
	KindLocked   Kind = "locked"
	KindCanceled Kind = "canceled"
	KindIO       Kind = "io"
	KindUnknown  Kind = "unknown"
	KindBug      Kind = "bug"
)

// KindInfo describes a kind.
type KindInfo struct {
	Kind    Kind
	Exit    int
	Meaning string // empty: it shares the exit code of the kind above
}

// Kinds returns all kinds by exit code.
//
// A canceled call has the code of a lock that could not be taken: in both cases the caller's time
// was over, nothing is wrong with input or disk, and the same call may succeed later.
func Kinds() []KindInfo {
	return []KindInfo{
		{KindDone, 0, "success; a write is on disk"},
		{KindNo, 1, "the answer is no: no such memory, " +
			"or fsck, audit, doctor or setup --check found something"},
		{KindInput, 2, "the input is wrong: a flag, a key, JSON, a time"},
		{KindRefused, 3, "refused by policy: provenance, a secret, a size"},
		{KindConflict, 4, "a compare-and-set was lost; the newest envelope is on stdout"},
		{KindLocked, 5, "the lock was not free in time, or the call was interrupted; " +
			"a batch prints how many of its lines are stored"},
		{KindCanceled, 5, ""},
		{KindIO, 6, "the file system failed: an I/O error, full, read-only, no permission; " +
			"where the message says \"stored in the log\" the write is stored: do not repeat it; " +
			"or it is unknown whether a server has stored it: then the JSON has the code " +
			"\"unknown\" and the stamps"},
		{KindUnknown, 6, ""},
		{KindBug, 70, "a bug of mem: an unexpected failure"},
	}
}

// ExitCode returns the exit code of a program; that of KindBug for an unknown kind.
func (k Kind) ExitCode() int { return k.info().Exit }

// info returns the row of a kind; that of KindBug for an unknown kind.
func (k Kind) info() KindInfo {
	all := Kinds()
	for _, row := range all {
		if row.Kind == k {
			return row
		}
	}
	return all[len(all)-1]
}

type knownError struct {
	is   error
	kind Kind
	do   advice.List
}

// known returns the errors of each kind, and what to do about them. The first row that matches
// decides; for the advice, the first one that has some. The first error makes it, not each start.
var known = sync.OnceValue(func() []knownError {
	return []knownError{
		{ErrNotFound, KindNo, nil},
		{inbox.ErrNoProposal, KindNo, nil},
		{ErrCut, KindNo, nil},
		{ErrUnseen, KindConflict, lookAgain()},
		{ErrConflict, KindConflict, nil},
		{backend.ErrChanged, KindConflict, advice.Say("try again")},
		{log.ErrLocked, KindLocked,
			advice.Shell("try again, or wait longer with --lock-timeout 30s").
				Tools("another program is writing: call it again in a moment")},
		{backend.ErrStored, KindIO,
			advice.Say("nothing is lost").
				Also(advice.Run("fsck", "--repair").Then(" updates the index")).
				Tools("it is stored: do not repeat it")},
		{ErrRemains, KindIO,
			advice.Say("look at these files").
				Also(advice.Shell("mem cannot clean files that it cannot read"))},

		{policy.ErrProvenance, KindRefused, nil},
		{policy.ErrSecret, KindRefused, nil},
		{policy.ErrReserved, KindRefused, nil},
		{policy.ErrPerson, KindRefused, nil},
		{policy.ErrUnattended, KindInput, nil},
		{policy.ErrPinned, KindRefused, advice.Run("pin", "--off", "ID").Then(", or ").
			Run("forget", "ID").Then(", makes room")},
		{policy.ErrLongNote, KindRefused, advice.Say("make it shorter, or ").
			Run("set", "KEY", "--text", "TEXT", "--source", "me").Then(" stores a longer one")},
		{policy.ErrTooLarge, KindRefused,
			advice.List{}.Tools("make it shorter, or store it as several memories")},
		{backend.ErrTooLarge, KindRefused, nil},

		{ErrFuture, KindInput, nil},
		{ErrInput, KindInput, nil},
		{ErrNoLayer, KindInput, nil},
		{ErrForeignConfig, KindInput,
			advice.Shell("git rm --cached " +
				backend.ConfigFile + ", if git tracks it and it is yours")},
		{site.ErrPath, KindInput, advice.Shell("name the store with --root")},
		{site.ErrNoHome, KindInput, advice.Shell("give --root DIR, or set HOME")},
		{fsck.ErrNoEdit, KindInput, advice.Run("fsck").Then(" lists the files")},
		{fsck.ErrNoLoss, KindInput, advice.Run("fsck").Then(" lists the faults")},
		{fts.ErrQuery, KindInput, nil},
		{keypath.ErrKey, KindInput,
			advice.List{}.Tools("a key looks like /project/db: each word after a slash")},
		{jsontext.ErrJSON, KindInput, nil},
		{filestore.ErrServed, KindInput,
			advice.Shell("name the memory of one: --root ROOT/tenants/ID")},
		{log.ErrNoLater, KindInput,
			advice.Run("fsck", "--repair").Then(" corrects times in the future")},
		{log.ErrTime, KindInput, nil},
		{backend.ErrSum, KindInput, nil},

		{context.Canceled, KindCanceled, nil},
		{context.DeadlineExceeded, KindCanceled, advice.Say("try again, or allow more time")},

		{log.ErrUncut, KindIO, advice.Run("history").Then(" shows what is stored")},
		{fsck.ErrNoLog, KindIO, putLogBack()},
		{disk.ErrIrregular, KindIO,
			advice.Run("fsck", "--repair").Then(" moves it into quarantine/")},
		{syscall.ENOTDIR, KindIO, advice.Shell("give a directory with --root")},
		{syscall.EROFS, KindIO, allowWriting()},
		{fs.ErrPermission, KindIO, allowWriting()},
		{syscall.ENOSPC, KindIO,
			advice.Say("the disk is full; nothing was stored, and everything can still be read")},
		{syscall.EMFILE, KindIO, allowDescriptors()},
		{syscall.ENFILE, KindIO, allowDescriptors()},
		{log.ErrNoLock, KindIO,
			advice.Say("network disks often cannot lock").
				Also(advice.Shell("put the store on a local disk with --root"))},
		{log.ErrNewer, KindIO, advice.Say("install the newer mem")},

		// The errors of a damaged file.
		{backend.ErrDamaged, KindIO,
			advice.Say("put the file back from a backup, or add the same bytes again")},
		{log.ErrEnvelope, KindIO, nil},
		{log.ErrChecksum, KindIO, nil},
		{log.ErrLineTooLong, KindIO, nil},
		{log.ErrTorn, KindIO, nil},
		{log.ErrWatermark, KindIO, nil},
		{state.ErrCheckpoint, KindIO, nil},
		{index.ErrEdited, KindIO, nil},
		{index.ErrForeign, KindIO, nil},
		{keypath.ErrPath, KindIO, nil},
		{fts.ErrStale, KindIO, nil},

		// What reading and writing fail with, besides the operating system's own errors.
		{io.ErrUnexpectedEOF, KindIO, nil},
		{disk.ErrMoved, KindIO, advice.Say("try again")},
		{io.ErrShortWrite, KindIO, nil},
		{io.ErrNoProgress, KindIO, nil},
		{io.ErrClosedPipe, KindIO, nil},
		{fs.ErrClosed, KindIO, nil},
		{fs.ErrNotExist, KindIO, nil},
		{fs.ErrExist, KindIO, nil},
		{os.ErrDeadlineExceeded, KindIO, nil},
		{errors.ErrUnsupported, KindIO, nil},
	}
})

func putLogBack() advice.List {
	return advice.Shell("mem follows no links").
		Also(advice.Say("put the log itself in that place: the store depends on it"))
}

func allowWriting() advice.List {
	return advice.Say("the store cannot be written here").
		Also(advice.Shell("in a sandbox, allow its directory " +
			"(mem stat --jq .root prints it), or give --root"))
}

func allowDescriptors() advice.List {
	return advice.Say("this process may not open enough files; allow it more with ulimit -n")
}

func reportBug() advice.List {
	return advice.Say(
		"please report this at https://github.com/set-memory/mem/issues, with the command")
}

// KindOf returns the kind of an error: KindDone for none, and KindBug for one that is not known.
func KindOf(err error) Kind {
	if err == nil {
		return KindDone
	}
	var named interface{ Kind() string }
	if errors.As(err, &named) && named.Kind() != "" {
		return Kind(named.Kind()).info().Kind
	}
	for _, k := range known() {
		if errors.Is(err, k.is) {
			return k.kind
		}
	}
	if fromSystem(err) {
		return KindIO
	}
	return KindBug
}

// fromSystem reports whether an error is of the operating system, or of a damaged line of the
// store.
func fromSystem(err error) bool {
	return errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) ||
		errors.As(err, new(*os.SyscallError)) || errors.As(err, new(syscall.Errno)) ||
		errors.As(err, new(*disk.Short)) || errors.As(err, new(*log.Damage))
}

// Hint returns what to do about an error, as a command line prints it: a command that works as
// printed, or a plain sentence; empty where there is none.
func Hint(err error) string { return AdviceOf(err).String() }

// AdviceOf returns what to do about an error; none where nothing helps. An error has its own from a
// method Advice() advice.List, which is preferred to that of its kind.
func AdviceOf(err error) advice.List {
	var advised interface{ Advice() advice.List }
	if errors.As(err, &advised) {
		return advised.Advice()
	}
	for _, k := range known() {
		switch {
		case k.do == nil || !errors.Is(err, k.is):
		case k.is == disk.ErrIrregular && concerns(err, log.File):
			return putLogBack()
		case k.is == syscall.ENOSPC && errors.As(err, new(*PartialError)):
			return advice.Say("the disk is full; what is stored stays, and can be read")
		default:
			return k.do
		}
	}
	if err != nil && KindOf(err) == KindBug {
		return reportBug()
	}
	return nil
}

// concerns reports whether an error is about the file of that name.
func concerns(err error, name string) bool {
	var path *fs.PathError
	return errors.As(err, &path) && filepath.Base(path.Path) == name
}

// ErrorReply is what a call that failed is answered with.
type ErrorReply struct {
	Error Failure `json:"error"`
}

// Failure is an error for a program: its kind, and the message for a person.
type Failure struct {
	Code    Kind   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Of a batch that ended in the middle: how many of its lines are stored, and how many it has.
	Stored *int `json:"stored,omitempty"`
	Total  *int `json:"total,omitempty"`
	// Of a write of which it is unknown whether the write is stored: the ts that it has if it is.
	Stamps []log.Stamp `json:"stamps,omitempty"`
}

// FailureOf returns an error as a program gets it.
func FailureOf(err error) Failure {
	f := Failure{Code: KindOf(err), Message: Message(err), Hint: MaskSecrets(Hint(err))}
	if part := (*PartialError)(nil); errors.As(err, &part) {
		f.Stored, f.Total = &part.Stored, &part.Total
	}
	if unknown := (*backend.UnknownError)(nil); errors.As(err, &unknown) {
		f.Stamps = unknown.Stamps
	}
	return f
}
