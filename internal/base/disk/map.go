package disk

import (
	"errors"
	"runtime"
	"runtime/debug"
)

// ErrFault is returned by [Guard] where mapped memory could not be read.
var ErrFault = errors.New("a page of a mapped file cannot be read: the file was cut short, " +
	"or the disk failed")

// Guard runs fn, which reads what [Dir.Map] has returned, in this goroutine alone. Where somebody
// has cut the file in place, or the disk fails, touching a page is a fault, which would end the
// process: it ends fn, and is returned as ErrFault. What fn may have left half done must be thrown
// away then. Every other panic goes on.
func Guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case fault:
			err = ErrFault
		default:
			panic(cause)
		}
	}()
	return fn()
}

// fault is what Go panics with at an address that cannot be read. A nil pointer has no address.
type fault interface {
	runtime.Error
	Addr() uintptr
}
