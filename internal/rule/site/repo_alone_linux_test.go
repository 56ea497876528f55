package site_test

import (
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// A file is tracked alone where no other one has its last element, in each version of the index;
// of a part that is elsewhere nothing is known.
func TestTracksAlone(t *testing.T) {
	dir := realTemp(t)
	committed(t, dir, "a/x.go", "a/y.go", "b/y.go", "z.go", "a/zz.go")
	want := func(what string, tracked map[string]bool) {
		t.Helper()
		repo, ok, err := site.RepoAt(dir)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for name, want := range tracked {
			if got, err := repo.TracksAlone(filepath.Join(dir, name)); got != want || err != nil {
				t.Errorf("%s: %s: %v, %v", what, name, got, err)
			}
		}
	}
	all := map[string]bool{"a/x.go": true, "a/y.go": false, "b/y.go": false, "z.go": true,
		"a/zz.go": true, "x.go": false, "c/x.go": false, "a": false}
	want("version 2", all)
	git(t, dir, "update-index", "--index-version", "4")
	want("version 4", all)
	git(t, dir, "update-index", "--split-index")
	want("split", map[string]bool{"a/x.go": false, "z.go": false})
}
