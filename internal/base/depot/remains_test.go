package depot

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Copies of segments, what a killed Put left, and directories of old versions are named, in the
// depot and above it; segments, other files and links are not.
func TestRemains(t *testing.T) {
	const magic = "seal 1\n"
	f, path := made(t)
	if err := f.Put([]byte(magic + "segment")); err != nil {
		t.Fatal(err)
	}
	name := NameOf([]byte(magic + "segment"))
	at := func(name string) string { return filepath.Join(path, filepath.FromSlash(name)) }
	copied := name[:2] + "/" + name + ".sync-conflict-20260222-120000-ABCDEFG"
	temp := name[:2] + "/.tmp-0123456789abcdef"
	put(t, at(copied), magic+"segment")
	put(t, at(temp), magic+"se")
	put(t, at("zz/deep/er/copy"), magic)
	put(t, at("zz/.stversions/x"), "x")
	put(t, at(".git/objects/aa/bb"), "x")
	put(t, at("mem-sync (conflicted copy).json"), "{}")
	put(t, at("short"), magic[:3])
	put(t, at("empty"), "")
	put(t, filepath.Join(filepath.Dir(path), ".dropbox.cache", "x"), "x")
	if err := os.Symlink(at(copied), at("link")); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{copied, temp, "zz/deep/er/copy", "zz/.stversions", ".git",
		"../.dropbox.cache"} {
		real, err := filepath.EvalSymlinks(at(name))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, real)
	}
	slices.Sort(want)
	for kind, d := range map[string]interface {
		Remains([]byte) ([]Remain, error)
	}{
		"folder": f, "pipe": piped(t, path, "")} {
		list, err := d.Remains([]byte(magic))
		var got []string
		for _, r := range list {
			if got = append(got, r.Path); r.Why == "" {
				t.Errorf("%s: no reason for %s", kind, r.Path)
			}
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", kind, err, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
	for i := range 20 {
		put(t, at(fmt.Sprintf("many/%d", i)), magic)
	}
	defer func(was int) { maxLooked = was }(maxLooked)
	maxLooked = 8
	list, err := f.Remains([]byte(magic))
	if err != nil || len(list) > 11 || !slices.ContainsFunc(list, func(r Remain) bool {
		return strings.Contains(r.Why, "8 names")
	}) {
		t.Errorf("%+v, %v", list, err)
	}
}
