package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

const output = "what a tool printed\n"

// blobWorld is a store whose blobs are put and opened as a process does.
type blobWorld struct{ *storetest.World }

func newBlobWorld(t testing.TB) blobWorld { return blobWorld{storetest.NewWorld(t)} }

func (w blobWorld) store() *filestore.Store {
	s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now },
		LockWait: time.Hour})
	w.Must(err)
	w.T.Cleanup(func() { s.Close() })
	return s
}

func (w blobWorld) put(text string) (backend.Blob, error) { return put(w.store(), text) }

func put(s *filestore.Store, text string) (backend.Blob, error) {
	return s.PutBlob(context.Background(), strings.NewReader(text), 1<<20)
}

func (w blobWorld) open(sum string) (string, error) {
	f, err := w.store().OpenBlob(context.Background(), sum)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}

// files returns what is in artifacts/.
func (w blobWorld) files() (names []string) {
	w.T.Helper()
	entries, _ := os.ReadDir(w.File(filestore.ArtifactsDir)) // there may be none
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func sumOf(text string) string {
	b, err := backend.CopyBlob(context.Background(), io.Discard, strings.NewReader(text), 1<<30)
	if err != nil {
		panic(err)
	}
	return b.Sum
}

// A put is killed before each of its calls: what is there then is nothing or all of it, and the
// next put stores it.
func TestPutBlobKilledAtEveryCall(t *testing.T) {
	for _, state := range []string{"no root", "no directory", "another", "damaged", "there"} {
		total := 0
		for n := 1; ; n++ {
			w := newBlobWorld(t)
			w.prepare(state)
			s, calls := w.store(), killAt(n)
			b, err := put(s, output)
			if total = calls(); err == nil && total < n {
				w.finish(state)
				break
			}
			what := fmt.Sprintf("%s: call %d", state, n)
			if err == nil || b != (backend.Blob{}) {
				t.Errorf("%s: killed, and it returns %v, %v", what, b, err)
			}
			text, err := w.open(sumOf(output))
			if text != output && !errors.Is(err, fs.ErrNotExist) &&
				(state != "damaged" || !errors.Is(err, backend.ErrDamaged)) {
				t.Errorf("%s: then it is %q, %v", what, text, err)
			}
			w.finish(what)
		}
		if t.Logf("%s: %d calls", state, total); total < 3 {
			t.Error("that is too few")
		}
	}
}

// prepare makes what a put comes upon.
func (w blobWorld) prepare(state string) {
	w.T.Helper()
	if state == "no root" {
		w.Must(os.RemoveAll(w.Path))
		return
	}
	w.Set("/a", "1")
	switch state {
	case "another":
		w.PutBlob("another")
		w.Set(storetest.ArtifactKey(2), storetest.ArtifactOf("another"))
	case "damaged":
		w.Edit(w.PutBlob(output), func(b []byte) []byte { return append(b[1:], "!!"...) })
	case "there":
		w.PutBlob(output)
	}
}

// finish stores the blob and its artifact, and checks that a repair has nothing to say.
func (w blobWorld) finish(what string) {
	w.T.Helper()
	_, err := w.put(output)
	w.Must(err)
	w.Dir.Close()
	w.Open() // the root may have been made since
	w.Set(storetest.ArtifactKey(1), storetest.ArtifactOf(output))
	if text, err := w.open(sumOf(output)); text != output || err != nil {
		w.T.Errorf("%s: in the end it is %q, %v", what, text, err)
	}
	for _, name := range w.files() {
		if disk.IsTemp(name) {
			w.Age(filestore.ArtifactsDir + "/" + name)
		}
	}
	for _, f := range w.Check() {
		if f.Name != "temp" {
			w.T.Errorf("%s: %s", what, f)
		}
	}
	w.Repair()
}

// One call of a put fails: it says so with the cause, keeps nothing new under a temporary name, and
// the next put stores it.
func TestPutBlobWithOneFault(t *testing.T) {
	for _, cause := range []error{syscall.EIO, &disk.Short{Err: syscall.ENOSPC}} {
		for _, state := range []string{"no root", "no directory", "another", "damaged", "there"} {
			for n := 1; ; n++ {
				w := newBlobWorld(t)
				w.prepare(state)
				s, count, hit := w.store(), 0, ""
				disk.SetHook(func(op disk.Op, path string) error {
					if count++; count == n {
						hit = fmt.Sprint(op, " ", filepath.Base(path))
						return cause
					}
					return nil
				})
				_, err := put(s, output)
				disk.SetHook(nil)
				if count < n {
					w.finish(state)
					break
				}
				what := fmt.Sprintf("%s: call %d (%s)", state, n, hit)
				if !errors.Is(err, errors.Unwrap(cause)) && !errors.Is(err, cause) {
					t.Errorf("%s: %v", what, err)
				}
				if slices.ContainsFunc(w.files(), disk.IsTemp) {
					t.Errorf("%s: left %v", what, w.files())
				}
				w.finish(what)
			}
		}
	}
}

// What is acknowledged was synced in this order; what is there already is not written to the disk
// once more.
func TestPutBlobSyncs(t *testing.T) {
	w := newBlobWorld(t)
	w.Set("/a", "1")
	const first = "create .tmp, write .tmp, sync .tmp, rename SUM, sync artifacts, sync ROOT"
	if got := w.calls(output); got != "mkdir artifacts, "+first {
		t.Errorf("the first: %s", got)
	}
	if got := w.calls(output + "more"); got != first {
		t.Errorf("another: %s", got)
	}
	if got := w.calls(output); got != "create .tmp, write .tmp, sync artifacts, sync ROOT" {
		t.Errorf("again: %s", got)
	}
	w.Set(storetest.ArtifactKey(1), storetest.ArtifactOf(output),
		storetest.ArtifactKey(2), storetest.ArtifactOf(output+"more"))
	for name, want := range map[string]fs.FileMode{"": 0o700, "/" + sumOf(output): 0o600} {
		fi, err := os.Stat(w.File(filestore.ArtifactsDir + name))
		w.Must(err)
		if fi.Mode().Perm() != want {
			t.Errorf("artifacts%s has mode %v", name, fi.Mode())
		}
	}
}

// calls returns the calls of a put that change the disk.
func (w blobWorld) calls(text string) string {
	w.T.Helper()
	s, list := w.store(), []string(nil)
	disk.SetHook(func(op disk.Op, path string) error {
		name := filepath.Base(path)
		switch {
		case path == w.Path:
			name = "ROOT"
		case name == sumOf(text):
			name = "SUM"
		case disk.IsTemp(name):
			name = ".tmp"
		}
		if op.Mutates() {
			list = append(list, fmt.Sprint(op, " ", name))
		}
		return nil
	})
	_, err := put(s, text)
	disk.SetHook(nil)
	w.Must(err)
	return strings.Join(list, ", ")
}

// Damaged bytes are never returned, and are replaced by a put of the right ones; what they were is
// in quarantine/.
func TestDamagedBlob(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"a letter": func(b []byte) []byte { b[3] ^= 1; return b },
		"cut":      func(b []byte) []byte { return b[:len(b)-1] },
		"longer":   func(b []byte) []byte { return append(b, 0) },
		"empty":    func([]byte) []byte { return nil },
	} {
		w := newBlobWorld(t)
		file := w.Keep(storetest.ArtifactKey(1), output)
		var wrong []byte
		w.Edit(file, func(b []byte) []byte { wrong = damage(b); return slices.Clone(wrong) })
		if text, err := w.open(filepath.Base(file)); !errors.Is(err, backend.ErrDamaged) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		_, err := w.put(output)
		w.Must(err)
		if text, err := w.open(filepath.Base(file)); text != output || err != nil {
			t.Errorf("%s: put again: %q, %v", name, text, err)
		}
		kept, err := filepath.Glob(w.File(log.QuarantineDir + "/*_" + filepath.Base(file)))
		w.Must(err)
		if len(kept) != 1 {
			t.Fatalf("%s: quarantine holds %v", name, kept)
		}
		if text, err := os.ReadFile(kept[0]); string(text) != string(wrong) || err != nil {
			t.Errorf("%s: quarantine holds %q, %v", name, text, err)
		}
	}
}

