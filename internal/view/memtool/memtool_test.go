package memtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/memtool"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// fixture is a store under test with the tool of an agent.
type fixture struct {
	*storetest.Store
	tool *memtool.Tool
}

func onEach(t *testing.T, test func(*fixture)) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		test(&fixture{s, memtool.New(s.Store, mem.Caller{Agent: "ada"}, nil)})
	})
}

// call runs a command given as JSON with ' for ".
func (f *fixture) call(command string) string {
	text, _ := f.tool.Call(ctx, []byte(strings.ReplaceAll(command, "'", `"`)))
	return text
}

// create stores a file.
func (f *fixture) create(path, text string) {
	f.T.Helper()
	doc, _ := json.Marshal(map[string]string{"command": "create", "path": path, "file_text": text})
	_, err := f.tool.Call(ctx, doc)
	f.Must(err)
}

// step is a command and the answer that it gets.
type step struct{ command, answer string }

func (f *fixture) steps(list []step) {
	f.T.Helper()
	for _, s := range list {
		if got := f.call(s.command); got != s.answer {
			f.T.Errorf("%s:\ngot:  %q\nwant: %q", s.command, got, s.answer)
		}
	}
}

const header = "Here're the files and directories up to 2 levels deep in %s, excluding hidden " +
	"items and node_modules:\n"

// The answers of the documentation, word for word.
func TestAnswersOfTheDocumentation(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.steps([]step{
			{`{'command':'view','path':'/memories'}`, fmt.Sprintf(header, "/memories") +
				"0B\t/memories"},
			{`{'command':'view','path':'/memories/no'}`,
				"The path /memories/no does not exist. Please provide a valid path."},
			{`{'command':'create','path':'/memories/a.txt','file_text':'one\ntwo\none\n'}`,
				"File created successfully at: /memories/a.txt"},
			{`{'command':'create','path':'/memories/a.txt','file_text':''}`,
				"Error: File /memories/a.txt already exists"},
			{`{'command':'view','path':'/memories/a.txt'}`,
				"Here's the content of /memories/a.txt with line numbers:\n" +
					"     1\tone\n     2\ttwo\n     3\tone\n     4\t"},
			{`{'command':'view','path':'/memories/a.txt','view_range':[2,3]}`,
				"Here's the content of /memories/a.txt with line numbers:\n" +
					"     2\ttwo\n     3\tone"},
			{`{'command':'str_replace','path':'/memories/a.txt','old_str':'two','new_str':'2'}`,
				"The memory file has been edited. Here is the snippet showing the change " +
					"(with line numbers):\n     1\tone\n     2\t2\n     3\tone\n     4\t"},
			{`{'command':'str_replace','path':'/memories/no','old_str':'two','new_str':'2'}`,
				"Error: The path /memories/no does not exist. Please provide a valid path."},
			{`{'command':'str_replace','path':'/memories/a.txt','old_str':'two','new_str':'2'}`,
				"No replacement was performed, old_str `two` did not appear verbatim in " +
					"/memories/a.txt."},
			{`{'command':'str_replace','path':'/memories/a.txt','old_str':'one','new_str':'2'}`,
				"No replacement was performed. Multiple occurrences of old_str `one` in lines: " +
					"1, 3. Please ensure it is unique"},
			{`{'command':'insert','path':'/memories/a.txt','insert_line':1,'insert_text':'new\n'}`,
				"The file /memories/a.txt has been edited."},
			{`{'command':'view','path':'/memories/a.txt','view_range':[1,-1]}`,
				"Here's the content of /memories/a.txt with line numbers:\n" +
					"     1\tone\n     2\tnew\n     3\t2\n     4\tone\n     5\t"},
			{`{'command':'insert','path':'/memories/a.txt','insert_line':9,'insert_text':''}`,
				"Error: Invalid `insert_line` parameter: 9. It should be within the range of " +
					"lines of the file: [0, 5]"},
			{`{'command':'insert','path':'/memories/no','insert_line':0,'insert_text':''}`,
				"Error: The path /memories/no does not exist"},
			{`{'command':'rename','old_path':'/memories/a.txt','new_path':'/memories/b/c'}`,
				"Successfully renamed /memories/a.txt to /memories/b/c"},
			{`{'command':'rename','old_path':'/memories/a.txt','new_path':'/memories/d'}`,
				"Error: The path /memories/a.txt does not exist"},
			{`{'command':'rename','old_path':'/memories/no','new_path':'/memories/b'}`,
				"Error: The destination /memories/b already exists"},
			{`{'command':'delete','path':'/memories/no'}`,
				"Error: The path /memories/no does not exist"},
			{`{'command':'delete','path':'/memories/b'}`, "Successfully deleted /memories/b"},
			{`{'command':'view','path':'/memories/b'}`,
				"The path /memories/b does not exist. Please provide a valid path."},
		})
	})
}

