package session

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
)

// ErrForeign is wrapped where an export would replace a file that is none, or was changed since.
var ErrForeign = errors.New("not written by mem session export, or changed since")

// foreignError names the file; errors.Is(err, ErrForeign) holds.
type foreignError struct{ file string }

func (e *foreignError) Error() string { return e.file + ": " + ErrForeign.Error() }

func (e *foreignError) Unwrap() error { return ErrForeign }

// Kind is that of wrong input.
func (e *foreignError) Kind() string { return string(mem.KindInput) }

// Advice returns how to lose nothing.
func (e *foreignError) Advice() advice.List {
	return advice.Say("export to another place, or remove it before")
}

// writeFile writes a file, which must not be in the store.
func (e *exporter) writeFile(path string) error {
	inside, err := disk.Within(e.store.Path(), filepath.Dir(path))
	if err != nil {
		return err
	}
	if inside {
		return fmt.Errorf("%s: %w: it is inside the store", path, mem.ErrInput)
	}
	// Where a session is not there, no directory is to be made for it.
	var text bytes.Buffer
	if err := e.write(&text); err != nil {
		return err
	}
	dir, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(path)
	if err := mayReplace(dir, name); err != nil {
		return err
	}
	// A crash within this leaves the old file or the new one, and perhaps a temporary file.
	return dir.WriteFileSync(name, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}

// mayReplace returns an error where a file is there in which something could be lost.
func mayReplace(dir *disk.Dir, name string) error {
	text, err := dir.ReadFile(name, math.MaxInt64)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, disk.ErrIrregular) || err == nil && !isExport(text):
		return &foreignError{dir.Join(name)}
	}
	return err
}

// isExport reports whether a text is an export as it was written: all its entries have their
// checksums, or it ends in that of the whole.
func isExport(text []byte) bool {
	if end := bytes.LastIndex(text, []byte(sealBegin)); end >= 0 && text[0] == '#' {
		sum := sha256.Sum256(text[:end])
		return string(text[end:]) == seal(sum[:])
	}
	own := true
	err := eachPart(text, func(p part) {
		own = own && p.err == nil && (p.metadata || isWhole(p.object))
	})
	return own && err == nil
}

// isWhole reports whether an entry has a checksum, and the right one.
func isWhole(object []byte) bool {
	given := jsontext.ParseMembers(object).Get("checksum")
	return given != nil && jsontext.Unquote(given) == checksum(object)
}
