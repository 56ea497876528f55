package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	_ "github.com/set-memory/mem/internal/test/testkit" // has the directories of tests
	"github.com/set-memory/mem/keypath"
)

// The floor writes a log and an index of whole records, and refuses a secret.
func TestRun(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	lines := `{"key":"/a/b","content":{"text":"x"},"source":"s"}` + "\n" +
		`{"key":"/a/c","content":1,"source":"s"}`
	if err := run(root, strings.NewReader(lines)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "log.jsonl"))
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%q, %v", text, err)
	}
	dir, err := disk.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	tree, err := index.Open(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, name := range []string{"/a/b", "/a/c"} {
		key, err := keypath.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := tree.Get(key)
		if err != nil || !strings.Contains(string(text), string(rec.Line)+"\n") {
			t.Errorf("%s: %q, %v", name, rec.Line, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	key := "ghp_" + strings.Repeat("a1B2", 9)
	err = run(root, strings.NewReader(`{"key":"/k","content":{"token":"`+key+`"},"source":"s"}`))
	if !errors.Is(err, errSecret) {
		t.Error(err)
	}
}
