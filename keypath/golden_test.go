package keypath_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
)

var update = flag.Bool("update", false, "add awkward keys that testdata/paths.txt lacks; lines "+
	"that are there never change")

const goldenFile = "testdata/paths.txt"

// awkward lists keys that a mapping could stumble over, each as a caller could write it.
func awkward() []string {
	n := strings.Repeat
	return []string{
		"/a", "/a/b", "/A", "/user", "/User", "/user/preference/style", "/a.json",
		"/user/calendar/2026-02-23_10-00_牙科复诊", "/用户/偏好/回答风格", "/日本語/한국어/हिन्दी/ελληνικά/русский",
		"/עברית/العربية",
		"/👩‍💻/🇨🇳/☕️", "/caf\u00e9", "/\u1112\u1161\u11ab", "/q\u0323\u0307", "/a/\u0301b",
		"/\u0e01\u0e34\u0e19",
		"/.git/config", "/.hidden", "/...", "/..a", "/a..", "/a..b", "/-rf", "/--help", "/-", "/ ",
		"/ a ", "/a./b.", "/a b/c  d",
		`/%<>:"\|?*@`, "/100%", "/%2F", "/%41", "/a%2e%2e/b", "/mail/alice@example.com", "/a@b/c",
		"/a@a1b2c3.json", "/a@a1b2c3.json/b",
		`/C:\Windows\System32`, "/https:%2F%2Fexample.com?a=1&b=2#c", "/time/10:30:00",
		"/$HOME/`id`/$(id)/~/'x'", "/a;b&c|d>e<f",
		"/CON", "/con", "/nul.txt", "/aux/prn/x", "/COM1", "/com0.log", "/lpt9", "/COM¹", "/lpt².x",
		"/CONIN$", "/conout$", "/clock$", "/con ", "/con .x",
		"/console", "/com10", "/com", "/null", "/x~0123456789abcdef", "/~0123456789abcdef/x",
		"/x~0123456789ABCDEF", "/PROGRA~1",
		"/:\u0327", "/-\u0301\u0327x", "/\u00a0", "/\ufeff", "/\u200b", "/\ufffd", "/\U0010ffff",
		"/\u0378",
		"/" + n("a", 200), "/" + n("a", 201), "/" + n("a", 1023), "/" + n("牙", 66),
		"/" + n("牙", 67), "/x" + n("牙", 70) + "/y",
		"/" + n("%", 67), "/" + n("a", 182) + "~0123456789abcdef", "/" + n("a", 199) + ".",
		"/nul" + n(" ", 300), "/nul" + n(" ", 300) + "x",
		"/" + n("a", 250) + "/" + n("b", 250) + "/" + n("c", 250), n("/a", 512), n("/:", 512),
		"/" + n("👍", 255),
	}
}

// TestGolden holds the mapping to what it was when a line was added: a path that changes would
// orphan files on every disk. The first lines were checked against a second implementation, in
// another language.
func TestGolden(t *testing.T) {
	known := readGolden(t)
	var missing []string
	for _, key := range awkward() {
		if _, ok := known[key]; !ok {
			missing = append(missing, key)
		}
	}
	if *update {
		addGolden(t, missing)
	} else if len(missing) > 0 {
		t.Errorf("%s lacks %d keys, the first %q: run go test ./keypath -update", goldenFile,
			len(missing), missing[0])
	}
	for key, want := range known {
		if got := keypath.MustParse(key).Path(); string(got) != want {
			t.Errorf("%q: %s\nwant %s", key, got, want)
		}
	}
}

// readGolden reads lines of key, tab, path; a key holds no tab.
func readGolden(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	known := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, path, ok := strings.Cut(lines.Text(), "\t")
		if _, twice := known[key]; !ok || twice {
			t.Fatalf("%s: bad or double line %q", goldenFile, lines.Text())
		}
		known[key] = path
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return known
}

// addGolden only ever appends.
func addGolden(t *testing.T, keys []string) {
	t.Helper()
	file, err := os.OpenFile(goldenFile, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if _, err := fmt.Fprintf(file, "%s\t%s\n", key, keypath.MustParse(key).Path()); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
