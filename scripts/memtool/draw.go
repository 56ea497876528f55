package main

import (
	"math/rand/v2"
	"strings"
)

// command is one of the memory tool's, as a model sends it.
type command map[string]any

// drawer draws commands on few names and words, so that they meet.
type drawer struct{ *rand.Rand }

func pick[T any](d drawer, list ...T) T { return list[d.IntN(len(list))] }

var names = []string{"a", "b.md", "b", "日本", "node_modules", ".hidden", "a b", "%2e", "c@d", "😀"}

func (d drawer) path() string {
	switch d.IntN(20) {
	case 0:
		return "/memories"
	case 1:
		return pick(d, "/memories/", "/memories/../etc/passwd", "/memories/a/../../..", "memories",
			"/memories/a/../b", "/memoriesa", "/etc/passwd", "", "/memories//a", "/memories/b/",
			"/memories/%2e%2e/a", `/memories/..\a`)
	}
	path := "/memories"
	for range 1 + d.IntN(pick(d, 1, 1, 2, 4)) {
		path += "/" + pick(d, names[:pick(d, 2, 3, len(names))]...)
	}
	return path
}

var words = []string{"one", "two", "$&", "\t", "日本", "`x`", "😀", "\r", "", `"\`, "<&>"}

func (d drawer) text() string {
	if d.IntN(25) == 0 {
		return strings.Repeat("x", pick(d, 1, 1023, 1024, 1025, 1280, 1536, 2048, 5632, 10240+51))
	}
	if d.IntN(4) == 0 {
		return pick(d, "one\ntwo", "one one\ntwo\n", "no\none\ntwo\nx\n\n")
	}
	var b strings.Builder
	for range d.IntN(8) {
		b.WriteString(pick(d, words...))
		b.WriteString(pick(d, "", " ", "\n", "\n"))
	}
	return b.String()
}

// part returns what may stand in a text.
func (d drawer) part() string {
	return pick(d, pick(d, words...), pick(d, words...), "n", "x", "one two", "one\ntwo", "no")
}

func (d drawer) command() command {
	switch d.IntN(10) {
	case 0, 1, 2:
		return command{"command": "create", "path": d.path(), "file_text": d.text()}
	case 3, 4:
		c := command{"command": "view", "path": d.path()}
		if d.IntN(2) == 0 {
			c["view_range"] = []int{d.IntN(8) - 1, d.IntN(9) - 1}
		}
		return c
	case 5, 6:
		c := command{"command": "str_replace", "path": d.path(), "old_str": d.part()}
		if d.IntN(3) != 0 {
			c["new_str"] = d.text()
		}
		return c
	case 7:
		return command{"command": "insert", "path": d.path(), "insert_line": d.IntN(9) - 1,
			"insert_text": d.text()}
	case 8:
		return command{"command": "rename", "old_path": d.path(), "new_path": d.path()}
	}
	return command{"command": "delete", "path": d.path()}
}
