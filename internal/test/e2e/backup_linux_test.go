package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A backup goes to a real server of ssh, and comes back in the place of a memory that was lost.
func TestBackupOverSSH(t *testing.T) {
	t.Parallel()
	nas := newComputer(t)
	port, path := sshd(t, nas)
	one := newComputer(t, "PATH="+path+":"+nas.bin+":"+os.Getenv("PATH"))
	dest := "ssh://127.0.0.1:" + port + "/home"
	one.mem("set", "/user/a", `"helix"`, "-s", "chat", "-q")
	one.mem("backup", "--yes", "-q", dest)
	if in := grep(nas.home, "helix"); in != "" {
		t.Errorf("plain text is in %s", in)
	}
	want := one.memories()
	if err := os.RemoveAll(filepath.Join(one.home, ".local", "share", "mem")); err != nil {
		t.Fatal(err)
	}
	if out := one.mem("restore", "--yes", dest); out != "1 line verified\t1 new\t0 files\n" {
		t.Error(out)
	}
	if got := one.memories(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
