package cli

import (
	"bytes"
	"strings"
	"testing"
)

// No verb repeats a part of what was taken for a flag, or for the value of one, and may be a
// secret: here a private key that was cut off, and words that no rule knows.
func TestErrorsRepeatNoText(t *testing.T) {
	const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\nQyNTUx"
	const words = "-my very first dog was named Rex\nQyNTUx"
	t.Setenv("HOME", t.TempDir())
	t.Setenv("MEM_ROOT", t.TempDir()+"/memory")
	t.Chdir(t.TempDir())
	says := func(args ...string) string {
		var out, stderr bytes.Buffer
		exit := Run(args, strings.NewReader(""), &out, &stderr, testBuild)
		if exit == 0 && args[0] != "hook" { // which never fails
			t.Errorf("%q works", args)
		}
		return out.String() + stderr.String()
	}
	for _, v := range verbs {
		if v.build == nil {
			continue
		}
		for _, arg := range []string{key, words, "--" + words, "-q" + key} {
			text := says(v.name, arg)
			for _, part := range []string{"b3Bl", "QyNT", "first dog"} {
				if strings.Contains(text, part) {
					t.Errorf("%s %q repeats it: %s", v.name, arg, text)
				}
			}
		}
	}
	for _, args := range [][]string{{"ls", "--limit", key}, {"ls", "--limit", words[1:]}, {key},
		{"set", "/a", "--importance", key, "-s", "x"}, {"note", "--scope", key, "x"},
		{"search", "--since", key, "x"}, {"set", "--lock-timeout", words, "/a", "1"}} {
		text := says(args...)
		for _, part := range []string{"b3Bl", "QyNT", "first dog"} {
			if strings.Contains(text, part) {
				t.Errorf("%q repeats it: %s", args, text)
			}
		}
	}
	if text := says("ls", "--limit", "many"); !strings.Contains(text, `"many"`) {
		t.Errorf("a word is not repeated: %s", text)
	}
}
