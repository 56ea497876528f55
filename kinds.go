package mem

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/layer"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/trust"
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
// An error of a package that this one does not know has its kind from a method Kind() string, and
// any error its hint from a method Hint() string.
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
		{KindDone, 0, "what was asked is done, and a write is on disk"},
		{KindNo, 1, "the answer is no: no such memory, " +
			"or fsck, audit, doctor or setup --check found something"},
		{KindInput, 2, "the input is wrong: a flag, a key, JSON, a time"},
		{KindRefused, 3, "refused by policy: provenance, a secret, a size"},
		{KindConflict, 4, "a compare-and-set was lost; the newest envelope is on stdout"},
		{KindLocked, 5, "the lock could not be had in time, or the call was interrupted; " +
			"a batch says how many of its lines are stored"},
		{KindCanceled, 5, ""},
		{KindIO, 6, "the file system failed: an I/O error, full, read-only, no permission; " +
			"where the message says \"stored in the log\" the write is stored: do not repeat it; " +
			"or nobody can tell whether a server has stored it: then the JSON has the code " +
			"\"unknown\" and the stamps"},
		{KindUnknown, 6, ""},
		{KindBug, 70, "a bug of mem: nobody foresaw this failure"},
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

// known has the errors of each kind, and what to do about them. The first row that matches decides;
// for the hint, the first one that has a hint.
var known = []struct {
	is   error
	kind Kind
	hint string
}{
	{ErrNotFound, KindNo, ""},
	{ErrConflict, KindConflict, ""},
	{backend.ErrChanged, KindConflict, "try again"},
	{log.ErrLocked, KindLocked, "try again, or wait longer with --lock-timeout 30s"},
	{backend.ErrStored, KindIO,
		"nothing is lost; mem fsck --repair brings the index up to date"},
	{ErrRemains, KindIO, "look at these files; what mem cannot read it cannot clean"},

	{policy.ErrProvenance, KindRefused, ""},
	{policy.ErrSecret, KindRefused, ""},
	{policy.ErrReserved, KindRefused, ""},
	{policy.ErrPerson, KindRefused, ""},
	{policy.ErrUnattended, KindInput, ""},
	{policy.ErrPinned, KindRefused, "mem unpin ID, or mem forget ID, makes room"},
	{policy.ErrTooLarge, KindRefused, ""},
	{backend.ErrTooLarge, KindRefused, ""},

	{ErrFuture, KindInput, ""},
	{ErrInput, KindInput, ""},
	{ErrNoLayer, KindInput, ""},
	{ErrForeignConfig, KindInput, "git rm --cached " + ConfigFile + ", if it is yours"},
	{trust.ErrPath, KindInput, "name the store with --root"},
	{layer.ErrNoHome, KindInput, "give --root DIR, or set HOME"},
	{fsck.ErrNoEdit, KindInput, "mem fsck lists the files"},
	{fts.ErrQuery, KindInput, ""},
	{keypath.ErrKey, KindInput, ""},
	{jsontext.ErrJSON, KindInput, ""},
	{filestore.ErrServed, KindInput, "name the memory of one: --root ROOT/tenants/ID"},
	{log.ErrNoLater, KindInput, "mem fsck --repair puts right what lies in the future"},
	{log.ErrTime, KindInput, ""},
	{backend.ErrSum, KindInput, ""},

	{context.Canceled, KindCanceled, ""},
	{context.DeadlineExceeded, KindCanceled, "try again, or allow more time"},

	{fsck.ErrNoLog, KindIO, hintNoLog},
	{disk.ErrIrregular, KindIO, "mem fsck --repair moves it into quarantine/"},
	{syscall.EROFS, KindIO, hintNotWritable},
	{fs.ErrPermission, KindIO, hintNotWritable},
	{syscall.ENOSPC, KindIO,
		"the disk is full; nothing was stored, and everything can still be read"},
	{syscall.EMFILE, KindIO, hintDescriptors},
	{syscall.ENFILE, KindIO, hintDescriptors},
	{log.ErrNoLock, KindIO,
		"network disks often cannot lock; put the store on a local disk with --root"},
	{log.ErrNewer, KindIO, "install the newer mem"},

	// The errors of a damaged file.
	{backend.ErrDamaged, KindIO, "put the file back from a backup, or add the same bytes again"},
	{log.ErrEnvelope, KindIO, ""},
	{log.ErrChecksum, KindIO, ""},
	{log.ErrLineTooLong, KindIO, ""},
	{log.ErrTorn, KindIO, ""},
	{log.ErrWatermark, KindIO, ""},
	{state.ErrCheckpoint, KindIO, ""},
	{index.ErrEdited, KindIO, ""},
	{index.ErrForeign, KindIO, ""},
	{keypath.ErrPath, KindIO, ""},
	{fts.ErrStale, KindIO, ""},

	// What reading and writing fail with, besides the operating system's own errors.
	{io.ErrUnexpectedEOF, KindIO, ""},
	{disk.ErrMoved, KindIO, "try again"},
	{io.ErrShortWrite, KindIO, ""},
	{io.ErrNoProgress, KindIO, ""},
	{io.ErrClosedPipe, KindIO, ""},
	{fs.ErrClosed, KindIO, ""},
	{fs.ErrNotExist, KindIO, ""},
	{fs.ErrExist, KindIO, ""},
	{os.ErrDeadlineExceeded, KindIO, ""},
	{errors.ErrUnsupported, KindIO, ""},
}

const (
	hintNoLog = "mem follows no links; put the log itself in that place, everything hangs on it"

	hintNotWritable = "the store cannot be written here; in a sandbox, allow its directory " +
		"(mem stat --jq .root prints it), or give --root"

	hintDescriptors = "this process may not open enough files; allow it more with ulimit -n"

	hintBug = "please report this at https://github.com/set-memory/mem/issues, with the command"
)

// KindOf returns the kind of an error: KindDone for none, and KindBug for one that is not known.
func KindOf(err error) Kind {
	if err == nil {
		return KindDone
	}
	var named interface{ Kind() string }
	if errors.As(err, &named) {
		return Kind(named.Kind()).info().Kind
	}
	for _, k := range known {
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

// PlainHint returns what a hint says besides what is about a command line, which who asks over HTTP
// has none of.
func PlainHint(hint string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(hint, "; "), isForShell), "; ")
}

func isForShell(hint string) bool {
	return strings.HasPrefix(hint, "mem ") || strings.Contains(hint, " mem ") ||
		strings.Contains(hint, "--")
}

// Hint returns what to do about an error: a command that works as printed, or a plain sentence;
// empty where there is none. An error's own hint is preferred to that of its kind.
func Hint(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	for _, k := range known {
		switch {
		case k.hint == "" || !errors.Is(err, k.is):
		case k.is == disk.ErrIrregular && concerns(err, log.File):
			return hintNoLog
		default:
			return k.hint
		}
	}
	if err != nil && KindOf(err) == KindBug {
		return hintBug
	}
	return ""
}

// concerns reports whether an error is about the file of that name.
func concerns(err error, name string) bool {
	var path *fs.PathError
	return errors.As(err, &path) && filepath.Base(path.Path) == name
}
