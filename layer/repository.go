package layer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/disk"
)

// RepositoryFile is the file in a project's store, beside the user's, that names the repository.
const RepositoryFile = "repository.json"

// repositoryText is its content.
type repositoryText struct {
	// CommonDir is the real path of the directory that the work trees of the repository share.
	CommonDir string `json:"common_dir"`
}

// maxRepositoryText is far above what any path takes.
const maxRepositoryText = 64 << 10

// RepositoryText returns the content of the file for a repository. Of a path that is not UTF-8 it
// has what JSON can express.
func RepositoryText(common string) ([]byte, error) {
	text, err := json.Marshal(repositoryText{common})
	return append(text, '\n'), err
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
	var r repositoryText
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", RepositoryFile, err)
	}
	return r.CommonDir, nil
}
