package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No answer to a write that is refused, nor to any other mistake, repeats a credential of a known
// kind: not its error, not its hint, and not the error as JSON.
func TestErrorsRepeatNoCredential(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "rule", "secret", "testdata", "further.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("MEM_ROOT", t.TempDir()+"/memory")
	t.Chdir(t.TempDir())
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var l struct {
			Want, Kind, Text string
			Secret           []string
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Want == "refuse" {
			n++
			repeatsNone(t, l.Kind, l.Text, l.Secret[0])
		}
	}
	if n < 61 {
		t.Errorf("%d kinds", n)
	}
}

// repeatsNone checks the answers to a text with a secret where a verb takes a text, a key, JSON, a
// number or a time. A URL is no key: of several slashes a key keeps one.
func repeatsNone(t *testing.T, kind, text, secret string) {
	t.Helper()
	calls := [][]string{{"note", text}, {"set", "/a", "--text", text, "-s", "x"},
		{"set", "/a", text, "-s", "x"}, {"set", "/a", "1", "-s", secret},
		{"ls", "--limit", secret}, {"search", "--since", secret, "x"},
		{"note", "--scope", secret, "x"}, {secret}, {"set", "/a", "@" + secret, "-s", "x"},
		{"set", "/a", "--text", "x", "-s", "x", "--expires", secret},
		{"remember", text}, {"decide", text}}
	if !strings.Contains(secret, "//") {
		calls = append(calls, []string{"set", "/" + secret, "1", "-s", "x"},
			[]string{"get", "/" + secret}, []string{"get", secret}, []string{"forget", secret},
			[]string{"undo", secret}, []string{"pin", secret}, []string{"rm", "/" + secret},
			[]string{"forget", "/" + secret, "/none"}, []string{"pin", "/" + secret},
			[]string{"touch", "/" + secret, "--importance", "1"})
	}
	for _, args := range calls {
		for _, more := range [][]string{nil, {"--json"}} {
			var out, stderr bytes.Buffer
			exit := Run(append(args, more...), strings.NewReader(""), &out, &stderr, testBuild)
			if exit == 0 {
				t.Errorf("%s: %q works", kind, args)
			}
			if repeats(out.String()+stderr.String(), secret) {
				t.Errorf("%s: %q repeats it: %s%s", kind, args, &out, &stderr)
			}
		}
	}
}

// repeats reports whether an answer has twelve characters of a word of a secret; of a URL these
// must be among its last, since the others are its host.
func repeats(answer, secret string) bool {
	for part := range strings.FieldsSeq(secret) {
		from := 0
		if strings.Contains(part, "://") {
			from = len(part) - 14
		}
		for ; from+12 <= len(part); from++ {
			if strings.Contains(answer, part[from:from+12]) {
				return true
			}
		}
	}
	return false
}
