package backend_test

import (
	"os"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
)

// A line behind one that a full disk has cut is a line of its own.
func TestAppendLineBehindACutOne(t *testing.T) {
	dir, err := disk.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, line := range []string{"one\n", "tw", "three\n"} {
		if err := backend.AppendLine(dir, "ops.jsonl", []byte(line), 100); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(dir.Join("ops.jsonl"))
	if want := "one\ntw\nthree\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
}
