// Package draft has the file in which a person edits the text of a memory, here or for a server.
package draft

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/spf13/cobra"
)

// Draft is a file of this user's alone in which a person edits a text.
type Draft struct {
	Path string
	Was  []byte // the text before
}

// New writes a text to a file for an editor, whose name says that it is JSON.
func New(text []byte) (*Draft, error) {
	dir, err := os.MkdirTemp("", "mem-edit-") // 0700
	if err != nil {
		return nil, err
	}
	d := &Draft{filepath.Join(dir, "memory.json"), text}
	if err := os.WriteFile(d.Path, text, 0o600); err != nil {
		d.Remove()
		return nil, err
	}
	return d, nil
}

// Remove removes the file, and what an editor has left beside it.
func (d *Draft) Remove() { _ = os.RemoveAll(filepath.Dir(d.Path)) } // it is of no use any more

// read returns the saved text.
func (d *Draft) read() ([]byte, error) {
	f, err := os.Open(d.Path)
	if err != nil {
		return nil, app.BadInput("edit", app.Message(err), "")
	}
	defer f.Close()
	return app.ReadText(f, "content", policy.MaxContent)
}

// IsTouched reports whether something was saved that would be lost.
func (d *Draft) IsTouched() bool {
	text, err := os.ReadFile(d.Path)
	return err == nil && !bytes.Equal(text, d.Was)
}

// Edit lets a person edit the file, and returns the text that was saved.
func (d *Draft) Edit(a *app.App, cmd *cobra.Command) ([]byte, error) {
	if err := d.open(a, cmd); err != nil {
		return nil, err
	}
	return d.read()
}

// open opens the file in the editor of this person, and waits. Where nobody is at a terminal, only
// a program that was named is run.
func (d *Draft) open(a *app.App, cmd *cobra.Command) error {
	name := cmp.Or(strings.TrimSpace(a.Getenv("VISUAL")), strings.TrimSpace(a.Getenv("EDITOR")))
	attended := app.IsTerminal(cmd)
	if name == "" && !attended {
		return app.BadInput("edit", "there is no terminal for an editor",
			"mem set KEY @FILE --source WHERE stores another content; "+
				"EDITOR may name a program that needs no terminal")
	}
	name = cmp.Or(name, "vi")
	editor := shellCommand(name, d.Path)
	editor.Stderr, editor.Stdout = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if attended { // else an editor that waits for keys reads the end of its input
		editor.Stdin = cmd.InOrStdin()
	}
	if out, ok := cmd.OutOrStdout().(*app.Answer); ok && out.Terminal {
		editor.Stdout = out.To
	}
	err := runInFront(editor)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() != notFound:
		return app.BadInput("edit", "the editor "+name+" failed: "+err.Error(), "")
	}
	return app.BadInput("edit", "no such editor: "+name, "set VISUAL or EDITOR, like EDITOR=nano")
}

// shellCommand returns a command that a person has put into the environment, as $EDITOR:
// its words are the shell's where there is one, and args follow them.
func shellCommand(text string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(text), args...)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", append([]string{"-c", text + ` "$@"`, text}, args...)...)
}

// runInFront runs a program that has the terminal until it ends, Ctrl-C included. To catch that
// here, unlike to ignore it, is not passed on to the program.
func runInFront(program *exec.Cmd) error {
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt)
	defer signal.Stop(got)
	return program.Run()
}

// notFound is the exit code of a shell that does not find the command.
const notFound = 127
