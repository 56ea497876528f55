package serve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem"
)

// A socket lies in directories of this user alone. One that another user has made first, or could
// replace later, is refused, and nothing is made in it.
func TestSocketsDirectoryIsPrivate(t *testing.T) {
	for name, prepare := range map[string]func(base, dir string) error{
		"free": func(string, string) error { return nil },
		"made": func(_, dir string) error { return os.MkdirAll(dir+"/memd", 0o700) },
		"sticky": func(base, _ string) error {
			return os.Chmod(base, 0o777|os.ModeSticky)
		},
		"refused: open to all": func(_, dir string) error {
			return os.Mkdir(dir, 0o755)
		},
		"refused: open to all below": func(_, dir string) error {
			return os.MkdirAll(dir+"/memd", 0o755)
		},
		"refused: a link": func(base, dir string) error {
			return os.Symlink(t.TempDir(), dir)
		},
		"refused: a link below": func(base, dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Symlink(base, dir+"/memd")
		},
		"refused: a file": func(_, dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"refused: replaceable": func(base, _ string) error {
			return os.Chmod(base, 0o777)
		},
		"refused: another's": func(_, dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chown(dir, 65534, 65534)
		},
		"refused: another's place": func(base, _ string) error {
			return os.Chown(base, 65534, 65534)
		},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "memd-1")
			if err := prepare(base, dir); os.IsPermission(err) {
				t.Skip("another user's directory needs root")
			} else if err != nil {
				t.Fatal(err)
			}
			path, err := DatabaseRoot(nil, base, "memd-1", "memd").Socket()
			if name[:4] != "refu" {
				if err != nil || path != dir+"/memd/memd.sock" {
					t.Errorf("%q, %v", path, err)
				}
				return
			}
			if mem.KindOf(err) != mem.KindInput {
				t.Errorf("%q, %v", path, err)
			}
			if list, _ := filepath.Glob(dir + "/memd/*.sock*"); len(list) > 0 {
				t.Errorf("made %q", list)
			}
		})
	}
}
