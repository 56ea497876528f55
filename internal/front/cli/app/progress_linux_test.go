package app

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/spf13/cobra"
)

// shown returns what a terminal shows of a text, line by line.
func shown(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\r\n") {
		if i := strings.LastIndex(line, "\x1b[K"); i >= 0 {
			line = line[i+len("\x1b[K"):]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// On a terminal the bar is gone before anything else is printed.
func TestNothingIsGluedToTheBar(t *testing.T) {
	for name, print := range map[string]func(*App, *cobra.Command){
		"the answer": func(_ *App, cmd *cobra.Command) { fmt.Fprintln(cmd.OutOrStdout(), "ok") },
		"a warning":  func(a *App, cmd *cobra.Command) { a.Tell(cmd, "warning", "ok") },
		"more and more": func(_ *App, cmd *cobra.Command) {
			fmt.Fprintln(cmd.OutOrStdout(), "first")
			fmt.Fprintln(cmd.OutOrStdout(), "ok")
		},
	} {
		t.Run(name, func(t *testing.T) {
			master, slave := testkit.Terminal(t, 0)
			a := &App{Build: Build{Program: "mem"}, color: "never"}
			cmd := &cobra.Command{}
			cmd.SetOut(a.NewAnswer(slave))
			cmd.SetErr(slave)
			a.Bar = NewBar(slave, false)
			a.Bar.start = time.Now().Add(-time.Minute)
			a.Bar.Progress("fsck", 1, 2)
			print(a, cmd)
			a.Close()
			fmt.Fprintln(slave, "end")
			var got strings.Builder
			for buf := make([]byte, 4096); !strings.HasSuffix(got.String(), "end\r\n"); {
				n, err := master.Read(buf)
				if err != nil && err != io.EOF {
					t.Fatal(err)
				}
				got.Write(buf[:n])
			}
			if !strings.Contains(got.String(), "fsck: 1 of 2 records") {
				t.Errorf("no bar: %q", got.String())
			}
			for line := range strings.SplitSeq(shown(got.String()), "\n") {
				if line != "" && line != "ok" && line != "first" && line != "end" &&
					line != "mem: warning: ok" {
					t.Errorf("%q shows %q", got.String(), line)
				}
			}
		})
	}
}
