package harness

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A Store is one of the binary Mem in a directory for temporary files, until Close.
type Store struct{ Mem, Dir string }

// NewStore returns a store that is empty.
func NewStore(mem string) Store {
	return Store{mem, Must(os.MkdirTemp("", "store-*"))}
}

// Close removes the store.
func (s Store) Close() { os.RemoveAll(s.Dir) }

// Run runs the binary on the store, at a time; "" is now.
func (s Store) Run(now string, in io.Reader, allowed int, args ...string) []byte {
	cmd := exec.Command(s.Mem, append([]string{"--root", s.Dir}, args...)...)
	cmd.Env = append(os.Environ(), "MEM_NOW="+now)
	cmd.Stdin = in
	return Output(cmd, allowed)
}

// Output returns what a command prints. One exit code besides 0 is no error.
func Output(cmd *exec.Cmd, allowed int) []byte {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != allowed) {
		Failf("%s: %w: %.500s", strings.Join(cmd.Args, " "), err, said.String())
	}
	return out
}
