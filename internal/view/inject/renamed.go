package inject

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
)

// renamed returns the memories that name a file by the path that it had before it was moved to
// another folder: they name one path with its last element that is gone, and git's index has this
// file and no other one of this name. The index is read only where a path is gone; no git runs.
func (e edited) renamed(root string, records []log.Record) (hits []naming) {
	if root == "" || e.inProject == "" || isCommon(path.Base(e.inProject)) {
		return nil
	}
	was := ""
	for _, rec := range records {
		gone := e.gonePath(root, rec)
		if gone == "" {
			continue
		}
		if was != "" && was != gone {
			return nil // which of them it was is not known
		}
		was, hits = gone, append(hits, naming{rec, namesFormer})
	}
	if was == "" {
		return nil
	}
	repo, ok, err := site.RepoAt(root)
	if !ok || err != nil {
		return nil
	}
	now := filepath.Join(repo.WorkTree, filepath.FromSlash(e.inProject))
	if alone, err := repo.TracksAlone(now); !alone || err != nil {
		return nil
	}
	return hits
}

// gonePath returns the path in the project, of a file that is gone, that a memory names with the
// last element of the file; "" for none. In the user's store a path is of no known project.
func (e edited) gonePath(root string, rec log.Record) string {
	if rec.Layer == site.User {
		return ""
	}
	f := content.ParseNaming(rec.Content)
	i := slices.IndexFunc(f.AllFileNames(), func(name string) bool {
		if !strings.Contains(name, "/") || path.Base(name) != path.Base(e.inProject) ||
			strings.HasSuffix(name, "/") || content.IsPattern(name) || !filepath.IsLocal(name) {
			return false
		}
		_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
		return errors.Is(err, fs.ErrNotExist)
	})
	if i < 0 {
		return ""
	}
	return f.AllFileNames()[i]
}
