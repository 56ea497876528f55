package seal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
)

// ErrKeyFile is wrapped by every *FileError.
var ErrKeyFile = errors.New("key file")

var (
	// ErrNoKey is returned where no key file is named.
	ErrNoKey = fault.New("input", "no key file is named",
		advice.Say("name the key file that the memory was sealed with"))
	// ErrNotOurs is wrapped for what no identity of the key file opens.
	ErrNotOurs = fault.New("input", "sealed to an identity that is not in the key file",
		advice.Say("add the line with the identity that it was sealed to; without it, "+
			"it cannot be opened"))
	// ErrDamaged is wrapped for bytes that are not a sealed text or blob, are cut short, or were
	// changed.
	ErrDamaged = fault.New("io", "the sealed record is damaged",
		advice.Say("take it from a copy of the memory"))
)

// FileError is the fault of a key file; errors.Is(err, ErrKeyFile) holds. It never quotes the file.
type FileError struct {
	Path  string // as it was given
	Fault string
	Do    advice.List // what to do; none for nothing better than to know
	Err   error       // the cause; nil if the fault is all
}

func (e *FileError) Error() string { return "key file " + e.Path + ": " + e.Fault }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Is makes every FileError an ErrKeyFile.
func (e *FileError) Is(target error) bool { return target == ErrKeyFile }

// Kind is that of wrong input, or of a failure of the file system.
func (e *FileError) Kind() string {
	if errors.As(e.Err, new(syscall.Errno)) && !errors.Is(e.Err, fs.ErrNotExist) &&
		!errors.Is(e.Err, fs.ErrExist) && !errors.Is(e.Err, fs.ErrPermission) {
		return "io"
	}
	return "input"
}

// Advice returns what to do.
func (e *FileError) Advice() advice.List { return e.Do }

// fileError returns a failure to do something with a key file, and what to do about it.
func fileError(path string, err error) error {
	e := &FileError{Path: path, Fault: err.Error(), Err: err}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		e.Fault = cause.Err.Error() // the path is named already
	}
	if cause := (*os.LinkError)(nil); errors.As(err, &cause) {
		e.Fault = cause.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Do = advice.RunAlone("key new", path).Then(" makes one")
	case errors.Is(err, fs.ErrExist):
		e.Do = advice.Say("a key file is never replaced; add an identity to it, or name another")
	case errors.Is(err, fs.ErrPermission):
		e.Do = advice.Say("run as the user whom it belongs to")
	}
	return e
}
