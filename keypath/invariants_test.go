package keypath_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/set-memory/mem/keypath"
)

// The rules of a path, written a second time and in another way than the package does.
var (
	device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|clock\$|` +
		`(com|lpt)[0-9¹²³]) *(\.|$)`)
	unsafe   = regexp.MustCompile(`[<>:"\\|?*\x00-\x1f\x7f]|^[.-]|[. ]$`)
	escape   = regexp.MustCompile(`%(?:[0-9A-F]{2})?`)
	fileName = regexp.MustCompile(`^[^@]+@[0-9a-f]{6}\.json$`)
)

// checkPath holds p against everything that the path of a key promises.
func checkPath(t testing.TB, p keypath.RelPath) {
	t.Helper()
	if !filepath.IsLocal(filepath.FromSlash(string(p))) || !fs.ValidPath(string(p)) {
		t.Errorf("%q leaves its root", p)
	}
	if !norm.NFC.IsNormalString(string(p)) {
		t.Errorf("%q is not NFC", p)
	}
	names := strings.Split(string(p), "/")
	for i, name := range names {
		checkName(t, name)
		if isFile := i == len(names)-1; fileName.MatchString(name) != isFile ||
			strings.Contains(name, "@") != isFile {
			t.Errorf("%q: element %d of %d could be taken for the other kind", name, i+1,
				len(names))
		}
	}
}

func checkName(t testing.TB, name string) {
	t.Helper()
	switch {
	case name == "" || len(name) > 212:
		t.Errorf("%q has %d bytes", name, len(name))
	case unsafe.MatchString(name):
		t.Errorf("%q is unsafe", name)
	case device.MatchString(name):
		t.Errorf("%q is a device", name)
	}
	for _, esc := range escape.FindAllString(name, -1) {
		if esc == "%" {
			t.Errorf("%q has a broken escape", name)
		}
	}
}

// checkKey holds k against everything that a parsed key promises.
func checkKey(t testing.TB, k keypath.Key) {
	t.Helper()
	s := k.String()
	if len(s) > keypath.MaxLen || !utf8.ValidString(s) || !norm.NFC.IsNormalString(s) {
		t.Errorf("%q: %d bytes, or not NFC", s, len(s))
	}
	if strings.IndexFunc(s, func(r rune) bool {
		return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r)
	}) >= 0 {
		t.Errorf("%q has a control character", s)
	}
	if strings.ContainsAny(s, "\u2028\u2029") {
		t.Errorf("%q has a line separator", s)
	}
	var joined strings.Builder
	for seg := range k.Segments() {
		if seg == "" || seg == "." || seg == ".." {
			t.Errorf("%q has the segment %q", s, seg)
		}
		joined.WriteString("/" + seg)
	}
	if joined.String() != s {
		t.Errorf("%q: segments make %q", s, joined.String())
	}
}
