package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// token is a secret of a well-known form.
const token = "ghp_abcdefghij0123456789" + "abcdefghij012345"

// facts returns the facts of the folders of a lab, as "file type: text", those of a reader that
// knows nothing.
func (l *lab) facts() (list []string) {
	for _, f := range Find(l.w) {
		for n := range f.Facts(func(string, log.Stamp) bool { return false }) {
			list = append(list, strings.TrimSpace(n.File+" "+n.Type)+": "+n.Text)
		}
	}
	return list
}

// A line of a memory is a fact unless it has a secret, is a part of the page, or is mem's own.
func TestFactsOfTheProject(t *testing.T) {
	exported := foreign.WriteTopic(foreign.Record{Key: keypath.MustParse("/claude/ours"),
		Content: []byte(`{"text":"ours"}`)})
	page := foreign.NewPage()
	page.Add("a memory of mem")
	block, _ := readout.Block{Most: 1000}.Text(readout.Page{Entries: []readout.Entry{
		{Key: "/k", Text: "injected"}}})
	for name, tc := range map[string]struct{ file, text, want string }{
		"a topic": {"tabs.md", "---\ndescription: Use tabs\ntype: feedback\n---\nBecause.\n",
			"tabs.md feedback: Use tabs"},
		"a nested type": {"t.md", "---\nmetadata:\n  type: user\n---\nAda is\na baker\n",
			"t.md user: Ada is a baker"},
		"no frontmatter": {"t.md", "plain\n", "t.md: plain"},
		"nothing in it":  {"t.md", "---\nname: x\n---\n", ""},
		"an index": {"MEMORY.md", "# M\n\n- [T](a.md) - x\n* one\n<!-- c -->\n---\ntwo\n",
			"MEMORY.md: one|MEMORY.md: two"},
		"a link to nowhere": {"MEMORY.md", "- [T](b.md) - x\n", "MEMORY.md: [T](b.md) - x"},
		"an exported topic": {"ours.md", string(exported), ""},
		"an exported page":  {"MEMORY.md", string(page.Bytes()) + "mine\n", "MEMORY.md: mine"},
		"a changed page": {"MEMORY.md",
			strings.Replace(string(page.Bytes()), "mem\n", "mem!\n", 1) + "mine\n",
			"MEMORY.md: mine"},
		"an injected line": {"MEMORY.md",
			"- (m-1, 3d) injected\n(k/a, 2 Jan, web) as this\nmine (m-1)\n",
			"MEMORY.md: mine (m-1)"},
		"an injected block": {"MEMORY.md", "one\n" + block + "two\n",
			"MEMORY.md: one|MEMORY.md: two"},
		"a block in a topic": {"t.md", "one\n" + block + "two\n", "t.md: one two"},
		"a secret": {"MEMORY.md", "one\nthe token is " + token + "\ntwo\n",
			"MEMORY.md: one|MEMORY.md: two"},
		"a secret of a note": {"MEMORY.md",
			"one\nit begins with ghp_" + "abc here\n", "MEMORY.md: one"},
		"a password": {"MEMORY.md", "password: hunter2xyz\ntwo\n", "MEMORY.md: two"},
		"a key of many lines": {"MEMORY.md", "one\n" + pem() + "two\n",
			"MEMORY.md: one|MEMORY.md: two"},
		"a secret topic": {"t.md", "---\ntype: project\n---\nUse " + token + " here\n", ""},
		"a secret in a body": {"t.md", "---\ndescription: How to log in\n---\n" + token + "\n",
			"t.md: How to log in"},
		"not markdown": {"t.txt", "one\n", ""},
		"hidden":       {".t.md", "one\n", ""},
		"in a folder":  {"logs/t.md", "one\n", ""},
		"not UTF-8":    {"MEMORY.md", "caf\xe9 opens\n", "MEMORY.md: caf\ufffd opens"},
		"Windows":      {"t.md", "---\r\ntype: user\r\n---\r\none\r\n", "t.md user: one"},
		"empty":        {"MEMORY.md", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.write(l.memory()+tc.file, tc.text)
			if tc.file == "MEMORY.md" {
				l.write(l.memory()+"a.md", "---\nname: x\n---\n")
			}
			if got := strings.Join(l.facts(), "|"); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// pem returns a private key, which is a secret of several lines.
func pem() string {
	line := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 2) + "\n"
	return "-----BEGIN PRIVATE " + "KEY-----\n" + strings.Repeat(line, 4) + "-----END PRIVATE " +
		"KEY-----\n"
}

// Of a folder for all projects only lines that name this one count.
func TestOtherProjectsStayApart(t *testing.T) {
	l := newLab(t)
	for line, want := range map[string]bool{
		"web runs on port 80":                   true,
		"the tests of web.":                     true,
		"(web) is deployed by hand":             true,
		"in `web`: use tabs":                    true,
		"ROOT is deployed":                      true,
		"see ROOT/src/a.go":                     true,
		"cwd=ROOT; tabs":                        true,
		"see ~/web/src":                         true,
		"see ROOT.":                             true,
		"webs are for spiders":                  false,
		"cobweb":                                false,
		"web-shop runs on port 80":              false,
		"my_web, web_my":                        false,
		"web.dev is a site":                     false,
		"other/web has tabs":                    false,
		"web/src":                               false,
		"ROOT-two is deployed":                  false,
		"ROOT.old is gone":                      false,
		"/backupROOT is a copy":                 false,
		"~/work/web":                            false,
		"shop has spaces":                       false,
		"Web":                                   false,
		filepath.Dir("ROOT/x") + "2 has spaces": false,
	} {
		line = strings.ReplaceAll(line, "ROOT", l.root)
		l.write(".codex/memories/MEMORY.md", "- "+line+"\n")
		if got := l.facts(); (len(got) == 1) != want {
			t.Errorf("%q: %q", line, got)
		}
	}
	l.write(".codex/memories/MEMORY.md", "")
	l.write("mine/a.md", "---\ntype: project\n---\nFor web: use tabs\n")
	l.write("mine/b.md", "---\ntype: project\n---\nFor shop: use spaces\n")
	l.write(".claude/settings.json", `{"autoMemoryDirectory":"~/mine"}`)
	if got := l.facts(); !slices.Equal(got, []string{"a.md project: For web: use tabs"}) {
		t.Errorf("%q", got)
	}
	l.w.Dir = l.w.Home // no project: all of them are in it
	l.write("mine/a.md", "ada likes tea, see "+l.root+"\n")
	if got := l.facts(); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// At most 64 KiB and 32 facts of a folder are read, the newest files first, and whole lines.
func TestReadingIsLimited(t *testing.T) {
	l := newLab(t)
	line := strings.Repeat("words ", 200)
	l.write(l.memory()+"MEMORY.md", strings.Repeat(line+"\n", 30)+strings.Repeat("x", 60<<10))
	old := l.write(l.memory()+"old.md", "old")
	if err := os.Chtimes(old, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got := l.facts(); len(got) != 30 {
		t.Errorf("%d facts", len(got))
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "- fact %d\n", i)
	}
	l.write(l.memory()+"MEMORY.md", many.String())
	if got := l.facts(); len(got) != 32 || got[31] != "MEMORY.md: fact 31" {
		t.Errorf("%d facts: %q", len(got), got)
	}
}

// A file that the reader has in this version is not read, only plain files of the owner are, and a
// folder that goes away has none.
func TestFilesThatAreNotRead(t *testing.T) {
	l := newLab(t)
	path := l.write(l.memory()+"a.md", "one")
	l.write(l.memory()+"b.md", "two")
	l.write("elsewhere.md", "secret plans")
	if err := os.Symlink(filepath.Join(l.w.Home, "elsewhere.md"),
		filepath.Join(filepath.Dir(path), "c.md")); err != nil {
		t.Fatal(err)
	}
	f := Find(l.w)[0]
	if files := f.Files(); len(files) != 2 {
		t.Errorf("%v", files)
	}
	at := log.Stamp(0)
	hasB := func(key string, _ log.Stamp) bool { return key == "claude-code:b.md" }
	for n := range f.Facts(hasB) {
		if at = n.TS; n.Text != "one" || n.Key != "claude-code:a.md" || at == 0 {
			t.Errorf("%+v", n)
		}
	}
	for n := range f.Facts(func(_ string, is log.Stamp) bool { return is >= at }) {
		t.Errorf("known: %+v", n)
	}
	f.owner++
	if files := f.Files(); len(files) > 0 {
		t.Errorf("of another owner: %v", files)
	}
	f.owner--
	if os.Chown(f.Path, f.owner+1, -1) == nil { // as root
		if list := Find(l.w); len(list) > 0 {
			t.Errorf("a folder of another owner: %v", list)
		}
	}
	if err := os.RemoveAll(f.Path); err != nil {
		t.Fatal(err)
	}
	if files := f.Files(); len(files) > 0 {
		t.Errorf("of a folder that is gone: %v", files)
	}
}
