package main

import (
	"os"
	"regexp"
	"testing"
)

// The README of an archive has no link to a file that the archive lacks.
func TestAbsoluteLinks(t *testing.T) {
	const at = "https://github.com/set-memory/mem/blob/v1.2.3/"
	for text, want := range map[string]string{
		"a [b](docs/c.md#d) e":              "a [b](" + at + "docs/c.md#d) e",
		"![p](docs/p.png)":                  "![p](" + at + "docs/p.png?raw=true)",
		"[x](https://e.example/y), [z](#w)": "[x](https://e.example/y), [z](#w)",
		"f(x) [0] (y)":                      "f(x) [0] (y)",
	} {
		if got := string(absoluteLinks([]byte(text), "1.2.3")); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	relative := regexp.MustCompile(`\]\([^)#:]+[)#]`)
	if left := relative.Find(absoluteLinks(readme, "1.2.3")); left != nil {
		t.Errorf("it has %s", left)
	}
}