func TestDirectories(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.create("/memories/b.md", strings.Repeat("x", 1280))
		f.create("/memories/b/deep/er/x", "12345")
		f.create("/memories/b/.hidden", "1")
		f.create("/memories/b/node_modules/x", "1")
		f.create("/memories/b/a b.txt", strings.Repeat("x", 1024))
		f.create("/memories/.git/x", "1")
		f.create("/memories/Zürich", "")
		f.steps([]step{
			{`{'command':'view','path':'/memories'}`, fmt.Sprintf(header, "/memories") +
				"2.3K\t/memories\n0B\t/memories/Zürich\n1.0K\t/memories/b/\n" +
				"1K\t/memories/b/a b.txt\n5B\t/memories/b/deep/\n1.3K\t/memories/b.md"},
			{`{'command':'view','path':'/memories/b/'}`, fmt.Sprintf(header, "/memories/b/") +
				"1.0K\t/memories/b/\n1K\t/memories/b/a b.txt\n5B\t/memories/b/deep/\n" +
				"5B\t/memories/b/deep/er/"},
			{`{'command':'str_replace','path':'/memories/b','old_str':'x','new_str':''}`,
				"Error: The path /memories/b does not exist. Please provide a valid path."},
			{`{'command':'insert','path':'/memories','insert_line':0,'insert_text':''}`,
				"Error: The path /memories does not exist"},
			{`{'command':'create','path':'/memories/b','file_text':''}`,
				"Error: File /memories/b already exists"},
			{`{'command':'create','path':'/memories','file_text':''}`,
				"Error: File /memories already exists"},
			{`{'command':'create','path':'/memories/b.md/c/d','file_text':''}`,
				"Error: The path /memories/b.md is a file, not a directory"},
			{`{'command':'rename','old_path':'/memories/b','new_path':'/memories/b/c'}`,
				"Error: Cannot move /memories/b into itself"},
			{`{'command':'rename','old_path':'/memories/Zürich','new_path':'/memories/b.md/z'}`,
				"Error: The path /memories/b.md is a file, not a directory"},
			{`{'command':'rename','old_path':'/memories/b.md','new_path':'/memories'}`,
				"Error: The destination /memories already exists"},
			{`{'command':'rename','old_path':'/memories','new_path':'/memories/b'}`,
				"Error: Cannot rename the /memories directory itself"},
			{`{'command':'delete','path':'/memories/'}`,
				"Error: Cannot delete the /memories directory itself"},
			{`{'command':'rename','old_path':'/memories/b','new_path':'/memories/n/b'}`,
				"Successfully renamed /memories/b to /memories/n/b"},
			{`{'command':'view','path':'/memories/n/b/deep/er/x'}`,
				"Here's the content of /memories/n/b/deep/er/x with line numbers:\n     1\t12345"},
			{`{'command':'view','path':'/memories/b'}`,
				"The path /memories/b does not exist. Please provide a valid path."},
		})
	})
}

func TestReplacesOneOccurrence(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.create("/memories/a", "aa\naa aa\nb\nc\nd\ne")
		f.steps([]step{
			{`{'command':'str_replace','path':'/memories/a','old_str':'aa','new_str':''}`,
				"No replacement was performed. Multiple occurrences of old_str `aa` in lines: " +
					"1, 2. Please ensure it is unique"},
			{`{'command':'str_replace','path':'/memories/a','old_str':'','new_str':'x'}`,
				"No replacement was performed, old_str `` did not appear verbatim in /memories/a."},
			{`{'command':'str_replace','path':'/memories/a','old_str':'aa aa\nb\n'}`,
				"The memory file has been edited. Here is the snippet showing the change " +
					"(with line numbers):\n     1\taa\n     2\tc\n     3\td\n     4\te"},
		})
		f.create("/memories/b", "aaa")
		f.steps([]step{{`{'command':'str_replace','path':'/memories/b','old_str':'aa','new_str':''}`,
			"No replacement was performed. Multiple occurrences of old_str `aa` in lines: 1. " +
				"Please ensure it is unique"}})
	})
}

