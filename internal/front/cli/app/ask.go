package app

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Questions to a person, and the memories that are listed before them.

// Verdict returns an error of a kind, with advice; nil for none.
func Verdict(kind mem.Kind, why string, do advice.List) error {
	return fault.New(kind, why, do)
}

// ShowRecords prints memories on stderr, before a question: stdout is for the decision.
func (a *App) ShowRecords(cmd *cobra.Command, title string, site *site.Site, list []log.Record) {
	if a.Quiet || a.AsJSON() {
		return
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintln(w, title)
	slices.SortFunc(list, layers.CompareWeight)
	for _, rec := range list { // all: a trusted memory must have been shown
		if !policy.Permits(a.Caller, rec.Key) {
			fmt.Fprintf(w, "  %s (private to an agent)\n", OneLine(rec.Key.Shown()))
			continue
		}
		f := content.Parse(rec.Content)
		text := readout.Short(rec.Content, f)
		if f.Summary != "" && f.Text != "" {
			text += " | " + readout.Flatten(f.Text, readout.MaxShort) // either may be injected
		}
		text = mem.MaskSecrets(text)
		fmt.Fprintf(w, "  %s\n", OneLine(strings.TrimSpace(rec.Key.Shown()+" "+f.Type+" "+text)))
	}
}

// Confirm asks a person, unless --yes is the answer. The error says that the answer was no, or that
// nobody is there to give it.
//
// The question is about the memories that were shown before it, which about identifies. A server
// runs the verb again with the answer, and takes it for the same alone: the error is
// mem.ErrUnseen otherwise.
func (a *App) Confirm(cmd *cobra.Command, verb mem.Verb, question string, about ...string) error {
	sum := sha256.Sum256([]byte(strings.Join(append(about, question), "\x00")))
	return a.confirm(cmd, verb, question, hex.EncodeToString(sum[:16]))
}

func (a *App) confirm(cmd *cobra.Command, verb mem.Verb, question, about string) error {
	err := policy.CheckPerson(a.Caller, verb)
	if errors.Is(err, policy.ErrUnattended) || err == nil && !a.Yes && !IsTerminal(cmd) {
		return &policy.UnattendedError{What: Named(cmd)}
	}
	if err == nil && a.Served != nil {
		return a.Served.confirm(a.Yes, question, about)
	}
	if err != nil || a.Yes {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "left as it is")
	return ErrNo
}

// ConfirmEach is Confirm for several lines, each of which about identifies by itself. It returns
// the lines shown. At a server they come with the answer, and the caller compares them with the
// present.
func (a *App) ConfirmEach(cmd *cobra.Command, verb mem.Verb, question string, about []string) (
	shown []string, err error) {
	if !a.IsAnswered() {
		return about, a.confirm(cmd, verb, question, strings.Join(about, "\n"))
	}
	if err := policy.CheckPerson(a.Caller, verb); err != nil {
		return nil, err
	}
	if a.Served.Request.About == "" {
		return nil, mem.ErrUnseen
	}
	return strings.Split(a.Served.Request.About, "\n"), nil
}

// ConfirmRecords is confirm after the first of the memories that the question is about.
func (a *App) ConfirmRecords(cmd *cobra.Command, verb mem.Verb, question string,
	list []log.Record) error {
	if !a.Yes && IsTerminal(cmd) && policy.IsPerson(a.Caller) {
		first := list[:min(len(list), MaxExamples)]
		a.ShowRecords(cmd, fmt.Sprintf("%d of %s:", len(first), Memories(len(list))), nil, first)
	}
	about := make([]string, len(list))
	for i, rec := range list {
		about[i] = mem.Shown{Key: rec.Key, TS: rec.TS}.String()
	}
	return a.Confirm(cmd, verb, question, about...)
}

// IsTerminalStream reports whether a stream is a terminal.
func IsTerminalStream(stream any) bool {
	if elsewhere, ok := stream.(interface{ IsTerminal() bool }); ok {
		return elsewhere.IsTerminal()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsTerminal reports whether somebody can be asked.
func IsTerminal(cmd *cobra.Command) bool {
	return IsTerminalStream(cmd.InOrStdin())
}

// MaxExamples is how many memories are shown before a question about all that a condition selects.
const MaxExamples = 5
