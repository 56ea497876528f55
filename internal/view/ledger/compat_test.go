package ledger_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The records of a store that an earlier build wrote are read by every later one: each artifact to
// its last byte, each event in its chunks.
func TestCompatRecords(t *testing.T) {
	s := storetest.NewStore(t, storetest.Files)
	s.Must(os.CopyFS(s.Root, os.DirFS("../../../testdata/compat/v1-records")))
	s.Open()
	l := newLab(s)
	events, artifacts := 0, 0
	s.Must(s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		id := ledger.IDOf(rec.Key)
		switch rec.Key.Class() {
		case keypath.Event:
			events++
			if strings.Contains(string(rec.Content), `"redacted":true`) {
				return nil
			}
			n, err := l.book.Resolve(ctx, "", ledger.ChunkID(rec.Key, 0))
			if err != nil || n.Text == "" {
				t.Errorf("%s: %q, %v", id, n.Text, err)
			}
		case keypath.Artifact:
			artifacts++
			r, err := l.book.OpenArtifact(ctx, "", id)
			if err != nil {
				return err
			}
			defer r.Close()
			sum := sha256.New()
			_, err = io.Copy(sum, r)
			if is := hex.EncodeToString(sum.Sum(nil)); !strings.Contains(string(rec.Content), is) {
				t.Errorf("%s: bytes of %s", id, is)
			}
			return err
		}
		return nil
	}))
	if events != 3 || artifacts != 2 {
		t.Errorf("%d events, %d artifacts", events, artifacts)
	}
	// Files that came out of a copy have the modes of that copy.
	_, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	s.Must(err)
}
