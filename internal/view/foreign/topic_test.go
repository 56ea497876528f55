package foreign_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/keypath"
	"pgregory.net/rapid"
)

func TestReadTopic(t *testing.T) {
	for _, tt := range []struct{ what, name, text, key, content string }{
		{"all fields", "a.md", "---\nname: A\ndescription: about a\ntype: user\n---\n\nBody.\n",
			"/claude/a", `{"type":"user","summary":"about a","title":"A","text":"Body."}`},
		{"no head", "notes.MD", "# Notes\n\n- one\n", "/claude/notes",
			`{"text":"# Notes\n\n- one"}`},
		{"empty", "a.md", "", "/claude/a", `{}`},
		{"empty body", "a.md", "---\nname: A\n---\n", "/claude/a", `{"title":"A"}`},
		{"no end mark", "a.md", "---\nname: A\nbody", "/claude/a", `{"text":"---\nname: A\nbody"}`},
		{"a rule in the body", "a.md", "---\n---\na\n---\nb\n", "/claude/a",
			`{"text":"a\n---\nb"}`},
		{"byte order mark, CRLF", "a.md", "\ufeff---\r\nname: A\r\n---\r\n\r\none\r\ntwo\r\n",
			"/claude/a", `{"title":"A","text":"one\ntwo"}`},
		{"CR in the text only", "a.md", "---\nname: A\n---\none\r\ntwo\n", "/claude/a",
			`{"title":"A","text":"one\u000d\ntwo"}`},
		{"double quotes", "a.md", "---\nname: \"a: \\\"b\\\" \\u7259\"\n---\n", "/claude/a",
			`{"title":"a: \"b\" 牙"}`},
		{"YAML's own escapes stay", "a.md", "---\nname: \"a\\xe9\"\n---\n", "/claude/a",
			`{"title":"a\\xe9"}`},
		{"single quotes", "a.md", "---\nname: 'it''s'\n---\n", "/claude/a", `{"title":"it's"}`},
		{"colon and hash", "a.md", "---\ndescription: see issue #12: it is open\n---\n",
			"/claude/a", `{"summary":"see issue #12: it is open"}`},
		{"folded", "a.md", "---\ndescription: >-\n  one\n  two\ntype: user\n---\n", "/claude/a",
			`{"type":"user","summary":"one two"}`},
		{"literal", "a.md", "---\ndescription: |\n  one\n\n  two\n---\n", "/claude/a",
			`{"summary":"one\n\ntwo"}`},
		{"nested type", "a.md", "---\nmetadata:\n  type: project\n---\n", "/claude/a",
			`{"type":"project","frontmatter":"metadata:\n  type: project"}`},
		{"another nested type", "a.md", "---\nother:\n  type: project\n---\n", "/claude/a",
			`{"frontmatter":"other:\n  type: project"}`},
		{"own type first", "a.md", "---\nmetadata:\n  type: project\ntype: user\n---\n",
			"/claude/a", `{"type":"user","frontmatter":"metadata:\n  type: project"}`},
		{"unknown lines", "a.md", "---\n# comment\nsession: x\n- list\nname: A\n---\n", "/claude/a",
			`{"title":"A","frontmatter":"# comment\nsession: x\n- list"}`},
		{"folders", "sub/b c.md", "x", "/claude/sub/b c", `{"text":"x"}`},
		{"awkward name", "a\x01.md", "x", "/claude/a_~bcf9ce3e62bf85a40f9f", `{"text":"x"}`},
		{"its own key", "a.md",
			"---\nmem: {\"key\":\"/user/x\",\"more\":{\"importance\":6,\"type\":\"hidden\"}}\n" +
				"type: user\n---\n\nb\n",
			"/user/x", `{"type":"user","text":"b","importance":6}`},
		{"a string", "a.md", "---\nmem: {\"key\":\"/s\",\"as\":\"text\"}\n---\n\nb\n", "/s", `"b"`},
		{"a number", "a.md", "---\nmem: {\"key\":\"/s\",\"as\":\"json\"}\n---\n\n 1.0 \n", "/s",
			`1.0`},
	} {
		rec, err := foreign.ReadTopic(tt.name, []byte(tt.text))
		if err != nil || !strings.HasPrefix(rec.Key.String(), strings.SplitN(tt.key, "~", 2)[0]) ||
			string(rec.Content) != tt.content {
			t.Errorf("%s: %s %s (%v), want %s %s", tt.what, rec.Key, rec.Content, err, tt.key,
				tt.content)
		}
	}
}

func TestReadTopicRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"caf\xe9": foreign.ErrFormat, "---\nmem: {}\n---\n": foreign.ErrFormat,
		"---\nmem: []\n---\n": foreign.ErrFormat, "---\nmem:\n---\n": jsontext.ErrJSON,
		"---\nmem: {\n---\n":                                       jsontext.ErrJSON,
		"---\nmem: {\"key\":\"x\"}\n---\n":                         keypath.ErrKey,
		"---\nmem: {\"key\":\"/x\",\"as\":\"json\"}\n---\nno json": jsontext.ErrJSON,
	} {
		if rec, err := foreign.ReadTopic("a.md", []byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %s %s, %v", text, rec.Key, rec.Content, err)
		}
	}
}

