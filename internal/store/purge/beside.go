package purge

import (
	"errors"
	"io/fs"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
)

// maxBeside is the greatest journal of another store that is looked into, in bytes.
const maxBeside = 64 << 20

// RemoveFromJournal takes the keys of a plan out of a journal of another store, as far as its lines
// are of a project or name none, and reports whether all of it is gone.
func (p *Plan) RemoveFromJournal(dir *disk.Dir, name, project string) (gone bool, err error) {
	values := NewValues()
	for _, key := range p.Keys {
		if !p.Tombstones {
			values.AddKey(key)
		}
	}
	return p.CutJournal(dir, name, values, func(line []byte) bool {
		of := projectOf(line)
		return of == "" || of == project
	})
}

// CutJournal takes the keys out of the lines of a journal that wanted accepts, and reports whether
// all of it is gone.
func (p *Plan) CutJournal(dir *disk.Dir, name string, v *Values, wanted func([]byte) bool) (
	gone bool, err error) {
	text, err := dir.ReadFile(name, maxBeside)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), disk.IgnoreNotExist(err)
	}
	kept, changed := p.scrubJournal(text, v, wanted)
	if !changed {
		return true, nil
	}
	// A crash here leaves the old journal or the new one. A line that another process appends
	// meanwhile may be lost: nothing depends on it.
	err = dir.WriteBytesSync(name, kept)
	return err == nil, err
}

// projectOf returns the project that a line of a journal names.
func projectOf(line []byte) (project string) {
	for name, value := range jsontext.Members(line) {
		if name == "project" {
			project = jsontext.Unquote(value)
		}
	}
	return project
}