func TestRangesThatHoldNoLine(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.create("/memories/a", "1\n2\n3")
		for _, r := range []string{"[4,5]", "[3,2]", "[1,0]", "[2,-2]", "[4,-1]"} {
			want := "Error: Invalid `view_range` parameter: " + strings.Replace(r, ",", ", ", 1) +
				". It should be within the range of lines of the file: [1, 3]"
			f.steps([]step{{`{'command':'view','path':'/memories/a','view_range':` + r + `}`, want}})
		}
		f.steps([]step{
			{`{'command':'view','path':'/memories/a','view_range':[-7,1]}`,
				"Here's the content of /memories/a with line numbers:\n     1\t1"},
			{`{'command':'view','path':'/memories/a','view_range':[3,99]}`,
				"Here's the content of /memories/a with line numbers:\n     3\t3"},
			{`{'command':'view','path':'/memories/a','view_range':[3]}`,
				"Error: Invalid `view_range` parameter. It should be [start_line, end_line], or " +
					"[start_line, -1] for the rest of the file"},
		})
	})
}

func TestNoWayOut(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.Put("/user/secret", `{"text":"hidden"}`)
		for _, path := range []string{"", "/", "/user/secret", "memories/a", "/memoriesa",
			"/Memories/a", "/memories/../user/secret", "/memories/a/..", `/memories/..\\user`,
			"/memories/%2e%2e/user/secret", "/memories/%2E%2e%2Fuser", "/memories/%252e%252e/user",
			`/memories/a%5c..%5cb`, "/memories/./a", "/memories/a\u0001", "/memories/a\u202e",
			"/memories/a\u200bb", "/memories/ a"} {
			for _, command := range []string{"'create','file_text':'x','path'", "'delete','path'",
				"'rename','old_path':'/memories/a','new_path'"} {
				f.call(`{'command':'create','path':'/memories/a','file_text':'x'}`)
				got := f.call(`{'command':` + command + `:'` + path + `'}`)
				if !strings.HasPrefix(got, "Error: ") {
					f.T.Errorf("%s %q: %s", command, path, got)
				}
			}
		}
		if all := f.All(); len(all) != 2 || f.Content("/user/secret") != `{"text":"hidden"}` {
			f.T.Errorf("%v", all)
		}
	})
}

// Any name that shows is a file of its own.
func TestNamesAreApart(t *testing.T) {
	onEach(t, func(f *fixture) {
		names := []string{"a", "A", "a.", "a.json", "a@b", "a%20b", "a b", "..a", "a..", "...",
			".hidden", "-rf", "CON", "con.md", "ä", "日本", "a~", "😀", "q?*", `a\\b`, "a:b",
			strings.Repeat("n", 255), strings.Repeat("n", 254) + "m"}
		for _, name := range names {
			f.create("/memories/"+name, name)
		}
		for _, name := range names {
			got := f.call(`{'command':'view','path':'/memories/` +
				strings.ReplaceAll(name, `\`, `\\`) + `'}`)
			if !strings.HasSuffix(got, "\n     1\t"+name) {
				f.T.Errorf("%q: %s", name, got)
			}
		}
		f.create("/memories/u\u0308", "one file in two spellings")
		f.steps([]step{{`{'command':'create','path':'/memories/ü','file_text':''}`,
			"Error: File /memories/ü already exists"}})
	})
}

func TestPolicyHolds(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.create("/memories/a", "b")
		secret := "AKIA" + "QYLPMN5HHHFPZAM2"
		large := strings.Repeat("x", policy.MaxContent)
		for _, c := range []struct {
			command, start string
			is             error
		}{
			{`{'command':'create','path':'/memories/s','file_text':'id ` + secret + `'}`,
				"Error: secret", policy.ErrSecret},
			{`{'command':'str_replace','path':'/memories/a','old_str':'b','new_str':'` + secret +
				`'}`, "Error: secret", policy.ErrSecret},
			{`{'command':'insert','path':'/memories/a','insert_line':0,'insert_text':'` + large +
				`'}`, "Error: content", policy.ErrTooLarge},
			{`{'command':'create','path':'/memories/s'}`, "Error: command: ", mem.ErrInput},
			{`{'command':'create','path':'/memories/s','file_text':7}`, "Error: command: ",
				mem.ErrInput},
			{`{'command':'undo_edit','path':'/memories/a'}`, "Error: command: ", mem.ErrInput},
			{`{'command':'insert','path':'/memories/a','insert_line':0}`, "Error: command: ",
				mem.ErrInput},
			{`[]`, "Error: command: ", mem.ErrInput},
			{`{`, "Error: command: ", nil},
			{`{'command':'create','path':'/memories/s','file_text':'\ud800'}`, "Error: command: ",
				nil},
		} {
			text, err := f.tool.Call(ctx, []byte(strings.ReplaceAll(c.command, "'", `"`)))
			wrong := err == nil || c.is != nil && !errors.Is(err, c.is)
			if wrong || !strings.HasPrefix(text, c.start) {
				f.T.Errorf("%.80s: %.200s (%v)", c.command, text, err)
			}
			if strings.Contains(text, secret) {
				f.T.Errorf("it tells the secret: %s", text)
			}
		}
		if all := f.All(); len(all) != 1 || f.Content("/memories/a") != `{"type":"file","text":"b"}` {
			f.T.Errorf("%v", all)
		}
	})
}

