package keypath_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
)

func TestParse(t *testing.T) {
	long := "/" + strings.Repeat("a", keypath.MaxLen-1)
	tests := []struct{ name, in, want string }{
		{"as it is", "/user/preference/style", "/user/preference/style"},
		{"one character", "/a", "/a"},
		{"space and punctuation", "/a b/c!$&'()+,;=[]^`{}~#", "/a b/c!$&'()+,;=[]^`{}~#"},
		{"what a path escapes", `/a%<>:"\|?*@`, `/a%<>:"\|?*@`},
		{"percent stays percent", "/a%2Fb", "/a%2Fb"},
		{"Chinese", "/user/calendar/2026-02-23_10-00_牙科复诊", "/user/calendar/2026-02-23_10-00_牙科复诊"},
		{"emoji with joiner", "/a/👩‍💻", "/a/👩‍💻"},
		{"case is kept", "/User/ÀÉ", "/User/ÀÉ"},
		{"slashes collapse", "//user///x", "/user/x"},
		{"trailing slash drops", "/user/x/", "/user/x"},
		{"trailing slashes drop", "/user/x///", "/user/x"},
		{"slashes around Chinese", "//用户//偏好//", "/用户/偏好"},
		{"dots within a segment", "/a..b/c.d", "/a..b/c.d"},
		{"hidden file", "/.config", "/.config"},
		{"three dots", "/.../x", "/.../x"},
		{"dots in front", "/..a/.b", "/..a/.b"},
		{"dots at the end", "/a../b.", "/a../b."},
		{"NFD composes", "/cafe\u0301", "/caf\u00E9"},
		{"Hangul composes", "/\u1112\u1161\u11AB", "/\uD55C"},
		{"marks are ordered", "/q\u0307\u0323", "/q\u0323\u0307"},
		{"Kelvin sign is K", "/\u212A", "/K"},
		{"mark after a slash", "/a/\u0301b", "/a/\u0301b"},
		{"mark after a run of slashes", "/a//\u0301b", "/a/\u0301b"},
		{"thirty marks", "/a" + strings.Repeat("\u0316", 30), "/a" + strings.Repeat("\u0316", 30)},
		{"replacement character", "/\uFFFD", "/\uFFFD"},
		{"longest", long, long},
		{"longest after a slash drops", long + "/", long},
		{"longest after composing", "/" + strings.Repeat("e\u0301", 511) + "a",
			"/" + strings.Repeat("é", 511) + "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, err := keypath.Parse(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := k.String(); got != tt.want {
				t.Errorf("Parse(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if again := keypath.MustParse(k.String()); again != k {
				t.Errorf("parsed again: %q", again)
			}
		})
	}
}

var parseRefusals = []struct {
	name, in, fault string
	pos             int
}{
	{"empty", "", "empty key", 0},
	{"relative", "user/x", "no leading slash", 0},
	{"space before the slash", " /user", "no leading slash", 0},
	{"Windows root", `C:\x`, "no leading slash", 0},
	{"root", "/", "nothing but slashes", 0},
	{"many slashes", "////", "nothing but slashes", 0},
	{"dot", "/a/./b", `"." segment`, 3},
	{"dot first", "/./b", `"." segment`, 1},
	{"dot last", "/a/.", `"." segment`, 3},
	{"dot alone", "/.", `"." segment`, 1},
	{"dot before trailing slash", "/a/./", `"." segment`, 3},
	{"dot-dot", "/a/../b", `".." segment`, 3},
	{"dot-dot first", "/../etc/passwd", `".." segment`, 1},
	{"dot-dot last", "/a/b/..", `".." segment`, 5},
	{"dot-dot after a run of slashes", "/a///../b", `".." segment`, 5},
	{"dot-dot after Chinese", "/牙科/..", `".." segment`, 8},
	{"NUL", "/a\x00b", "NUL character", 2},
	{"NUL after dots", "/..\x00", "NUL character", 3},
	{"newline", "/a/b\n", "newline", 4},
	{"carriage return", "/a\r\n", "carriage return", 2},
	{"tab", "/a\tb", "tab", 2},
	{"escape", "/a\x1b[31m", "control character U+001B", 2},
	{"last of C0", "/\x1f", "control character U+001F", 1},
	{"DEL", "/ab\x7f", "DEL character", 3},
	{"first of C1", "/\u0080", "control character U+0080", 1},
	{"next line", "/a\u0085", "control character U+0085", 2},
	{"last of C1", "/a\u009f", "control character U+009F", 2},
	{"stray byte", "/a\xffb", "invalid UTF-8", 2},
	{"cut character", "/牙\xe7\xa7", "invalid UTF-8", 4},
	{"overlong slash", "/\xc0\xaf", "invalid UTF-8", 1},
	{"surrogate", "/\xed\xa0\x80", "invalid UTF-8", 1},
	{"line separator", "/a\u2028", "line separator U+2028", 2},
	{"paragraph separator", "/a\u2029", "paragraph separator U+2029", 2},
	{"Arabic letter mark", "/a\u061c", "bidirectional control U+061C", 2},
	{"left-to-right mark", "/a\u200e", "bidirectional control U+200E", 2},
	{"right-to-left mark", "/a\u200f", "bidirectional control U+200F", 2},
	{"first embedding", "/a\u202a", "bidirectional control U+202A", 2},
	{"override", "/invoice\u202efdp.exe", "bidirectional control U+202E", 8},
	{"first isolate", "/a\u2066", "bidirectional control U+2066", 2},
	{"last isolate", "/a\u2069", "bidirectional control U+2069", 2},
	{"the first of two faults", "/a\n/../b", "newline", 2},
	{"too long", "/" + strings.Repeat("a", 1024), "longer than 1024 bytes", 1024},
	{"too long after a run of slashes", "///" + strings.Repeat("a", 1024),
		"longer than 1024 bytes", 1026},
	{"too long by one character of three bytes", "/" + strings.Repeat("牙", 342),
		"longer than 1024 bytes", 1024},
	{"too long by the middle of a character", "/a" + strings.Repeat("牙", 341),
		"longer than 1024 bytes", 1022},
	{"too long even when composed", "/" + strings.Repeat("e\u0301", 512),
		"longer than 1024 bytes", 1534},
	{"too many marks", "/ab" + strings.Repeat("\u0316", 31),
		"more than 30 combining marks in a row", 63},
	{"too many marks around a joiner", "/a\u034f" + strings.Repeat("\u0316", 31) + "/b",
		"more than 30 combining marks in a row", 64},
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range parseRefusals {
		t.Run(tt.name, func(t *testing.T) { wantRefusal(t, tt.in, tt.fault, tt.pos) })
	}
}

