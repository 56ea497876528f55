package cli

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"

	"github.com/set-memory/mem/jsontext"
	"github.com/spf13/cobra"
)

// shellCommand returns a command that a person has put into the environment, as $PAGER and $EDITOR:
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

// pagerOf returns the pager of a terminal; "" for none.
func pagerOf(a *app) string {
	if a.getenv("TERM") == "dumb" {
		return ""
	}
	pager := strings.TrimSpace(cmp.Or(a.getenv("PAGER"), "less -FRX"))
	if pager == "cat" {
		return ""
	}
	return pager
}

// page prints a table that may be long: on a terminal through the pager, where there is one.
func page(a *app, cmd *cobra.Command, t *table) error {
	out, width := answerOf(cmd.OutOrStdout()), terminal(cmd.OutOrStdout())
	pager := pagerOf(a)
	if out == nil || width == 0 || pager == "" || len(t.rows) == 0 {
		return t.write(cmd, a)
	}
	var text strings.Builder
	t.columns(&text, width, a.colour())
	less := shellCommand(pager)
	less.Stdin = strings.NewReader(string(jsontext.AppendVisible(nil, []byte(text.String()))))
	less.Stdout, less.Stderr = out.to, cmd.ErrOrStderr()
	out.before()
	err := runInFront(less)
	// Who leaves a pager before the end has seen enough. One that is not there has shown nothing.
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) && exit.ExitCode() != notFound {
		return nil
	}
	return t.write(cmd, a)
}

// notFound is the exit code of a shell that does not find the command.
const notFound = 127
