package memtool_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/memtool"
	"pgregory.net/rapid"
)

// What is stored after any commands is what a map of paths to texts has, whose answers are worked
// out in the plainest way.
func TestAgainstMap(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		tool := memtool.New(s.Store, mem.Caller{}, nil)
		rapid.Check(t, func(t *rapid.T) {
			clear := `{"command":"delete","path":"/memories/%s"}`
			for _, name := range names {
				_, _ = tool.Call(ctx, fmt.Appendf(nil, clear, name)) // it may not be there
			}
			files := model{}
			for range rapid.IntRange(1, 25).Draw(t, "commands") {
				command := draw(t)
				doc, _ := json.Marshal(command)
				text, err := tool.Call(ctx, doc)
				if ok := files.run(command); ok != (err == nil) {
					t.Fatalf("%s: %q, want ok: %v", doc, text, ok)
				}
			}
			held := model{}
			for path, stored := range s.All() {
				held[path] = content.Parse([]byte(stored)).Text
			}
			if !maps.Equal(files, held) {
				t.Fatalf("%q, want %q", held, files)
			}
		})
	})
}

var names = []string{"a", "b", "c"}

// draw returns a command on few names and letters, so that they meet.
func draw(t *rapid.T) map[string]any {
	path := rapid.Custom(func(t *rapid.T) string {
		return "/memories/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).
			Draw(t, "names"), "/")
	})
	text := rapid.StringOfN(rapid.SampledFrom([]rune("xy\n")), 0, 6, -1)
	at := func() string { return path.Draw(t, "path") }
	switch rapid.IntRange(0, 5).Draw(t, "command") {
	case 0, 1:
		return map[string]any{"command": "create", "path": at(), "file_text": text.Draw(t, "text")}
	case 2:
		return map[string]any{"command": "str_replace", "path": at(),
			"old_str": text.Draw(t, "old"), "new_str": text.Draw(t, "new")}
	case 3:
		return map[string]any{"command": "insert", "path": at(),
			"insert_line": rapid.IntRange(-1, 4).Draw(t, "line"),
			"insert_text": text.Draw(t, "text")}
	case 4:
		return map[string]any{"command": "delete", "path": at()}
	}
	return map[string]any{"command": "rename", "old_path": at(), "new_path": at()}
}

// model is the texts of files by their paths.
type model map[string]string

// run runs a command, if it may be done.
func (m model) run(c map[string]any) (ok bool) {
	path, _ := c["path"].(string)
	text, isFile := m[path]
	switch c["command"] {
	case "create":
		if ok = m.free(path); ok {
			m[path] = c["file_text"].(string)
		}
	case "str_replace":
		old := c["old_str"].(string)
		ok = isFile && old != "" && strings.Contains(text, old) &&
			strings.Index(text, old) == strings.LastIndex(text, old)
		if ok {
			m[path] = strings.Replace(text, old, c["new_str"].(string), 1)
		}
	case "insert":
		lines, at := strings.SplitAfter(text+"\n", "\n"), c["insert_line"].(int)
		if ok = isFile && at >= 0 && at < len(lines); ok {
			added := strings.TrimSuffix(c["insert_text"].(string), "\n") + "\n"
			all := strings.Join(lines[:at], "") + added + strings.Join(lines[at:], "")
			m[path] = strings.TrimSuffix(all, "\n")
		}
	case "delete":
		for name := range m {
			if within(name, path) {
				delete(m, name)
				ok = true
			}
		}
	case "rename":
		return m.rename(c["old_path"].(string), c["new_path"].(string))
	}
	return ok
}

// free reports whether a path can become a file or a directory.
func (m model) free(path string) bool {
	for name := range m {
		if within(name, path) || within(path, name) {
			return false
		}
	}
	return true
}

func (m model) rename(from, to string) bool {
	if !m.free(to) || within(to, from) {
		return false
	}
	moved := model{}
	for name, text := range m {
		if within(name, from) {
			moved[to+name[len(from):]] = text
			delete(m, name)
		}
	}
	for name, text := range moved {
		m[name] = text
	}
	return len(moved) > 0
}

// within reports whether a path is that of a directory or below it.
func within(path, dir string) bool { return strings.HasPrefix(path+"/", dir+"/") }
