package keypath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
)

func checkExact(t *testing.T, k keypath.Key) {
	t.Helper()
	back, exact, err := keypath.Decode(k.Path())
	if err != nil || !exact || back != k {
		t.Errorf("%s decodes to %q, exact %v, %v; want %q", k.Path(), back, exact, err, k)
	}
}

func checkCut(t *testing.T, p keypath.RelPath) {
	t.Helper()
	if k, exact, err := keypath.Decode(p); err != nil || exact || !k.IsZero() {
		t.Errorf("%s decodes to %q, exact %v, %v; want a cut path", p, k, exact, err)
	}
}

func TestDecode(t *testing.T) {
	for _, key := range []string{"/a", "/user/calendar/2026-02-23_10-00_牙科复诊", "/.a/b./-c/con/d ",
		`/%@<>:"\|?*`} {
		checkExact(t, keypath.MustParse(key))
	}
}

// rightTag ends a name with the hash of a key, so that only the name can be at fault.
func rightTag(name, key string) string { return name + "@" + hexOf(key, 6) + ".json" }

func as(n int) string { return strings.Repeat("a", n) }

var decodeRefusals = []struct{ name, path string }{
	{"empty", ""},
	{"no tag", "a"},
	{"no hash", "a.json"},
	{"tag only", "@a1b2c3.json"},
	{"directory and tag only", "a/@a1b2c3.json"},
	{"another extension", "a@" + hexOf("/a", 6) + ".JSON"},
	{"temporary file", rightTag("a", "/a") + ".tmp"},
	{"wrong hash", "a@000000.json"},
	{"upper-case hash", strings.ToUpper("a@"+hexOf("/a", 6)) + ".json"},
	{"hash of another case", rightTag("A", "/a")},
	{"hash too long", "a@" + hexOf("/a", 7) + ".json"},
	{"absolute", "/" + rightTag("a", "/a")},
	{"empty segment", rightTag("a//b", "/a/b")},
	{"parent", rightTag("../a", "/../a")},
	{"encoded parent", rightTag("%2E%2E/a", "/../a")},
	{"encoded dot", rightTag("%2E", "/.")},
	{"backslash", rightTag(`a\b`, `/a\b`)},
	{"bare at", rightTag("a@b", "/a@b")},
	{"needless escape", rightTag("%61", "/a")},
	{"lower-case escape", rightTag("a%3ab", "/a:b")},
	{"missing escape", rightTag("a:b", "/a:b")},
	{"missing escape in front", rightTag(".a", "/.a")},
	{"missing escape at the end", rightTag("a ", "/a ")},
	{"missing escape of a device", rightTag("con", "/con")},
	{"broken escape", rightTag("a%", "/a%")},
	{"half an escape", rightTag("a%2", "/a%2")},
	{"escape without digits", rightTag("a%zz", "/a%zz")},
	{"encoded slash", rightTag("a%2Fb", "/a/b")},
	{"encoded NUL", rightTag("a%00", "/a\x00")},
	{"encoded newline", rightTag("a%0A", "/a\n")},
	{"raw newline", rightTag("a\n", "/a\n")},
	{"invalid UTF-8", rightTag("a\xff", "/a\xff")},
	{"invalid UTF-8 at the end", rightTag("\xe7", "/\xe7")},
	{"encoded invalid UTF-8", rightTag("a%FF", "/a\xff")},
	{"bidi", rightTag("a\u202e", "/a\u202e")},
	{"not NFC", rightTag("e\u0301", "/e\u0301")},
	{"not NFC, hash of the key", rightTag("e\u0301", "/é")},
	{"too long a segment", rightTag(as(201), "/"+as(201))},
	{"too long a key", rightTag(strings.Repeat("aaa/", 256)+"a",
		"/"+strings.Repeat("aaa/", 256)+"a")},
	{"cut too early", rightTag(as(171)+"~"+hexOf(as(300), 16), "/"+as(300))},
	{"cut too late", rightTag(as(184)+"~"+hexOf(as(300), 16), "/"+as(300))},
	{"cut of nothing", rightTag("~0123456789abcdef", "/~0123456789abcdef")},
	{"cut and a broken escape", rightTag(as(181)+"%4~0123456789abcdef", "/x")},
	{"cut and a missing escape", rightTag("."+as(182)+"~0123456789abcdef", "/x")},
	{"cut and another segment wrong", rightTag("con/"+as(183)+"~0123456789abcdef", "/x")},
	{"cut and a parent", rightTag("%2E%2E/"+as(183)+"~0123456789abcdef", "/x")},
	{"cut and not NFC", rightTag("e\u0301/"+as(183)+"~0123456789abcdef", "/x")},
	{"cut with upper-case hash", rightTag(as(183)+"~0123456789ABCDEF", "/x")},
	{"cut with a bad tag", as(183) + "~0123456789abcdef@xyzxyz.json"},
}

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range decodeRefusals {
		t.Run(tt.name, func(t *testing.T) {
			k, exact, err := keypath.Decode(keypath.RelPath(tt.path))
			if !errors.Is(err, keypath.ErrPath) || exact || !k.IsZero() {
				t.Errorf("Decode(%q) = %q, %v, %v; want ErrPath", tt.path, k, exact, err)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\n\x00\u202e") {
				t.Errorf("error is no plain line: %q", err)
			}
		})
	}
}
