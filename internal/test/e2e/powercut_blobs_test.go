//go:build linux

package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	fields "github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Whatever a power cut leaves of writes and purges of artifacts: each that is live has its bytes,
// and of one that was purged nothing is there.
func TestPowerCutsOfArtifacts(t *testing.T) {
	t.Setenv("MEM_BOOT_ID", "boot-1")
	w := newCutWorld(t)
	w.playArtifacts()
	stride, again := testkit.Extent(31, 8, 1), testkit.Extent(23, 211, 29)
	states, deeper := w.cuts(1, stride, again)
	t.Logf("%d calls, %d states, %d of a second power cut", w.tape.moment(), states, deeper)
	// A state more or less, as on a busy machine, moves the second cuts: 34 were seen, and 89.
	if w.tape.moment() < 350 || states < testkit.Extent(80, 500, 500) ||
		deeper < testkit.Extent(2, 20, 20) {
		t.Error("that is too few")
	}
}

// playArtifacts is the scenario: artifacts with a file of their own and with a shared one, puts
// that are killed, and purges that are.
func (w *cutWorld) playArtifacts() {
	w.killedPut(2, "killed early")
	w.step(map[string]string{"/a": "1"}, func(s *mem.Store) error { return set(s, "/a", "1") })
	w.killedPut(2, "killed") // artifacts/ is there, and nobody has synced its name
	w.artifact(1, "own")
	w.killedPut(5, "killed")
	w.artifact(2, "shared")
	w.compact()
	w.artifact(3, "shared")
	w.purge(2)
	w.gone("own", 1)
	w.interrupted(9, nil, func(s *mem.Store) error { return purgeArtifact(s, 3) })
	w.purge(3)
	w.gone("shared", 3)
	w.artifact(4, "own")
}

// artifact stores a text and the artifact about it.
func (w *cutWorld) artifact(n int, text string) {
	w.learn(func(k *knowledge) { k.gone = nil }) // it may be there again
	key, content := storetest.ArtifactKey(n), storetest.ArtifactOf(text)
	w.step(map[string]string{key: content}, func(s *mem.Store) error {
		if _, err := s.PutBlob(ctx, strings.NewReader(text), 1<<20); err != nil {
			return err
		}
		op, err := s.Begin(mem.Caller{}, policy.VerbNamed("artifact"))
		if err != nil {
			return err
		}
		p, err := op.Check(ctx, write(key, content), false)
		if err != nil {
			return err
		}
		_, err = op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p) })
		return err
	})
}

// killedPut is a put whose process dies before its n-th call.
func (w *cutWorld) killedPut(n int, text string) {
	w.interrupted(n, nil, func(s *mem.Store) error {
		_, err := s.PutBlob(ctx, strings.NewReader(text), 1<<20)
		return err
	})
}

func purgeArtifact(s *mem.Store, n int) error {
	_, err := s.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
		Keys: []keypath.Key{keypath.MustParse(storetest.ArtifactKey(n))}})
	return err
}

// purge purges an artifact. From its beginning on its lines need not be there.
func (w *cutWorld) purge(n int) {
	key := storetest.ArtifactKey(n)
	w.learn(func(k *knowledge) {
		for line := range k.must {
			if strings.Contains(line, key) {
				delete(k.must, line)
			}
		}
	})
	w.step(map[string]string{key: ""}, func(s *mem.Store) error { return purgeArtifact(s, n) })
}

// gone purges an artifact, after which no file has its text.
func (w *cutWorld) gone(text string, n int) {
	w.purge(n)
	w.learn(func(k *knowledge) { k.gone = append(k.gone, text) })
}

// checkBlobs checks that every live artifact has its bytes, and that none has them that is purged.
func (n knowledge) checkBlobs(t testing.TB, what string, s *mem.Store) {
	t.Helper()
	err := s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		if sum := fields.BlobOf(rec.Key, rec.Content); sum != "" {
			if _, err := storetest.Blob(s, sum); err != nil {
				t.Errorf("%s: %s: %v", what, rec.Key, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	for _, text := range n.gone {
		err := filepath.WalkDir(s.Path(), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if have, _ := os.ReadFile(path); string(have) == text {
				t.Errorf("%s: %s has what was purged", what, path)
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
