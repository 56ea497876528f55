//go:build linux

package e2e

// Console sessions. Each testdata/golden/*.sh is run by bash with the real binary in an empty
// directory of its own, and what a person would have seen is compared with the .out beside it. "go test -run Golden -update
// ./internal/test/e2e" writes the .out files anew.
//
// Lines of a script for this runner:
//
//	# needs: jq sha256sum      skip the script where one of these programs is absent
//	# fsck: dirty              the script leaves damage on purpose; else its stores pass mem fsck

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// later is when the stores that a script left are checked: what any of them wrote lies in the past
// by then, and a temporary file that it left behind is old enough to be found.
const later = "2036-01-01T00:00:00Z"

func TestGolden(t *testing.T) {
	bash := testkit.Program(t, "bash")
	bin := buildMem(t)
	scripts, err := filepath.Glob("testdata/golden/*.sh")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts in testdata/golden (%v)", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".sh"), func(t *testing.T) {
			t.Parallel()
			runGolden(t, bash, bin, script)
		})
	}
}

func runGolden(t *testing.T, bash, bin, script string) {
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range strings.Fields(directive(text, "needs")) {
		testkit.Program(t, tool)
	}
	home := homeFor(t, text)
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "-v", path)
	cmd.Dir, cmd.Env = home, sessionEnv(bin, home, "2026-02-22T10:00:00Z")
	// One pipe for both: the order is that of the writes.
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", script, err)
	}
	got := maskLetters(transcript(text, bytes.ReplaceAll(out, []byte(home), []byte("/home/you"))))
	compareGolden(t, strings.TrimSuffix(script, ".sh")+".out", got)
	if directive(text, "fsck") != "dirty" {
		fsckAll(t, bin, home)
	}
}

// homeFor returns an empty directory for a script: on a disk where doctor looks at it.
func homeFor(t *testing.T, script []byte) string {
	t.Helper()
	if bytes.Contains(script, []byte("doctor")) {
		return testkit.OnDisk(t)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return home
}

func sessionEnv(bin, home, now string) []string {
	return []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home,
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC", "MEM_NOW=" + now,
		"MEM_HOOK_DEADLINE=1m"}
}

// directive returns what a script says in a line "# name: value".
func directive(script []byte, name string) string {
	m := regexp.MustCompile(`(?m)^# ` + name + `: (.*)$`).FindSubmatch(script)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// transcript returns the session as a console would show it. bash -v prints each line as it reads
// it; here these lines get their prompt, so that what was typed and what was answered can be told
// apart.
func transcript(script, out []byte) []byte {
	var b strings.Builder
	typed := strings.SplitAfter(string(script), "\n")
	prompt, end := "$ ", ""
	for line := range strings.SplitAfterSeq(string(out), "\n") {
		switch {
		case len(typed) == 0 || line != typed[0] || line == "":
			b.WriteString(line)
			continue
		case end == "" && prompt == "$ " && (line == "\n" || line[0] == '#'):
			b.WriteString(line)
		default:
			b.WriteString(prompt + line)
		}
		typed = typed[1:]
		prompt, end = next(line, end)
	}
	return []byte(b.String())
}

// letteredID matches an id of a note with letters, which are others each time, and the sum in the
// name of its file.
var letteredID = regexp.MustCompile(`\b([mu]-[1-9][0-9]*)-[a-z]{4}(?:[a-z]{2})?\b(?:(@)[0-9a-f]{6}\b)?`)

// maskLetters returns a transcript that is the same whatever letters notes have got.
func maskLetters(text []byte) []byte {
	return bytes.ReplaceAll(letteredID.ReplaceAll(text, []byte("$1-xxxxxx$2")),
		[]byte("-xxxxxx@"), []byte("-xxxxxx@xxxxxx"))
}

var heredoc = regexp.MustCompile(`<<'?(EOF)`)

// next returns the prompt after a line, and the word that ends the here-document it stands in.
func next(line, end string) (string, string) {
	line = strings.TrimSuffix(line, "\n")
	if m := heredoc.FindStringSubmatch(line); m != nil {
		end = m[1]
	} else if line == end {
		end = ""
	}
	if end != "" || strings.HasSuffix(line, `\`) || strings.HasSuffix(line, "|") ||
		strings.HasSuffix(line, "{") || strings.HasSuffix(line, " do") ||
		strings.HasPrefix(line, "  ") {
		return "> ", end
	}
	return "$ ", end
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v (go test -run Golden -update . writes it)", err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			wanted := "(nothing more)"
			if i < len(w) {
				wanted = w[i]
			}
			t.Errorf("%s:%d differs\n got %s\nwant %s", name, i+1, g[i], wanted)
			return
		}
	}
	t.Errorf("%s: ends after line %d, want %d lines", name, len(g), len(w))
}

// fsckAll checks every store that a script left.
func fsckAll(t *testing.T, bin, home string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "log.jsonl" {
			return err
		}
		root := filepath.Dir(path)
		fsck := func() (string, error) {
			cmd := exec.Command(filepath.Join(bin, "mem"), "--root", root, "fsck")
			cmd.Dir, cmd.Env = home, sessionEnv(bin, home, later)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		out := ""
		// A compaction that a write began may be at work still: its drafts look old by then.
		testkit.WaitFor(t, "the end of a compaction in "+root, func() bool {
			out, err = fsck()
			return err == nil || !onlyDrafts(out)
		})
		if err != nil {
			t.Errorf("mem fsck of %s: %v\n%s", root, err, out)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// onlyDrafts reports whether fsck has found temporary files, and nothing else.
func onlyDrafts(out string) (are bool) {
	for line := range strings.Lines(out) {
		isDraft := strings.HasPrefix(line, "F14 ")
		if are = are || isDraft; strings.HasPrefix(line, "F") && !isDraft {
			return false
		}
	}
	return are
}
