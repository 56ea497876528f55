package layer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

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
	dir, err := disk.Open(root)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer dir.Close()
	text, err := dir.ReadFile(RepositoryFile, maxRepositoryText)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var r repositoryText
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", RepositoryFile, err)
	}
	return r.CommonDir, nil
}
