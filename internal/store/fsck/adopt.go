package fsck

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Edit is a person's change of an index file.
type Edit = backend.Edit

// ErrNoEdit is returned for a file that holds no edit which could be taken in.
var ErrNoEdit = errors.New("no edit to adopt")

// Edits reads what persons did to the index: the hand-edited files among the findings, and
// those that were added. A file that is no JSON, or without content, is no edit to adopt: refused
// has the reason. The error is the file system's.
func (c *Checker) Edits(findings []Finding) (edits []Edit, refused map[string]error, err error) {
	refused = map[string]error{}
	for _, f := range findings {
		if f.Check != checkEdited.ID && f.Check != checkForeign.ID {
			continue
		}
		edit, err := readEdit(c.Dir, f.File)
		switch {
		case disk.Failed(err):
			return nil, nil, err
		case err != nil:
			refused[f.File] = err
		default:
			edits = append(edits, withAge(edit, c.fold))
		}
	}
	return edits, refused, nil
}

// withAge returns an edit with the time of what it edits.
func withAge(e Edit, fold state.Fold) Edit {
	if old, known := fold[e.Key]; known && old.Valid() {
		e.Content = content.KeepTime(e.Content, old.TS)
	}
	return e
}

// EditsIn reads the edits in files that a person named, below the root: in index/, where one that
// is missing stands for a removal, or in quarantine/. The error wraps ErrNoEdit, or is the file
// system's.
func (c *Checker) EditsIn(files []string) (edits []Edit, err error) {
	for _, file := range files {
		file = path.Clean(file)
		if top, _, _ := strings.Cut(file, "/"); top != index.DirName && top != log.QuarantineDir {
			return nil, fmt.Errorf("%s: %w: it is not below index/ or quarantine/", file, ErrNoEdit)
		}
		edit, err := readEdit(c.Dir, file)
		if rec := c.fold[edit.Key]; err == nil && rec.Valid() && string(rec.Content) ==
			string(edit.Content) {
			err = errors.New("the log says the same")
		}
		if errors.Is(err, fs.ErrNotExist) {
			edit, err = removal(c.fold, file)
		}
		if err != nil && !disk.Failed(err) {
			err = fmt.Errorf("%s: %w: %w", file, ErrNoEdit, err)
		}
		if err != nil {
			return nil, err
		}
		edits = append(edits, withAge(edit, c.fold))
	}
	return edits, nil
}

// removal returns the edit of a live key's file that is not there any more.
func removal(fold state.Fold, file string) (Edit, error) {
	name, inIndex := strings.CutPrefix(file, index.DirName+"/")
	if inIndex {
		for key, rec := range fold {
			if rec.Valid() && string(key.Path()) == name {
				return Edit{File: file, Key: key, Content: []byte("null")}, nil
			}
		}
	}
	return Edit{}, fs.ErrNotExist
}

func readEdit(dir *disk.Dir, file string) (Edit, error) {
	e := Edit{File: file}
	text, err := dir.ReadFile(file, index.MaxFile)
	if err != nil {
		return e, err
	}
	line, err := log.CompactLine(nil, text)
	if err != nil {
		return e, err
	}
	key := ""
	for name, value := range jsontext.Members(line) {
		switch name {
		case "key":
			key = jsontext.Unquote(value)
		case "content":
			e.Content = value
		}
	}
	if e.Content == nil {
		return e, fmt.Errorf("%w: no %q", log.ErrEnvelope, "content")
	}
	name, inIndex := strings.CutPrefix(path.Clean(file), index.DirName+"/")
	if key == "" && inIndex {
		key = keyAt(name)
	}
	if e.Key, err = keypath.Parse(key); err != nil {
		return e, err
	}
	e.Foreign = inIndex && string(e.Key.Path()) != name
	if _, _, isKey := keypath.Decode(keypath.RelPath(name)); e.Foreign && isKey == nil {
		return e, index.ErrForeign // the file of one key says another
	}
	return e, nil
}

// keyAt returns the key that a path below index/ stands for, as a person would name a new file.
func keyAt(name string) string {
	if key, exact, err := keypath.Decode(keypath.RelPath(name)); err == nil && exact {
		return key.String()
	}
	return "/" + strings.TrimSuffix(name, ".json")
}
