package mem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// foreign is an error of a package that mem does not import.
type foreign struct{ kind string }

func (f foreign) Error() string { return "foreign" }
func (f foreign) Kind() string  { return f.kind }

func TestKindOfAnError(t *testing.T) {
	path := func(err error) error { return &fs.PathError{Op: "open", Path: "f", Err: err} }
	for _, c := range []struct {
		err  error
		kind mem.Kind
		exit int
	}{
		{nil, mem.KindDone, 0},
		{&mem.NotFoundError{}, mem.KindNo, 1},
		{fmt.Errorf("ts: %w", log.ErrTime), mem.KindInput, 2},
		{&mem.BatchError{Lines: []*mem.LineError{{Err: policy.ErrTooLarge}}}, mem.KindRefused, 3},
		{&mem.ConflictError{}, mem.KindConflict, 4},
		{&log.LockedError{}, mem.KindLocked, 5},
		{fmt.Errorf("set: %w", context.Canceled), mem.KindCanceled, 5},
		{context.DeadlineExceeded, mem.KindCanceled, 5},
		{fmt.Errorf("%w: %w", backend.ErrStored, log.ErrTime), mem.KindIO, 6},
		{path(syscall.EIO), mem.KindIO, 6},
		{path(errors.New("too many links")), mem.KindIO, 6},
		{&os.LinkError{Op: "rename", Err: syscall.EXDEV}, mem.KindIO, 6},
		{os.NewSyscallError("getcwd", syscall.ENOENT), mem.KindIO, 6},
		{syscall.ENOTDIR, mem.KindIO, 6},
		{&disk.Short{Err: errors.New("cut")}, mem.KindIO, 6},
		{&log.Damage{}, mem.KindIO, 6},
		{io.ErrUnexpectedEOF, mem.KindIO, 6},
		{fmt.Errorf("setup: %w", foreign{"input"}), mem.KindInput, 2},
		{foreign{"nonsense"}, mem.KindBug, 70},
		{errors.New("nobody foresaw this"), mem.KindBug, 70},
		{io.EOF, mem.KindBug, 70},
	} {
		if kind := mem.KindOf(c.err); kind != c.kind || kind.ExitCode() != c.exit {
			t.Errorf("%v: %s, exit %d, want %s, %d", c.err, kind, kind.ExitCode(), c.kind, c.exit)
		}
	}
}

func TestHintOfAnError(t *testing.T) {
	irregular := func(name string) error {
		return &fs.PathError{Op: "open", Path: "memory/" + name, Err: disk.ErrIrregular}
	}
	for _, c := range []struct {
		err  error
		want string // the beginning
	}{
		{nil, ""},
		{fs.ErrNotExist, ""},
		{&mem.NotFoundError{}, "mem ls lists the keys"},
		{irregular(log.File), "mem follows no links"},
		{irregular("watermark"), "mem fsck --repair"},
		{fmt.Errorf("%w: %w", backend.ErrStored, irregular(log.File)), "nothing is lost"},
		{fmt.Errorf("%w: %w", log.ErrNoLock, fs.ErrPermission), "the store cannot be written here"},
		{fmt.Errorf("%w: %w", mem.ErrInput, syscall.ENOSPC), "the disk is full"},
		{errors.New("nobody foresaw this"), "please report this"},
	} {
		hint := mem.Hint(c.err)
		if !strings.HasPrefix(hint, c.want) || c.want == "" && hint != "" {
			t.Errorf("%v: hint %q, want %q", c.err, hint, c.want)
		}
	}
}

func TestKindsAreListedByExitCode(t *testing.T) {
	last := -1
	for _, k := range mem.Kinds() {
		if k.Exit < last || k.Exit == last && k.Meaning != "" {
			t.Errorf("%s: exit %d after %d, meaning %q", k.Kind, k.Exit, last, k.Meaning)
		}
		last = k.Exit
	}
}
