package inject_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/moved"
)

// A file that git has under another folder brings the memories of the path that it had; where the
// path is there still, or another file may be meant, it brings none.
func TestEditOfRenamed(t *testing.T) { onEach(t, testEditOfRenamed) }

func testEditOfRenamed(t *testing.T, f *fixture) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	f.Must(err)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command(testkit.Program(t, "git"), append([]string{"-C", root}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	put := func(name string) {
		t.Helper()
		f.Must(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		f.Must(os.WriteFile(filepath.Join(root, name), []byte(name), 0o600))
		git("add", "-A")
	}
	git("init", "-q")
	f.Put("/price", `{"text":"web/cart/price.ts rounds half to even"}`)
	f.Put("/index", `{"text":"web/cart/index.ts is generated"}`)
	f.Put("/api", `{"text":"api/client.ts retries twice"}`)
	n := 0
	want := func(what, file, want string) {
		t.Helper()
		n++
		in := f.deliver(inject.Options{Trigger: inject.AtEdit, Root: root,
			Files: []string{filepath.Join(root, file)}, Conversation: fmt.Sprint(n)})
		if got := keysIn(in); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	put("web/cart/price.ts")
	put("web/cart/index.ts")
	want("at its place", "web/cart/price.ts", "/price")
	put("lib/money/x.ts")
	f.Must(os.MkdirAll(filepath.Join(root, "lib/money"), 0o700))
	git("mv", "web/cart/price.ts", "lib/money/price.ts")
	want("in another folder", "lib/money/price.ts", "/price")
	want("another file there", "lib/money/x.ts", "")
	git("mv", "web/cart/index.ts", "lib/money/index.ts")
	want("of a name that many have", "lib/money/index.ts", "")
	put("old/price.ts")
	want("one of two", "lib/money/price.ts", "")
	git("rm", "-q", "-f", "old/price.ts")
	want("the only one again", "lib/money/price.ts", "/price")
	f.Put("/noted", `{"text":"Tax comes last","files":[{"path":"web/cart/tax.ts"}]}`)
	put("lib/money/tax.ts")
	in := f.choose(inject.Options{Trigger: inject.AtEdit, Root: root, Conversation: "tax",
		Files:  []string{filepath.Join(root, "lib/money/tax.ts")},
		Remark: func(string, []content.File) string { return "file is gone" }})
	if keysIn(in) != "/noted" || strings.Contains(in.Text, "gone") {
		t.Errorf("the line of a moved file: %q", in.Text)
	}
	f.Put("/second", `{"text":"src/price.ts has the old prices"}`)
	want("of two paths that are gone", "lib/money/price.ts", "")
	put("web/api/client.ts")
	want("the end of its path", "web/api/client.ts", "/api")
	f.Must(os.WriteFile(filepath.Join(root, "client.ts"), nil, 0o600))
	want("not known to git", "client.ts", "")
}

// A file that an agent has renamed brings the memories of its former path, whatever its last
// element is now, in later conversations too; a copy, a new file and one whose former path is there
// again bring none.
func TestEditOfRenamedByCommand(t *testing.T) { onEach(t, testEditOfRenamedByCommand) }

func testEditOfRenamedByCommand(t *testing.T, f *fixture) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	f.Must(err)
	abs := func(name string) string { return filepath.Join(root, name) }
	write := func(name string) {
		f.Must(os.MkdirAll(filepath.Dir(abs(name)), 0o700))
		f.Must(os.WriteFile(abs(name), []byte(name), 0o600))
	}
	f.Put("/price", `{"text":"web/cart/price.ts rounds half to even"}`)
	f.Put("/folder", `{"text":"Ask Ana","files":[{"path":"web/cart/"}]}`)
	n := 0
	edit := func(what, file, want string, renamed ...inject.Rename) {
		t.Helper()
		n++
		in := f.deliver(inject.Options{Trigger: inject.AtEdit, Root: root, Renamed: renamed,
			Files: []string{abs(file)}, Conversation: fmt.Sprint(n)})
		if got := keysIn(in); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	rename := func(what, from, to, want string) {
		t.Helper()
		f.Must(os.MkdirAll(filepath.Dir(abs(to)), 0o700))
		f.Must(os.Rename(abs(from), abs(to)))
		edit(what, to, want, inject.Rename{From: abs(from), To: abs(to)})
	}
	write("web/cart/price.ts")
	write("web/cart/tax.ts")
	edit("at its place", "web/cart/price.ts", "/folder /price")
	rename("renamed", "web/cart/price.ts", "web/sums.ts", "/price")
	edit("later", "web/sums.ts", "/price")
	list, err := inject.Recorded(f.Store.Store, fmt.Sprint(n-1), 1)
	if want := (inject.Rename{From: abs("web/cart/price.ts"), To: abs("web/sums.ts"),
		Key: "/price"}); err != nil || !slices.Equal(list[0].Renamed, []inject.Rename{want}) {
		t.Errorf("recorded %v, %v; want %v, which a purge finds by its key", list, err, want)
	}
	write("web/copy.ts")
	edit("a copy", "web/copy.ts", "", inject.Rename{From: abs("web/sums.ts"),
		To: abs("web/copy.ts")})
	rename("folder and name", "web/sums.ts", "lib/money.ts", "/price")
	edit("twice", "lib/money.ts", "/price")
	edit("its folder", "lib/other.ts", "")
	rename("only its folder is named", "web/cart/tax.ts", "lib/vat.ts", "")
	write("web/sums.ts")
	edit("another file at its former path", "lib/money.ts", "")
	f.Must(os.Remove(abs("web/sums.ts")))
	write("web/cart/price.ts")
	edit("there again", "lib/money.ts", "")
	edit("itself", "web/cart/price.ts", "/folder /price")
}

// A file with another name and the bytes that a memory has recorded brings that memory, and brings
// it after its next change, too; where its old path is there it is a copy, and brings none.
func TestEditOfRecordedBytes(t *testing.T) { onEach(t, testEditOfRecordedBytes) }

func testEditOfRecordedBytes(t *testing.T, f *fixture) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	f.Must(err)
	put := func(name, text string) {
		f.Must(os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	n := 0
	want := func(what, file, want string) {
		t.Helper()
		n++
		in := f.deliver(inject.Options{Trigger: inject.AtEdit, Root: root,
			Files: []string{filepath.Join(root, file)}, Conversation: fmt.Sprint(n)})
		if got := keysIn(in); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	put("cents.ts", "export const cents = 100\n")
	put("empty.ts", "")
	sum := moved.SumIn(root, filepath.Join(root, "cents.ts"))
	f.Put("/rounding", `{"text":"rounds half to even","files":[{"path":"cents.ts","size":25,`+
		`"mtime":"2026-02-22T10:00:00Z","sha256":"`+sum+`"}]}`)
	put("money.ts", "export const cents = 100\n")
	want("a copy", "money.ts", "")
	f.Must(os.Remove(filepath.Join(root, "cents.ts")))
	want("another file", "empty.ts", "")
	want("renamed", "money.ts", "/rounding")
	put("money.ts", "export const cents = 1000\n")
	want("renamed and changed", "money.ts", "/rounding")
	put("cents.ts", "")
	want("with a file at the old path again", "money.ts", "")
}
