package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// What is found and below the floor is no answer to search --relevant.
func TestSearchRelevant(t *testing.T) {
	root := filepath.Join(t.TempDir(), "memory")
	for key, text := range map[string]string{
		"/a": "Backups lie on the old laptop.", "/b": "The port of the laptop is loose.",
	} {
		answered(t, "", "set", key, `"`+text+`"`, "-s", "t", "--root", root, "-q")
	}
	const prompt = "thanks for the car and the laptop"
	for _, c := range []struct {
		args []string
		want int // hits
	}{
		{[]string{prompt}, 2}, {[]string{"--relevant", prompt}, 0},
		{[]string{"--relevant", "do the backups lie on the laptop?"}, 2},
	} {
		var out, stderr bytes.Buffer
		exit := Run(append([]string{"search", "--root", root}, c.args...), strings.NewReader(""),
			&out, &stderr, testBuild)
		got := strings.Count(out.String(), "laptop")
		if got != c.want || (exit == exitDone) != (c.want > 0) {
			t.Errorf("%q: exit %d, %q", c.args, exit, out.String())
		}
	}
	answered(t, "", "fsck", "--root", root)
}
