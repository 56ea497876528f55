package daily

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

// draft is a file of this user's alone in which a person edits a text.
type draft struct {
	path string
	was  []byte
}

// newDraft writes a text to a file for an editor, whose name says that it is JSON.
func newDraft(text []byte) (*draft, error) {
	dir, err := os.MkdirTemp("", "mem-edit-") // 0700
	if err != nil {
		return nil, err
	}
	d := &draft{filepath.Join(dir, "memory.json"), text}
	if err := os.WriteFile(d.path, text, 0o600); err != nil {
		d.remove()
		return nil, err
	}
	return d, nil
}

// remove removes the file, and what an editor has left beside it.
func (d *draft) remove() { _ = os.RemoveAll(filepath.Dir(d.path)) } // it is of no use any more

// read returns the saved text.
func (d *draft) read() ([]byte, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, &app.Usage{What: "edit", Why: app.Message(err)}
	}
	defer f.Close()
	return app.ReadText(f, "content", policy.MaxContent)
}

// touched reports whether something was saved that would be lost.
func (d *draft) touched() bool {
	text, err := os.ReadFile(d.path)
	return err == nil && !bytes.Equal(text, d.was)
}

// open opens the file in the editor of this person, and waits. Where nobody is at a terminal, only
// a program that was named is run.
func (d *draft) open(a *app.App, cmd *cobra.Command) error {
	name := cmp.Or(strings.TrimSpace(a.Getenv("VISUAL")), strings.TrimSpace(a.Getenv("EDITOR")))
	attended := app.IsTerminal(cmd)
	if name == "" && !attended {
		return &app.Usage{What: "edit", Why: "there is no terminal for an editor",
			Hint: "mem set KEY @FILE --source WHERE stores another content; " +
				"EDITOR may name a program that needs no terminal"}
	}
	name = cmp.Or(name, "vi")
	editor := shellCommand(name, d.path)
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
		return &app.Usage{What: "edit", Why: "the editor " + name + " failed: " + err.Error()}
	}
	return &app.Usage{What: "edit", Why: "no such editor: " + name,
		Hint: "set VISUAL or EDITOR, like EDITOR=nano"}
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

// Saved is a text that a person has edited, and the file that has it.
type Saved struct {
	Text  []byte
	draft *draft
}

// EditText lets a person edit a text in an editor.
func EditText(a *app.App, cmd *cobra.Command, text []byte) (s Saved, err error) {
	if s.draft, err = newDraft(text); err != nil {
		return s, err
	}
	if err = s.draft.open(a, cmd); err == nil {
		s.Text, err = s.draft.read()
	}
	if err != nil {
		s.Remove()
	}
	return s, err
}

// File returns the path of the file; "" where nothing would be lost with it.
func (s Saved) File() string {
	if s.draft.touched() {
		return s.draft.path
	}
	return ""
}

// Remove removes the file.
func (s Saved) Remove() { s.draft.remove() }
