package exchange

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// future is the file of a machine for one memory, over all depots: the lines from the future that
// wait or waited, and those that a person has left out.
type future struct {
	path    string
	waited  map[log.Identity]bool
	dropped map[log.Identity]bool
	changed bool
}

// readFuture reads the file. One that is not there, or not sound, is as an empty one.
func readFuture(path string) *future {
	f := &future{path: path, waited: map[log.Identity]bool{}, dropped: map[log.Identity]bool{}}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxSeen {
		return f
	}
	for line := range bytes.Lines(text) {
		kind, name, _ := bytes.Cut(line, []byte{' '})
		id, ok := log.ParseIdentity(name)
		switch {
		case ok && string(kind) == "w":
			f.waited[id] = true
		case ok && string(kind) == "x":
			f.dropped[id] = true
		}
	}
	return f
}

// wait notes a line that waits.
func (f *future) wait(id log.Identity) {
	f.changed = f.changed || !f.waited[id]
	f.waited[id] = true
}

// end notes that a line waits no longer: it is left out for good, or is in this memory.
func (f *future) end(id log.Identity, isDropped bool) {
	delete(f.waited, id)
	if f.changed = true; isDropped {
		f.dropped[id] = true
	}
}

// write replaces the file, if it has changed. A crash within leaves the old one.
func (f *future) write() error {
	if !f.changed || f.path == "" {
		return nil
	}
	dir, err := disk.Create(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	defer dir.Close()
	var text []byte
	for id := range f.waited {
		text = fmt.Appendf(text, "w %x\n", id)
	}
	for id := range f.dropped {
		text = fmt.Appendf(text, "x %x\n", id)
	}
	return dir.WriteFile(filepath.Base(f.path), text)
}