// drawContent draws what a memory may hold, mostly what is awkward in a markdown file.
func drawContent(t *rapid.T) []byte {
	awkward := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "\n", "a\n", "\na", "---", "---\n", "\r\n", "a\r", "\ufeff", "name: x", "mem: {}",
		"mem_sum: 0", "metadata:\n  type: x", "x: |\n  y", "|", ">", ">-", "'a'", `"a"`, "a: b",
		"a #b", " a", "true", "1", "~", "牙科\n\n# x",
	}))
	quote := func(label string) []byte { return jsontext.AppendString(nil, awkward.Draw(t, label)) }
	if rapid.IntRange(0, 5).Draw(t, "plain") == 0 {
		return rapid.SampledFrom([][]byte{quote("string"), []byte("1.0"), []byte("[]"),
			[]byte(`[1,"a\n"]`), []byte("true"), []byte("{}")}).Draw(t, "value")
	}
	text := []byte{'{'}
	names := rapid.Permutation([]string{"type", "summary", "title", "text", "frontmatter",
		"importance", "key", "more"}).Draw(t, "names")
	for i, name := range names[:rapid.IntRange(0, 8).Draw(t, "members")] {
		if i > 0 {
			text = append(text, ',')
		}
		value := quote(name)
		if rapid.IntRange(0, 5).Draw(t, "other") == 0 {
			value = rapid.SampledFrom([][]byte{[]byte("null"), []byte("7"),
				[]byte(`{"a":[1]}`)}).Draw(t, "value")
		}
		text = append(append(jsontext.AppendString(text, name), ':'), value...)
	}
	return append(text, '}')
}

// A file that was written is read as what it was written from, is known as mem's, and is not once a
// byte of it has changed.
func TestTopicComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := foreign.Record{Key: keypath.MustParse(rapid.SampledFrom([]string{"/a", "/claude/a",
			"/用户/é \"x\"", "/\\"}).Draw(t, "key")), Content: drawContent(t)}
		text := foreign.WriteTopic(r)
		back, err := foreign.ReadTopic("any.md", text)
		if err != nil || back.Key != r.Key || !back.Marked ||
			!jsontext.Equal(back.Content, r.Content) {
			t.Fatalf("%s %s comes back as %s %s (%v) from\n%s", r.Key, r.Content, back.Key,
				back.Content, err, text)
		}
		if own, untouched := foreign.OwnTopic(text); !own || !untouched {
			t.Fatalf("own %v, untouched %v:\n%s", own, untouched, text)
		}
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		changed := bytes.Clone(text)
		changed[at] ^= 1
		if own, untouched := foreign.OwnTopic(changed); own && untouched {
			t.Fatalf("a changed byte %d passes:\n%s", at, changed)
		}
	})
}

func TestFileNames(t *testing.T) {
	seen := map[string]string{}
	for _, key := range []string{
		"/claude/a", "/claude/A", "/a", "/A", "/claude/a/b", "/claude/a_b", "/claude/memory",
		"/claude/MEMORY", "/memory", "/MEMORY", "/claude/con", "/claude/.a", "/claude/-a",
		"/claude/a.", "/claude/a b", "/claude",
		"/claude/" + strings.Repeat("a", 300), "/claude/" + strings.Repeat("a", 301),
		"/claude/a-0123456789ab", "/claude/牙科", "/?", "/claude/ſ",
	} {
		name := foreign.FileName(key, keypath.MustParse(key))
		lower := strings.ToLower(name)
		if other, taken := seen[lower]; taken {
			t.Errorf("%s and %s share %s", key, other, name)
		}
		seen[lower] = key
		if strings.ContainsAny(name, "/\\ :*?\"<>|()") || strings.HasPrefix(name, ".") ||
			strings.HasPrefix(name, "-") || len(name) > 200 || lower == "memory.md" ||
			!foreign.IsTopic(name) {
			t.Errorf("%s has the file name %q", key, name)
		}
	}
	if seen["a.md"] != "/claude/a" || seen["牙科.md"] != "/claude/牙科" {
		t.Errorf("an imported file does not keep its name: %v", seen)
	}
}

func FuzzTopic(f *testing.F) {
	f.Add([]byte("---\nname: A\ndescription: 'b'\nmetadata:\n  type: user\n---\n\nBody.\n"))
	f.Add([]byte("\ufeff---\r\nname: \"A\"\r\n---\r\nBody.\r\n"))
	f.Add(foreign.WriteTopic(foreign.Record{Key: keypath.MustParse("/a"),
		Content: []byte(`{"text":"x","importance":6}`)}))
	f.Fuzz(func(t *testing.T, text []byte) {
		rec, err := foreign.ReadTopic("a.md", text)
		if err != nil {
			return
		}
		compact, err := jsontext.Compact(nil, rec.Content)
		if err != nil || !bytes.Equal(compact, rec.Content) {
			t.Fatalf("%q gives content %q: %v", text, rec.Content, err)
		}
		back, err := foreign.ReadTopic("a.md", foreign.WriteTopic(rec))
		if err != nil || back.Key != rec.Key || !jsontext.Equal(back.Content, rec.Content) {
			t.Fatalf("%q: %s %s comes back as %s %s (%v)", text, rec.Key, rec.Content, back.Key,
				back.Content, err)
		}
	})
}
