package site

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
)

// RepositoryFile is the file in a project's store, beside the user's, that names the repository.
const RepositoryFile = "repository.json"

// commonDir is its member: the real path of the directory that the work trees of the repository
// share.
const commonDir = "common_dir"

// maxRepositoryText is far above what any path takes.
const maxRepositoryText = 64 << 10

// RepositoryText returns the content of the file for a repository. A path that is not UTF-8 stands
// in it byte by byte, though JSON has no such text.
func RepositoryText(common string) []byte {
	var o jsontext.Object
	o.Text(commonDir, common)
	return append(o.Bytes(), '\n')
}

// RepositoryOf returns the directory that the work trees of a store's repository share, as it was
// when the store was made; "" for a store of none, and for one that is not there.
func RepositoryOf(root string) (string, error) {
	path := filepath.Join(root, RepositoryFile)
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular() || fi.Size() > maxRepositoryText:
		return "", fmt.Errorf("%s: %w", path, disk.ErrIrregular)
	}
	text, err := os.ReadFile(path) // beside the user's store, where nobody else writes
	if err != nil {
		return "", err
	}
	// Not by encoding/json: each hook asks, and the first use of a type costs a tenth of a
	// millisecond.
	valid, err := jsontext.Compact(nil, bytes.ToValidUTF8(text, []byte("?")))
	if err != nil {
		return "", fmt.Errorf("%s: %w", RepositoryFile, err)
	}
	if utf8.Valid(text) {
		text = valid // else it is compact, as it was written
	}
	for name, value := range jsontext.Members(text) {
		if name == commonDir && value[0] == '"' {
			return jsontext.Unquote(value), nil
		}
	}
	return "", nil
}
