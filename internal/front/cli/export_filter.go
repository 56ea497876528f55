package cli

import (
	"bytes"
	"io"

	"github.com/itchyny/gojq"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

// jqLines passes each line of JSON that is written to it through a filter.
type jqLines struct {
	to   io.Writer
	code *gojq.Code
	left []byte // of a line that has not ended yet
}

// Write writes what the filter makes of the lines that end here.
func (j *jqLines) Write(b []byte) (int, error) {
	j.left = append(j.left, b...)
	for {
		line, rest, ended := bytes.Cut(j.left, []byte{'\n'})
		if !ended {
			return len(b), nil
		}
		if err := runJQ(j.to, j.code, line, true); err != nil {
			return 0, err
		}
		j.left = rest
	}
}

// exportOutput returns where an export goes that names no file: with --jq through the filter, line
// by line; not where its format is a text, as a hint says.
func exportOutput(a *app, cmd *cobra.Command, file string, isText bool, hint string) (
	io.Writer, error) {
	if a.jq == "" || file != "" {
		return cmd.OutOrStdout(), nil
	}
	if isText {
		return nil, &usage{what: "--jq", why: "this format is no JSON", hint: hint}
	}
	code, err := compileJQ("--jq", a.jq)
	return &jqLines{to: cmd.OutOrStdout(), code: code}, err
}

// sayLeftOut prints a hint for each kind of memory that an export left out.
func (o *exportOptions) sayLeftOut(a *app, cmd *cobra.Command, rep transfer.ExportReport) {
	if a.quiet {
		return
	}
	if rep.Private > 0 {
		left := advice.Say(memories(rep.Private) + " of other agents left out: ")
		if f := transfer.Format(o.format); f == transfer.MemoryMD || f == transfer.ClaudeMemory {
			left = left.Then("they are only on the page of ").Run("read", "--format", "private")
		} else {
			left = left.Then("--all takes them")
		}
		a.advise(cmd, "hint", left)
	}
	if rep.Artifacts > 0 {
		left := count(rep.Artifacts, "artifact") +
			": their bytes are in no line; --all-layers has them"
		if o.layers {
			left = count(rep.Artifacts, "artifact") +
				" without the bytes: the store does not have them"
		}
		a.tell(cmd, "hint", left)
	}
	if rep.LeftOut > 0 && o.out == "" {
		a.tell(cmd, "hint", memories(rep.LeftOut)+" left out: --format jsonl has all")
	}
}
