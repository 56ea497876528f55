package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/policy"
)

// endless is an input that never ends, and counts what was read of it.
type endless struct {
	letter byte
	read   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 1<<30 {
		panic("a gigabyte was read of an endless input")
	}
	for i := range p {
		p[i] = e.letter
	}
	e.read += len(p)
	return len(p), nil
}

// What has a limit is read to it and not to its end, which may never come.
func TestInputIsReadToItsLimit(t *testing.T) {
	root := filepath.Join(t.TempDir(), "memory")
	t.Setenv("MEM_ROOT", root)
	for _, c := range []struct {
		args  []string
		limit int // which the error names
		most  int // that may be read
	}{
		{[]string{"set", "/k", "-", "-s", "t"}, policy.MaxContent, 4 << 20},
		{[]string{"set", "/k", "1", "-s", "-"}, policy.MaxSource, 1 << 20},
		{[]string{"set", "/k", "1", "--kind", "web", "--locator", "-"}, policy.MaxSource, 1 << 20},
		{[]string{"note", "-"}, policy.MaxNote, 1 << 20},
		{[]string{"read", "--query", "-"}, policy.MaxContent, 4 << 20},
		{[]string{"set", "-", "-s", "t"}, policy.MaxBatchLine, 128 << 20},
		{[]string{"set", "-", "-s", "t", "--keep-going"}, policy.MaxBatchLine, 128 << 20},
		{[]string{"import", "-"}, policy.MaxBatchLine, 128 << 20},
	} {
		var out, stderr bytes.Buffer
		in := &endless{letter: 'x'}
		exit := Run(c.args, in, &out, &stderr, testBuild)
		said := stderr.String()
		message, _, _ := strings.Cut(said, "mem: hint: ")
		wrong := strings.Count(message, "\n") != 1 || !strings.Contains(said, "too large") ||
			!strings.Contains(said, fmt.Sprintf("at most %d", c.limit))
		stored := strings.TrimSuffix(out.String(), "0 written\n") // the answer of --keep-going
		if exit != exitRefused || stored != "" || wrong {
			t.Errorf("%v: exit %d, %q, %.300q", c.args, exit, out.String(), said)
		}
		if in.read > c.most {
			t.Errorf("%v: %d bytes were read", c.args, in.read)
		}
		if _, err := os.Stat(filepath.Join(root, "log.jsonl")); err == nil {
			t.Fatalf("%v: something was stored", c.args)
		}
	}
}

// At the limit all is read; a byte order mark, and the newlines after a note, do not count.
func TestInputAtItsLimit(t *testing.T) {
	t.Setenv("MEM_ROOT", filepath.Join(t.TempDir(), "memory"))
	content := `"` + strings.Repeat("x", policy.MaxContent-2) + `"`
	source := `"` + strings.Repeat("y", policy.MaxSource-2) + `"`
	const mark = "\ufeff"
	answered(t, mark+content, "set", "/stdin", "-", "-s", "t")
	file := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(file, []byte(mark+content), 0o600); err != nil {
		t.Fatal(err)
	}
	answered(t, mark+source, "set", "/file", "@"+file, "-s", "-")
	answered(t, strings.Repeat("牙", policy.MaxNote)+"\r\n\n", "note", "-")
}

// A line that is too long does not keep the lines after it from being read, if it has an end.
func TestLineThatIsTooLong(t *testing.T) {
	t.Setenv("MEM_ROOT", filepath.Join(t.TempDir(), "memory"))
	batch := `{"key":"/a","content":1}` + "\n" + strings.Repeat("x", 3<<20) + "\n" +
		`{"key":"/b","content":2}` + "\n"
	var out, stderr bytes.Buffer
	args := []string{"set", "-", "-s", "t", "--keep-going"}
	exit := Run(args, strings.NewReader(batch), &out, &stderr, testBuild)
	want := "mem: line 2: line: too large: 3145728 bytes, at most 2097152\n"
	if exit != exitRefused || out.String() != "2 written, 1 refused\n" || stderr.String() != want {
		t.Errorf("exit %d, %q, %q", exit, out.String(), stderr.String())
	}
}
