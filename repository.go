package mem

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/filestore"
)

// repositoryText is the content of repository.json.
type repositoryText struct {
	// CommonDir is the real path of the directory that the work trees of the repository share.
	CommonDir string `json:"common_dir"`
}

// maxRepositoryText is far above what any path takes.
const maxRepositoryText = 64 << 10

func writeRepository(dir *disk.Dir, path string) error {
	text, err := EncodeJSON(repositoryText{path})
	if err != nil {
		return err
	}
	return dir.WriteFileSync(filestore.RepositoryFile, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n", text)
		return err
	})
}

// RepositoryOf returns the real path of the directory that the work trees of a store's repository
// share, as it was when the store was made; "" for a store of none.
func RepositoryOf(s *Store) (string, error) {
	dir, err := s.Dir()
	if dir == nil || err != nil {
		return "", err
	}
	text, err := dir.ReadFile(filestore.RepositoryFile, maxRepositoryText)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var r repositoryText
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", filestore.RepositoryFile, err)
	}
	return r.CommonDir, nil
}