func wantRefusal(t *testing.T, in, fault string, pos int) {
	t.Helper()
	k, err := keypath.Parse(in)
	if err == nil {
		t.Fatalf("Parse(%q) = %q, want %q", in, k, fault)
	}
	if !k.IsZero() || !errors.Is(err, keypath.ErrKey) {
		t.Errorf("Parse(%q) = %q, %v: want no key and ErrKey", in, k, err)
	}
	var e *keypath.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T", err)
	}
	if want := (keypath.Error{Fault: fault, Pos: pos, Key: in}); *e != want {
		t.Errorf("got  %+v\nwant %+v", *e, want)
	}
}

func TestErrorIsOneLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"/a\x00b", `key: "/a\x00b": NUL character at byte 2`},
		{"/a\nforged: line", `key: "/a\nforged: line": newline at byte 2`},
		{"/牙科/..", `key: "/牙科/..": ".." segment at byte 8`},
		{"/a\u202e", `key: "/a\u202e": bidirectional control U+202E at byte 2`},
		{"", `key: "": empty key at byte 0`},
		{
			"/" + strings.Repeat("牙", 500),
			`key: "/` + strings.Repeat("牙", 53) + `"...: longer than 1024 bytes at byte 1024`,
		},
	}
	for _, tt := range tests {
		if _, err := keypath.Parse(tt.in); err == nil || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, keypath.ErrKey) {
			t.Errorf("recovered %v, want ErrKey", err)
		}
	}()
	keypath.MustParse("no slash")
}

func TestZeroKey(t *testing.T) {
	var none keypath.Key
	if !none.IsZero() || none.String() != "" || none.Path() != "" {
		t.Errorf("zero key has a form: %q, path %q", none, none.Path())
	}
	for seg := range none.Segments() {
		t.Errorf("zero key has a segment %q", seg)
	}
	if keypath.MustParse("/a").IsZero() {
		t.Error("/a is zero")
	}
}

func TestSegments(t *testing.T) {
	for in, want := range map[string][]string{
		"/a":           {"a"},
		"//user//x.y/": {"user", "x.y"},
		"/用户/偏好/a b":   {"用户", "偏好", "a b"},
	} {
		if got := slices.Collect(keypath.MustParse(in).Segments()); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCompareIsByteOrder(t *testing.T) {
	ordered := []string{"/A", "/a", "/a b", "/a-b", "/a/b", "/ab", "/é", "/牙", "/😀"}
	for i, a := range ordered {
		for j, b := range ordered {
			got := keypath.MustParse(a).Compare(keypath.MustParse(b))
			if (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%q against %q: %d", a, b, got)
			}
		}
	}
}

func TestWithPrefix(t *testing.T) {
	got, err := keypath.MustParse("/user/x").WithPrefix("/untrusted/")
	if want := keypath.MustParse("/untrusted/user/x"); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestWithPrefixRefuses(t *testing.T) {
	full := keypath.MustParse("/" + strings.Repeat("a", keypath.MaxLen-1))
	tests := []struct {
		name   string
		key    keypath.Key
		parent string
		fault  string
	}{
		{"no key", keypath.Key{}, "/untrusted", "empty key"},
		{"no parent", full, "", "empty key"},
		{"bad parent", full, "/a/../b", `".." segment`},
		{"too long together", full, "/u", "longer than 1024 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e *keypath.Error
			if k, err := tt.key.WithPrefix(tt.parent); !errors.As(err, &e) || e.Fault != tt.fault ||
				!k.IsZero() {
				t.Errorf("got %q, %v; want %s", k, err, tt.fault)
			}
		})
	}
}

func TestParseDoesNotCopyNormalKeys(t *testing.T) {
	for _, key := range []string{"/user/preference/style", "/.config/a",
		"/user/calendar/2026-02-23_10-00_牙科复诊"} {
		if n := testing.AllocsPerRun(100, func() { keypath.MustParse(key) }); n != 0 {
			t.Errorf("%s: %v allocations", key, n)
		}
	}
}
