package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The directories that mem writes to are made, and named until the settings of Codex have them, in
// whatever spelling of TOML, also as a part of a directory above.
func TestRootsOfTheSandbox(t *testing.T) {
	const table = "[sandbox_workspace_write]\n"
	for text, want := range map[string]string{
		"":                                     "~/share/mem ~/state",
		table + "writable_roots = []":          "~/share/mem ~/state",
		table + "# writable_roots = ['~']":     "~/share/mem ~/state",
		table + "x = 1 # writable_roots=['~']": "~/share/mem ~/state",
		"writable_roots = ['~']":               "~/share/mem ~/state",
		"[a]\nwritable_roots = ['~']\n" + table +
			"writable_roots = ['~/share']": "~/share ~/state",
		table + "x = \"\"\"\nwritable_roots = ['~']\"\"\"": "~/share/mem ~/state",
		table + "writable_roots = ['~/sha']":               "~/sha ~/share/mem ~/state",
		table + "writable_roots = ['~/share']":             "~/share ~/state",
		table + "\"writable_roots\" = [ '~/state']":        "~/state ~/share/mem",
		table + "writable_roots=[\"~/state/\", '/x']":      "~/state/ /x ~/share/mem",
		table + "writable_roots = [\r\n# '~',\r\n '~/state', # " +
			"\"/y\"\r\n]": "~/state ~/share/mem",
		table + "writable_roots = ['~']":                                  "",
		"sandbox_workspace_write.writable_roots = ['~/share', '~/state']": "",
		"sandbox_workspace_write = { network_access = true, " +
			"writable_roots = [\"~\\u002f\"] }": "",
	} {
		f := newFixture(t)
		r := f.request("codex", User)
		share, state := filepath.Join(f.home, "share", "mem"), filepath.Join(f.home, "state")
		r.Stores = []string{share, "postgres://127.0.0.1/db?space=s", state}
		if text != "" {
			write(t, filepath.Join(f.home, ".codex", "config.toml"),
				strings.ReplaceAll(text, "~", filepath.ToSlash(f.home)))
		}
		if err := MakeRoots(r); err != nil {
			t.Fatal(err)
		}
		_, open, closed := r.sandboxRoots()
		for _, dir := range []string{share, state} {
			if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
				t.Errorf("%q: %v", text, err)
			}
		}
		got := ""
		for _, step := range NextSteps(r) {
			if _, list, ok := strings.Cut(step, "writable_roots = "); ok {
				got = list
			}
		}
		if want != "" {
			named := strings.Fields(strings.ReplaceAll(want, "~", f.home))
			want = "[" + quoteAll(named) + "]"
			if !slices.Equal(named, slices.Concat(open, closed)) {
				t.Errorf("%q: %q and %q", text, open, closed)
			}
		}
		if got != want {
			t.Errorf("%q: setup names %s, want %s", text, got, want)
		}
	}
	f := newFixture(t)
	r := f.request("claude-code", User)
	r.Stores = []string{filepath.Join(f.home, "share")}
	if err := MakeRoots(r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.Stores[0]); err == nil {
		t.Error("a client without a sandbox needs no directory")
	}
}
