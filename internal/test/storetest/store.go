package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Kind is what holds a store under test.
type Kind string

// The kinds of stores.
const (
	Files  Kind = "files"
	Memory Kind = "memory"
)

// Store is a store under test, whose clock stands still until the test moves it. One of files ends
// with a full fsck, unless it is dirty.
type Store struct {
	*mem.Store
	T        testing.TB
	Root     string // "" in memory
	Clock    time.Time
	Warnings []string
	Dirty    bool // the test leaves damage on purpose

	// Progress is told of long work, from the next Open on; may be nil.
	Progress func(what string, done, total int)

	memory *memstore.Store // nil: it keeps files
}

// EachKind runs a test on an empty store of each kind.
func EachKind(t *testing.T, test func(*testing.T, *Store)) {
	for _, kind := range []Kind{Files, Memory} {
		t.Run(string(kind), func(t *testing.T) { test(t, NewStore(t, kind)) })
	}
}

// NewStore returns an empty store of a kind. Its root does not exist yet.
func NewStore(t testing.TB, kind Kind) *Store {
	s := &Store{T: t, Clock: Noon}
	if kind == Memory {
		s.memory = memstore.New(func() time.Time { return s.Clock })
	} else {
		s.Root = filepath.Join(Dir(t), "memory")
	}
	s.Open()
	t.Cleanup(func() {
		rep, err := s.Fsck(context.Background(), mem.Caller{}, mem.FsckOptions{})
		if !s.Dirty && (err != nil || len(rep.Found) > 0) {
			t.Errorf("the test leaves a damaged store: %v %v", rep.Found, err)
		}
		s.Close()
	})
	return s
}

// Dir returns a directory in memory where there is one: what is tested is not the disk.
func Dir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "mem-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Open opens the store anew.
func (s *Store) Open() {
	s.T.Helper()
	o := mem.Options{
		Now: func() time.Time { return s.Clock }, Progress: s.Progress,
		Warn: func(msg string) { s.Warnings = append(s.Warnings, msg) },
	}
	if s.memory != nil {
		s.Store = mem.New(s.memory, o)
		return
	}
	opened, err := mem.Open(s.Root, o)
	s.Must(err)
	s.Store = opened
}

// Must ends the test if there is an error.
func (s *Store) Must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// Configure replaces the configuration.
func (s *Store) Configure(text string) {
	s.T.Helper()
	if s.memory != nil {
		s.memory.Configure([]byte(text))
		return
	}
	s.Must(os.MkdirAll(s.Root, 0o700))
	s.Must(os.WriteFile(s.File(backend.ConfigFile), []byte(text), 0o600))
	// Two changes within the grain of a file's time would look like one.
	s.Must(s.Close())
	s.Open()
}

// File returns the path of a file below the root.
func (s *Store) File(name string) string { return filepath.Join(s.Root, filepath.FromSlash(name)) }

// Write returns the write of a content on the word of a chat.
func Write(key, content string) mem.Write {
	return mem.Write{
		Key: keypath.MustParse(key), Content: []byte(content), Source: []byte(`"chat"`),
	}
}

// Put stores a content under a key.
func (s *Store) Put(key, content string) mem.Outcome {
	s.T.Helper()
	out, err := s.Set(context.Background(), mem.Caller{}, Write(key, content),
		mem.SetOptions{Force: true})
	s.Must(err)
	return out
}

// Remove deletes a key.
func (s *Store) Remove(key string) {
	s.T.Helper()
	_, _, err := s.Delete(context.Background(), mem.Caller{},
		[]keypath.Key{keypath.MustParse(key)}, nil)
	s.Must(err)
}

// Import stores an envelope of now under a key, which may be one that no write may name.
func (s *Store) Import(key, content string) {
	s.T.Helper()
	line := fmt.Sprintf(`{"key":%q,"ts":%q,"content":%s,"source":"chat"}`, key,
		log.StampOf(s.Clock), content)
	rep, err := s.SetAll(context.Background(), mem.Caller{}, strings.NewReader(line),
		mem.BatchOptions{Force: true})
	s.Must(err)
	if rep.Written != 1 {
		s.T.Fatalf("%s: %+v", key, rep)
	}
}

// Content returns what a key holds; "(none)" for nothing.
func (s *Store) Content(key string) string {
	s.T.Helper()
	rec, err := s.Get(context.Background(), mem.Caller{}, keypath.MustParse(key), false)
	if errors.Is(err, mem.ErrNotFound) {
		return none
	}
	s.Must(err)
	return string(rec.Content)
}

// Keys returns the keys of the live memories, with spaces between them.
func (s *Store) Keys() string {
	s.T.Helper()
	return strings.Join(slices.Sorted(maps.Keys(s.All())), " ")
}

// All returns the live memories as key and content.
func (s *Store) All() map[string]string {
	s.T.Helper()
	held := map[string]string{}
	see := func(rec log.Record) error {
		held[rec.Key.String()] = string(rec.Content)
		return nil
	}
	s.Must(s.List(context.Background(), mem.Caller{}, mem.Filter{}, see))
	return held
}

// Logged returns every line that was ever written, oldest first.
func (s *Store) Logged() string {
	s.T.Helper()
	var lines strings.Builder
	s.Must(s.Everything(context.Background(), func(rec log.Record) error {
		lines.Write(rec.Line)
		lines.WriteByte('\n')
		return nil
	}))
	return lines.String()
}

// Made reports whether the store was made: whether it has a root, or has anything.
func (s *Store) Made() bool {
	if s.memory != nil {
		return s.Logged() != ""
	}
	return s.Exists()
}

// Blob returns what a store has under a sum.
func Blob(s *mem.Store, sum string) (string, error) {
	f, err := s.OpenBlob(context.Background(), sum)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}