// Nothing but a plain file is followed, replaced or read.
func TestBlobsOfAnotherKind(t *testing.T) {
	sum := sumOf(output)
	file := filestore.ArtifactsDir + "/" + sum
	for name, plant := range map[string]func(w blobWorld){
		"a directory": func(w blobWorld) {
			w.Must(os.MkdirAll(w.File(file), 0o700))
		},
		"a directory that is not empty": func(w blobWorld) {
			w.Must(os.MkdirAll(w.File(file+"/x"), 0o700))
		},
		"a link to the right bytes": func(w blobWorld) {
			w.Must(os.Mkdir(w.File(filestore.ArtifactsDir), 0o700))
			w.Must(os.Symlink("../outside", w.File(file)))
		},
		"a link to nowhere": func(w blobWorld) {
			w.Must(os.Mkdir(w.File(filestore.ArtifactsDir), 0o700))
			w.Must(os.Symlink("nowhere", w.File(file)))
		},
		"a link in place of artifacts/": func(w blobWorld) {
			w.Must(os.Mkdir(w.File("elsewhere"), 0o700))
			w.Must(os.WriteFile(w.File("elsewhere/"+sum), []byte(output), 0o600))
			w.Must(os.Symlink("elsewhere", w.File(filestore.ArtifactsDir)))
		},
		"a file in place of artifacts/": func(w blobWorld) {
			w.Must(os.WriteFile(w.File(filestore.ArtifactsDir), nil, 0o600))
		},
	} {
		w := newBlobWorld(t)
		w.Must(os.WriteFile(w.File("outside"), []byte(output), 0o600))
		plant(w)
		if text, err := w.open(sum); !errors.Is(err, disk.ErrIrregular) {
			t.Errorf("%s is opened: %q, %v", name, text, err)
		}
		if _, err := w.put(output); !errors.Is(err, disk.ErrIrregular) {
			t.Errorf("%s: put: %v", name, err)
		}
		if slices.ContainsFunc(w.files(), disk.IsTemp) {
			t.Errorf("%s: left %v", name, w.files())
		}
		if text, err := os.ReadFile(w.File("outside")); string(text) != output || err != nil {
			t.Errorf("%s: what is outside is %q, %v", name, text, err)
		}
		w.Set(storetest.ArtifactKey(1), storetest.ArtifactOf(output))
		w.Repair()
		_, err := w.put(output)
		w.Must(err)
	}
}

// What goes through a put is never in memory as a whole.
func TestPutBlobStreams(t *testing.T) {
	const size = 32 << 20
	w := newBlobWorld(t)
	s := w.store()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b, err := s.PutBlob(context.Background(),
		io.LimitReader(rand.NewChaCha8([32]byte{}), size), size)
	w.Must(err)
	f, err := s.OpenBlob(context.Background(), b.Sum)
	w.Must(err)
	n, err := io.Copy(io.Discard, f)
	w.Must(err)
	w.Must(f.Close())
	runtime.ReadMemStats(&after)
	if n != size || b.Size != size {
		t.Errorf("%d of %d bytes", n, b.Size)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > size/4 {
		t.Errorf("it took %d bytes of memory", used)
	}
	w.Must(os.RemoveAll(w.File(filestore.ArtifactsDir)))
}
