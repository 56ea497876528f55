package depot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

// Remain is a file or a directory that may hold bytes of segments that were removed.
type Remain struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// keepers are the directories in which programs keep files that others have removed, and why.
var keepers = map[string]string{
	".git":           "git keeps earlier versions",
	".stversions":    "Syncthing keeps earlier versions",
	".dropbox.cache": "Dropbox keeps removed files",

	// Of snapper, a NetApp and a Synology.
	".snapshots": "there are snapshots", ".snapshot": "there are snapshots",
	"#snapshot": "there are snapshots",

	// Of a Synology, a QNAP, Samba, Windows, macOS and the desktops of Linux.
	"#recycle": "it is a bin", "@Recycle": "it is a bin", ".recycle": "it is a bin",
	"$RECYCLE.BIN": "it is a bin", ".Trashes": "it is a bin",
	fmt.Sprintf(".Trash-%d", os.Getuid()): "it is a bin",
}

var maxLooked = 100_000

// Remains looks for what may hold bytes of removed segments: files that begin as segments do and
// are none, and directories of earlier versions, at the depot and above it.
func (f *Folder) Remains(begin []byte) (list []Remain, err error) {
	top, err := disk.RealPath(f.dir.Path())
	if err != nil {
		return nil, err
	}
	for dir, last := filepath.Dir(top), top; dir != last; dir, last = filepath.Dir(dir), dir {
		for name, why := range keepers {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				list = append(list, Remain{filepath.Join(dir, name), why})
			}
		}
	}
	looked := 0
	err = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		looked++
		switch why := keepers[filepath.Base(path)]; {
		case err != nil: // nobody can read it
		case looked > maxLooked:
			list = append(list, Remain{top, fmt.Sprintf("only %d names were looked at", maxLooked)})
			return fs.SkipAll
		case why != "" && path != top:
			list = append(list, Remain{path, why})
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular() && f.isCopy(path[len(top)+1:], begin):
			list = append(list, Remain{path, "it is a copy of a segment, or a part of one"})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Remain) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// isCopy reports whether a file begins as segments do, and is none by its place.
func (f *Folder) isCopy(path string, begin []byte) bool {
	path = filepath.ToSlash(path)
	at, err := pathOf(strings.ToLower(path[strings.LastIndexByte(path, '/')+1:]))
	if err == nil && strings.EqualFold(at, path) || len(begin) > 64 {
		return false
	}
	file, err := f.dir.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(begin))
	_, err = io.ReadFull(file, head)
	return err == nil && bytes.Equal(head, begin)
}

// Remains is that of [Folder].
func (p *Pipe) Remains(begin []byte) (list []Remain, err error) {
	body, err := p.call(request{Do: "remains"}, begin)
	if err == nil {
		err = json.Unmarshal(body, &list)
	}
	return list, err
}
