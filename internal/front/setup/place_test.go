package setup

import (
	"os"
	"testing"
)

func TestFindProject(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a/.git", "gitdir: elsewhere\n")
	write(t, dir+"/e/.git/HEAD", "ref: refs/heads/main\n")
	write(t, dir+"/a/y/.git", "")
	for _, name := range []string{"/a/b/c", "/a/x/.git", "/a/y", "/d", "/e/f"} {
		if err := os.MkdirAll(dir+name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string]string{
		"/a/b/c": "/a", "/a": "/a", "/a/x": "/a", "/a/y": "/a", "/d": "/d", "/e/f": "/e",
	} {
		if got := FindProject(dir + from); got != dir+want {
			t.Errorf("%s: %s", from, got)
		}
	}
}
