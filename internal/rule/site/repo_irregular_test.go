//go:build unix

package site_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
)

// What stands in the place of the index is not opened, or neither is the configuration.
func TestTracksIrregular(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	index, config := dir+"/.git/index", dir+"/.git/config"
	put(t, dir+"/.git/HEAD", "")
	put(t, dir+"/good", string(encode(2, []string{"a"})))
	r, _, err := site.FindRepo(dir)
	must(t, err)
	for _, plant := range []func(path string) error{
		func(path string) error { return os.Symlink("../good", path) },
		func(path string) error { return os.Symlink("/dev/zero", path) },
		func(path string) error { return os.Mkdir(path, 0o700) },
		func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		must(t, plant(index))
		if got, err := r.Tracks(dir + "/a"); got || !errors.Is(err, disk.ErrIrregular) {
			t.Errorf("the index: %v, %v", got, err)
		}
		must(t, os.Remove(index))
		put(t, index, string(encode(2, []string{"a"})))
		must(t, plant(config))
		if got, err := r.Tracks(dir + "/a"); got || !errors.Is(err, disk.ErrIrregular) {
			t.Errorf("the configuration: %v, %v", got, err)
		}
		must(t, os.Remove(config))
		must(t, os.Remove(index))
	}
	put(t, index, string(encode(2, []string{"a"})))
	for text, fine := range map[string]bool{
		"":                                    true,
		"[extensions]\nobjectformat = sha1\n": true,
		"[extensions]\nobjectformat = md5\n":  false,
		"[extensions]\nobjectformat = \"sha1": false,
		"[core]\x00":                          false,
		strings.Repeat("#\n", 3<<20):          false,
	} {
		put(t, config, text)
		if got, err := r.Tracks(dir + "/a"); got != fine || fine != (err == nil) {
			t.Errorf("%.80q: %v, %v", text, got, err)
		}
	}
}
