package content_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/content"
)

func TestFileNames(t *testing.T) {
	for text, want := range map[string]string{
		"web/cart/price.ts rounds half up":           "web/cart/price.ts",
		"see `./web/a.go`, \"b.go\" and (c_d-e.go).": "web/a.go b.go c_d-e.go",
		"price.ts:42 and web/a.ts#L3-L9":             "price.ts web/a.ts",
		"all of internal/billing/ needs it":          "internal/billing/",
		"all of internal/ needs it":                  "",
		"/etc/nginx/nginx.conf and /srv/":            "/etc/nginx/nginx.conf",
		`C:\src\web\a.ts`:                            "/src/web/a.ts",
		"修改web/src/a.ts时注意":                          "web/src/a.ts",
		"docs/über.md, docs/über.md":                 "docs/über.md",
		".env and .github/workflows/ci.yml":          ".env .github/workflows/ci.yml",
		"https://example.com/a/b.html":               "",
		"../up/a.go ~/home.go a//b.go x/../y.go":     "",
		"e.g. v1.2.3 costs 3.50 in 2026. Then ...":   "e.g",
		"run @scope/pkg, or -x=a/b.c --file=d/e.f":   "scope/pkg a/b.c d/e.f",
		"Makefile and Dockerfile":                    "",
		"read/write and TCP/IP":                      "read/write TCP/IP",
		"":                                           "",
	} {
		f := content.Fields{Text: text}
		if got := strings.Join(f.FileNames(), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	f := content.Fields{Summary: "a.go", Text: "b.go a.go"}
	if got := f.FileNames(); !slices.Equal(got, []string{"b.go", "a.go"}) {
		t.Errorf("%q", got)
	}
	f = content.Fields{}
	for i := range 100 {
		f.Text += fmt.Sprintf("x/%d.go ", i)
	}
	if n := len(f.FileNames()); n != 32 {
		t.Errorf("%d names of a listing", n)
	}
}

// What an index has of a name is among the names by which a file is looked up.
func TestIndexedNamesAreLookedUp(t *testing.T) {
	for name, file := range map[string]string{
		"web/cart/price.ts": "web/cart/price.ts", "price.ts": "web/cart/price.ts",
		"web/cart/": "web/cart/price.ts", "a/b/": "a/b/c/d.go", "web/**/*.ts": "web/cart/price.ts",
		"*.tf": "infra/main.tf", "/srv/web/": "/srv/web/a.go", "web/[ab].go": "web/a.go",
		"web/cart/p*": "web/cart/price.ts", "Makefile": "Makefile",
	} {
		lookup := content.NamesOfFile(file)
		for _, indexed := range content.IndexedNames(name) {
			if !slices.Contains(lookup, indexed) {
				t.Errorf("%s: %s is not among %q", name, indexed, lookup)
			}
		}
	}
}

// A text of any bytes yields names that are short, clean and in the text.
func TestFileNamesOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab./\\-_ ~@+:é数*\"\x00\n")), 0, 60, -1).
			Draw(t, "text")
		f := content.Fields{Text: text}
		for _, name := range f.FileNames() {
			if name == "" || strings.Contains(name, "..") && slices.Contains(
				strings.Split(name, "/"), "..") || strings.ContainsAny(name, " :\"\x00\n*\\") ||
				!strings.Contains(strings.ReplaceAll(text, `\`, "/"), name) {
				t.Fatalf("%q: %q", text, name)
			}
		}
	})
}
