package main

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, text string, parts ...string) {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func inode(t *testing.T, parts ...string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// A stand-in for compaction: it moves the log away, writes a state, and changes a file in place.
func TestRewindUndoesACompaction(t *testing.T) {
	root, saved := filepath.Join(t.TempDir(), "root"), filepath.Join(t.TempDir(), "saved")
	write(t, "line\n", root, "log.jsonl")
	write(t, "before", root, "watermark")
	write(t, "{}", root, "index", "a", "b.json")
	log, entry := inode(t, root, "log.jsonl"), inode(t, root, "index", "a", "b.json")
	if err := copyBesidesIndex(root, saved); err != nil {
		t.Fatal(err)
	}

	write(t, "state", root, "state.jsonl")
	write(t, "after!", root, "watermark")
	write(t, "", root, "archive", "x")
	if err := os.Rename(filepath.Join(root, "log.jsonl"), filepath.Join(root, "archive", "log_1.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := rewind(root, saved); err != nil {
		t.Fatal(err)
	}

	if got := readFile(filepath.Join(root, "watermark")); got != "before" {
		t.Errorf("the watermark holds %q", got)
	}
	if !os.SameFile(log, inode(t, root, "log.jsonl")) || !os.SameFile(entry, inode(t, root, "index", "a", "b.json")) {
		t.Error("the log and the index are not the files they were")
	}
	for _, gone := range []string{"state.jsonl", "archive"} {
		if _, err := os.Stat(filepath.Join(root, gone)); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", gone, err)
		}
	}
}

func TestSegmentsPutsTheLogLast(t *testing.T) {
	root := t.TempDir()
	if got, err := segments(root); err == nil {
		t.Errorf("a directory without a log has the segments %v", got)
	}
	write(t, "", root, "log.jsonl")
	write(t, "", root, "archive", "log_2.jsonl")
	got, err := segments(root)
	if err != nil || len(got) != 2 || filepath.Base(got[1]) != "log.jsonl" {
		t.Errorf("segments = %v, %v", got, err)
	}
}
