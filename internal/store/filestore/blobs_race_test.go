package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	fields "github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Several processes store and purge artifacts about the same bytes: each that is live has its file,
// and nothing is left of what is not.
func TestBlobsOfManyProcesses(t *testing.T) {
	const processes, rounds = 3, 20
	w := newBlobWorld(t)
	var all sync.WaitGroup
	for p := range processes {
		s := w.store()
		all.Go(func() {
			for n := range rounds {
				if err := storeArtifact(s, p*rounds+n, fmt.Sprint("text ", n%2*p)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done, purged := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(purged)
		for s, n := w.store(), 0; ; n++ {
			select {
			case <-done:
				return
			default:
				w.eraseAll(s)
			}
		}
	}()
	all.Wait()
	close(done)
	<-purged
	w.Boot = w.store().Boot()
	if found := w.Check(); len(found) > 0 {
		t.Errorf("then: %v", found)
	}
	w.eraseAll(w.store())
	if left := w.files(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// storeArtifact stores a text and its artifact as every caller has to.
func storeArtifact(s *filestore.Store, n int, text string) error {
	ctx := context.Background()
	b, err := s.PutBlob(ctx, strings.NewReader(text), 1<<20)
	if err != nil {
		return err
	}
	return s.Update(ctx, backend.Caller{}, "artifact", func(tx backend.Tx) error {
		f, err := s.OpenBlob(ctx, b.Sum)
		if err == nil {
			err = f.Close()
		} else if errors.Is(err, fs.ErrNotExist) {
			_, err = s.PutBlob(ctx, strings.NewReader(text), 1<<20)
		}
		if err != nil {
			return err
		}
		_, err = tx.Append(backend.Write{Envelope: log.Envelope{
			Key: keypath.MustParse(storetest.ArtifactKey(n)), Source: []byte(`"x"`),
			Content: []byte(storetest.ArtifactOf(text))}})
		return err
	})
}

// eraseAll purges all artifacts that there are, after a look whether each has its file: nobody else
// takes one away.
func (w blobWorld) eraseAll(s *filestore.Store) {
	ctx := context.Background()
	snap, err := s.Snapshot(ctx)
	if err != nil {
		w.T.Error(err)
		return
	}
	defer snap.Close()
	var keys []keypath.Key
	for rec, err := range snap.ScanBelow(ctx, keypath.Prefix{}) {
		if err != nil {
			w.T.Error(err)
			return
		}
		keys = append(keys, rec.Key)
		f, err := s.OpenBlob(ctx, fields.BlobOf(rec.Key, rec.Content))
		if err != nil {
			w.T.Errorf("%s: %v", rec.Key, err)
			continue
		}
		f.Close()
	}
	if len(keys) > 0 {
		_, err = s.Erase(ctx, backend.Caller{}, backend.Erasure{Keys: keys,
			Source: []byte(`{"kind":"user","name":"mem forget","purged":true}`)})
	}
	if err != nil {
		w.T.Error(err)
	}
}
