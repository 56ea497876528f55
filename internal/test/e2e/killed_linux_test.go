package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
)

// A compaction that is killed in the middle leaves its drafts; the next one removes them, and
// nobody who comes between finds anything wrong.
func TestDraftsOfAKilledProcess(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(buildMem(t), "mem")
	f := newStore(t)
	batch := new(bytes.Buffer)
	for i := range 8000 {
		fmt.Fprintf(batch, `{"key":"/k/%d","content":{"text":"memory %d of some length"},`+
			`"source":"chat"}`+"\n", i, i)
	}
	_, err := f.SetAll(ctx, mem.Caller{}, batch, mem.BatchOptions{})
	f.Must(err)
	f.Must(os.WriteFile(filepath.Join(f.Root, mem.ConfigFile),
		[]byte(`{"rotate":{"lines":10,"bytes":1000}}`), 0o600))
	for try := 0; len(drafted(t, f.Root)) == 0; try++ {
		if try == 100 {
			t.Fatal("no compaction could be killed while it had drafts")
		}
		killAtDraft(t, exec.Command(bin, "--root", f.Root, "compact", "--quiet"), f.Root)
	}
	if f.Content("/k/7") != `{"text":"memory 7 of some length"}` {
		t.Error(f.Content("/k/7"))
	}
	f.Put("/k/7", `"later"`)
	out, err := exec.Command(bin, "--root", f.Root, "compact").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if left := drafted(t, f.Root); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	if f.Content("/k/7") != `"later"` || f.Content("/k/8") == "(none)" {
		t.Error("something was lost")
	}
}

// killAtDraft runs a command and kills it as soon as there is a draft.
func killAtDraft(t *testing.T, cmd *exec.Cmd, root string) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
		if len(drafted(t, root)) > 0 {
			_ = cmd.Process.Kill()
			<-done
			return
		}
	}
}

// drafted returns the temporary files below a root.
func drafted(t *testing.T, root string) (list []string) {
	t.Helper()
	for _, dir := range []string{".", "archive", "cache"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if disk.IsTemp(e.Name()) && e.Type()&fs.ModeType == 0 {
				list = append(list, filepath.Join(dir, e.Name()))
			}
		}
	}
	return list
}
