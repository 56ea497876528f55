package transfer

import (
	"context"
	"errors"
	"io/fs"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// The lines of an export hold the metadata of artifacts, not their bytes: to move artifacts, copy
// the directory artifacts/ too.

// withoutBytes counts the artifacts of an import whose bytes are not in the store.
func withoutBytes(ctx context.Context, s *mem.Store, writes []mem.Checked) (n int, err error) {
	for _, w := range writes {
		if w.Key().Class() != keypath.Artifact || string(w.Content()) == "null" {
			continue
		}
		sum := jsontext.Unquote(jsontext.ParseMembers(w.Content()).Get("sha256"))
		f, err := s.OpenBlob(ctx, sum)
		switch {
		case err == nil:
			err = f.Close()
		case errors.Is(err, fs.ErrNotExist):
			n, err = n+1, nil
		case mem.KindOf(err) == mem.KindInput:
			err = nil // a store of no files, or no sum
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
