package jsonfile

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// File is a JSON file in a directory.
type File struct {
	Name, Lock string        // of the file, and of the lock file beside it
	Op         string        // names the holder in the lock file
	Since      time.Time     // is the time that the holder signs with
	Wait       time.Duration // is for other holders of the lock
	Indent     string        // "": the file has one line
}

// Read returns the value of a file of at most limit bytes; the zero value if there is no file.
func Read[T any](dir *disk.Dir, name string, limit int64) (value T, err error) {
	text, err := dir.ReadFile(name, limit)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	return value, disk.IgnoreNotExist(err)
}

// Update replaces the file durably by the value that change returns, mode 0600. change reads the
// file while no other process updates it; if it fails, the file stays as it is. The error is that
// of change, of [log.Locker.Acquire], or of the file system.
func (f File) Update(ctx context.Context, dir *disk.Dir, change func() (any, error)) error {
	lock, err := log.NewLockerOf(dir, f.Lock).Acquire(ctx, f.Op, f.Since, f.Wait)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	value, err := change()
	if err != nil {
		return err
	}
	// A crash in it leaves the old file or the new one, and perhaps a temporary one.
	return dir.WriteFileSync(f.Name, func(w io.Writer) error {
		text := json.NewEncoder(w)
		text.SetIndent("", f.Indent)
		return text.Encode(value)
	})
}
