package app

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// A shell that runs mem with 9>lock must not find its lock held by what mem has left behind.
func TestNothingOfTheCallerIsInherited(t *testing.T) {
	for name, keep := range map[string]func(){
		"at once": keepDescriptors, "one by one": func() { keepListed("/proc/self/fd") },
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		inherited, err := unix.Dup(int(w.Fd())) // without close-on-exec, as a shell passes it on
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(inherited)
		passedOn := func() bool {
			flags, err := unix.FcntlInt(uintptr(inherited), unix.F_GETFD, 0)
			return err == nil && flags&unix.FD_CLOEXEC == 0
		}
		if !passedOn() {
			t.Fatalf("%s: the descriptor was not passed on before", name)
		}
		keep()
		if passedOn() {
			t.Errorf("%s: the descriptor is passed on", name)
		}
	}
}

// The command keeps no directory of the caller's, and finds the root all the same.
func TestCompactionRunsElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := compactCommand("memory")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if cmd.Dir != "/" || !slices.Contains(cmd.Env, "MEM_ROOT="+here+"/memory") ||
		!cmd.SysProcAttr.Setsid {
		t.Errorf("%q in %s, %+v", cmd.Env, cmd.Dir, cmd.SysProcAttr)
	}
}
