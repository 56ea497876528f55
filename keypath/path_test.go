package keypath_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
)

// hexOf is the beginning of a SHA-256, computed apart from the package.
func hexOf(s string, digits int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:digits]
}

// fileOf is the path that a key must have when its encoded segments are name.
func fileOf(k keypath.Key, name string) keypath.RelPath {
	return keypath.RelPath(name + "@" + hexOf(k.String(), 6) + ".json")
}

func TestPathEncoding(t *testing.T) {
	tests := []struct{ name, key, want string }{
		{"plain", "/user/preference/style", "user/preference/style"},
		{"one level", "/a", "a"},
		{"Chinese stays readable", "/user/calendar/2026-02-23_10-00_牙科复诊",
			"user/calendar/2026-02-23_10-00_牙科复诊"},
		{"every script", "/ελ/Привет/हिन्दी/한국어/עברית/👩‍💻", "ελ/Привет/हिन्दी/한국어/עברית/👩‍💻"},
		{"reserved in a file name", `/a%@<>:"\|?*b`, "a%25%40%3C%3E%3A%22%5C%7C%3F%2Ab"},
		{"reserved in a directory name", `/x@y:z/b`, "x%40y%3Az/b"},
		{"an escape is escaped", "/a%2Fb", "a%252Fb"},
		{"what the rest of the shell bears", "/a b/$x'&;!#()[]{}^`~=+,", "a b/$x'&;!#()[]{}^`~=+,"},
		{"leading dot", "/.git/.config", "%2Egit/%2Econfig"},
		{"leading dots", "/..a", "%2E.a"},
		{"three dots", "/...", "%2E.%2E"},
		{"leading dash", "/-rf/--help", "%2Drf/%2D-help"},
		{"dash alone", "/-", "%2D"},
		{"trailing dot", "/a./b..", "a%2E/b.%2E"},
		{"trailing space", "/a /b  ", "a%20/b %20"},
		{"space alone", "/ ", "%20"},
		{"leading space", "/ a", " a"},
		{"dots and dashes inside", "/a.b-c/1.-2", "a.b-c/1.-2"},
		{"device", "/CON/con/Con", "%43ON/%63on/%43on"},
		{"device with extension", "/aux.txt/nul.tar.gz", "%61ux.txt/%6Eul.tar.gz"},
		{"device with spaces", "/PRN  .txt/prn ", "%50RN  .txt/%70rn%20"},
		{"ports", "/com0/COM9/lpt1.x/LPT5", "%63om0/%43OM9/%6Cpt1.x/%4CPT5"},
		{"superscript ports", "/com¹/LPT².a/COM³", "%63om¹/%4CPT².a/%43OM³"},
		{"consoles", "/CONIN$/conout$.x/Clock$", "%43ONIN$/%63onout$.x/%43lock$"},
		{"a device has a dot behind", "/con.", "%63on%2E"},
		{"no devices", "/con1/com/com10/com⁴/lptx/console/conin/acon/con-/con\u00a0",
			"con1/com/com10/com⁴/lptx/console/conin/acon/con-/con\u00a0"},
		{"looks like a cut", "/x~0123456789abcdef/~0123456789abcdef",
			"x%7E0123456789abcdef/%7E0123456789abcdef"},
		{"does not look like a cut", "/x~0123456789ABCDEF/x~0123456789abcde/x~0123456789abcdefa",
			"x~0123456789ABCDEF/x~0123456789abcde/x~0123456789abcdefa"},
		{"mark after an escape", "/:\u0327\u0301x/-\u0307", "%3A%CC%A7%CC%81x/%2D%CC%87"},
		{"mark after a letter", "/q\u0301", "q\u0301"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := keypath.MustParse(tt.key)
			if got, want := k.Path(), fileOf(k, tt.want); got != want {
				t.Errorf("%q: %s\nwant %s", tt.key, got, want)
			}
			checkPath(t, k.Path())
			checkExact(t, k)
		})
	}
}

func TestPathCutsLongSegments(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	tests := []struct{ name, seg, head string }{
		{"one too many", a(201), a(183)},
		{"the longest", a(1023), a(183)},
		{"at a character", strings.Repeat("牙", 67), strings.Repeat("牙", 61)},
		{"before a character", "a" + strings.Repeat("牙", 67), "a" + strings.Repeat("牙", 60)},
		{"before an escape", a(181) + strings.Repeat("@", 20), a(181)},
		{"after an escape", a(180) + strings.Repeat("@", 20), a(180) + "%40"},
		{"escapes only", strings.Repeat("%", 100), strings.Repeat("%25", 61)},
		{"too long by its last escape", a(199) + ".", a(183)},
		{"too long by its escaped tilde", a(182) + "~0123456789abcdef", a(182)},
		{"a tilde before the cut", a(182) + "~0123456789abcdef" + a(9), a(182) + "~"},
		{"a device for all that", "nul." + a(200), "%6Eul." + a(177)},
		{"a device with spaces", "nul" + strings.Repeat(" ", 300),
			"%6Eul" + strings.Repeat(" ", 178)},
		{"no device for its spaces", "nul" + strings.Repeat(" ", 300) + "x",
			"nul" + strings.Repeat(" ", 180)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.head + "~" + hexOf(tt.seg, 16)
			k := keypath.MustParse("/" + tt.seg)
			if got := k.Path(); got != fileOf(k, want) {
				t.Errorf("as a file:\ngot  %s\nwant %s", got, fileOf(k, want))
			}
			checkPath(t, k.Path())
			checkCut(t, k.Path())
			if len(k.String()) > keypath.MaxLen-2 {
				return
			}
			k = keypath.MustParse("/" + tt.seg + "/x")
			if got := k.Path(); got != fileOf(k, want+"/x") {
				t.Errorf("as a directory:\ngot  %s\nwant %s", got, fileOf(k, want+"/x"))
			}
			checkCut(t, k.Path())
		})
	}
}

func TestPathKeepsSegmentsThatJustFit(t *testing.T) {
	for _, seg := range []string{
		strings.Repeat("a", 200),
		strings.Repeat("a", 197) + ".",
		strings.Repeat("@", 66) + "aa",
		strings.Repeat("牙", 66),
		strings.Repeat("a", 181) + "~0123456789abcdef",
	} {
		k := keypath.MustParse("/" + seg)
		checkPath(t, k.Path())
		checkExact(t, k)
	}
}

func TestPathTellsNeighboursApart(t *testing.T) {
	keys := []string{
		"/a", "/a/b", "/A", "/a/B", "/a.json", "/a@" + hexOf("/a", 6) + ".json",
		"/a@" + hexOf("/a", 6) + ".json/b",
		"/User", "/user", "/User/x", "/user/x", "/user/X", "/é", "/É", "/e", "/%61", "/a%20", "/a ",
		"/a+",
	}
	seen := map[string]string{}
	for _, key := range keys {
		folded := strings.ToLower(string(keypath.MustParse(key).Path()))
		if other, ok := seen[folded]; ok {
			t.Errorf("%q and %q share %s where case is ignored", key, other, folded)
		}
		seen[folded] = key
	}
	for path := range seen {
		for other := range seen {
			if strings.HasPrefix(other, path+"/") {
				t.Errorf("%s is a file and the directory of %s", path, other)
			}
		}
	}
}

// One allocation is the path, the other the bytes to hash.
func TestPathAllocatesTwice(t *testing.T) {
	k := keypath.MustParse("/user/calendar/2026-02-23_10-00_牙科复诊")
	if n := testing.AllocsPerRun(100, func() { _ = k.Path() }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
