package life

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/set-memory/mem/internal/base/disk"
)

// faults are drawn for each verb; most verbs meet none.
var faults = []string{"", "", "", "", "", "", "killed", "", "", "full", "", ""}

var errKilled = errors.New("killed")

// fail lets every call fail that a kind of fault concerns, from the n-th change of the disk on, and
// returns whether one did.
func (l *life) fail(kind string, n int) *bool {
	count, hit := 0, false
	disk.SetHook(func(op disk.Op, path string) error {
		if !op.Mutates() {
			return nil
		}
		if count++; count < n {
			return nil
		}
		if kind == "killed" {
			hit = true
			return errKilled
		}
		if op != disk.OpWrite && op != disk.OpCreate && op != disk.OpMkdir {
			return nil
		}
		hit = true
		err := error(&fs.PathError{Op: string(op), Path: path, Err: syscall.ENOSPC})
		if op == disk.OpWrite && n%2 == 0 {
			err = &disk.Short{Err: err}
		}
		return err
	})
	return &hit
}