// What other verbs have stored below /memories is a file, and keeps what it is besides its text.
func TestFilesOfOtherVerbs(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.Put("/memories", `{"text":"no file"}`)
		f.Put("/memories/tagged", `{"tags":["x"],"text":"a\nb","created_at":"2020-01-01T00:00:00Z"}`)
		f.Put("/memories/text", `"a b"`)
		f.Put("/memories/other", `{"port":3306}`)
		f.Put("/memories/old", `{"text":"over","expired_at":"2020-01-01T00:00:00Z"}`)
		f.steps([]step{
			{`{'command':'view','path':'/memories'}`, fmt.Sprintf(header, "/memories") +
				"19B\t/memories\n13B\t/memories/other\n3B\t/memories/tagged\n3B\t/memories/text"},
			{`{'command':'view','path':'/memories/old'}`,
				"The path /memories/old does not exist. Please provide a valid path."},
			{`{'command':'create','path':'/memories/old','file_text':'new'}`,
				"File created successfully at: /memories/old"},
			{`{'command':'insert','path':'/memories/tagged','insert_line':2,'insert_text':'c'}`,
				"The file /memories/tagged has been edited."},
			{`{'command':'insert','path':'/memories/text','insert_line':0,'insert_text':'c'}`,
				"The file /memories/text has been edited."},
			{`{'command':'str_replace','path':'/memories/other','old_str':'3306','new_str':'7'}`,
				"The memory file has been edited. Here is the snippet showing the change " +
					"(with line numbers):\n     1\t{\"port\":7}"},
		})
		for key, want := range map[string]string{
			"/memories":        `{"text":"no file"}`,
			"/memories/old":    `{"type":"file","text":"new"}`,
			"/memories/tagged": `{"tags":["x"],"text":"a\nb\nc"}`,
			"/memories/text":   `{"type":"file","text":"c\na b"}`,
			"/memories/other":  `{"type":"file","text":"{\"port\":7}"}`,
		} {
			if got := f.Content(key); got != want {
				f.T.Errorf("%s: %s, want %s", key, got, want)
			}
		}
	})
}

func TestSourcesAndTimes(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.create("/memories/a", "x")
		made := f.record("/memories/a")
		f.Clock = f.Clock.Add(time.Hour)
		bob := memtool.New(f.Store.Store, mem.Caller{}, []byte(`{"kind":"agent","name":"bob"}`))
		_, err := bob.Call(ctx, []byte(
			`{"command":"rename","old_path":"/memories/a","new_path":"/memories/b"}`))
		f.Must(err)
		want := `{"kind":"agent","name":"ada","retrieved_at":"2026-02-22T12:00:00.000000Z",` +
			`"locator":{"tool":"memory"}}`
		moved := f.record("/memories/b")
		if got := string(moved.Source); got != want || got != string(made.Source) {
			f.T.Errorf("%s", got)
		}
		if got, want := string(moved.Content), `{"type":"file","text":"x","created_at":"`+
			made.TS.String()+`"}`; got != want {
			f.T.Errorf("%s", got)
		}
		gone, err := f.History(ctx, mem.Caller{}, keypath.MustParse("/memories/a"))
		f.Must(err)
		for rec, err := range gone.Rows {
			f.Must(err)
			if got := string(rec.Source); got != `{"kind":"agent","name":"bob"}` {
				f.T.Errorf("the tombstone is from %s", got)
			}
			break // it is the newest
		}
		f.call(`{'command':'insert','path':'/memories/b','insert_line':0,'insert_text':'y'}`)
		if got := f.Content("/memories/b"); got != `{"type":"file","text":"y\nx"}` {
			f.T.Errorf("%s", got)
		}
	})
}

func (f *fixture) record(key string) log.Record {
	f.T.Helper()
	rec, err := f.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
	f.Must(err)
	return rec.Clone()
}
