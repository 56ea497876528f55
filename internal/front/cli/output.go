package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// answer is standard output. It remembers that a write failed, even if the caller ignores it, and
// writes nothing more: an answer that lacks a line in the middle must not look complete.
type answer struct {
	to       io.Writer
	terminal bool
	before   func() // called before each write
	err      error
}

// newAnswer returns standard output, which removes the progress bar before it prints.
func newAnswer(a *app, w io.Writer) *answer {
	return &answer{to: w, terminal: terminal(w) > 0, before: func() { a.bar.finish() }}
}

// Write writes until it fails. On a terminal, what it would obey or nobody would see is an escape:
// no memory may move the cursor. A character that is split between two calls stays as it is.
func (a *answer) Write(b []byte) (n int, err error) {
	if a.err != nil {
		return 0, a.err
	}
	a.before()
	text := b
	if a.terminal {
		text = jsontext.AppendVisible(nil, b)
	}
	if n, err = a.to.Write(text); err != nil {
		a.err = &outputError{err}
		return min(n, len(b)), a.err
	}
	return len(b), nil
}

// outputError is the error that the answer could not be written, and not the store.
type outputError struct{ cause error }

func (e *outputError) Error() string {
	cause := e.cause
	if path, ok := cause.(*fs.PathError); ok {
		cause = path.Err
	}
	return "standard output: " + cause.Error()
}

// Kind returns the name of the error's kind.
func (e *outputError) Kind() string { return string(mem.KindIO) }

// Advice says that the write itself is stored.
func (e *outputError) Advice() advice.List {
	return advice.Say("only the answer is lost; the write is stored")
}

func (e *outputError) Unwrap() error { return e.cause }

// asJSON reports whether the answer is to be JSON.
func (a *app) asJSON() bool { return a.json || a.jq != "" }

// printJSON writes one JSON document, or what --jq makes of it.
func (a *app) printJSON(cmd *cobra.Command, doc []byte) error {
	if a.jq == "" {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", doc)
		return err
	}
	code, err := compileJQ("--jq", a.jq)
	if err != nil {
		return err
	}
	return runJQ(cmd.OutOrStdout(), code, doc, true)
}

// printValue is printJSON of a Go value.
func (a *app) printValue(cmd *cobra.Command, v any) error {
	doc, err := mem.EncodeJSON(v)
	if err != nil {
		return err
	}
	return a.printJSON(cmd, doc)
}

// printer prints an answer for people.
type printer func(a *app, cmd *cobra.Command) error

// answer prints the answer of a verb: as JSON its value, else what people read of it.
func (a *app) answer(cmd *cobra.Command, value any, print printer) error {
	if a.asJSON() {
		return a.printValue(cmd, value)
	}
	return print(a, cmd)
}

// line prints a line that was asked for.
func line(text string) printer { return verbatim(oneLine(text) + "\n") }

// verbatim prints a text as it is.
func verbatim(text string) printer {
	return written(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// written prints what a function writes.
func written(write func(io.Writer) error) printer {
	return func(_ *app, cmd *cobra.Command) error { return write(cmd.OutOrStdout()) }
}

// inJSON prints JSON for people, too.
func inJSON(value any) printer {
	return func(a *app, cmd *cobra.Command) error { return a.printValue(cmd, value) }
}

// nothing prints nothing: of a write that was made there is nothing to say.
func nothing(*app, *cobra.Command) error { return nil }

// report prints a line that --quiet leaves out.
func report(text string) printer { return unlessQuiet(line(text)) }

func unlessQuiet(print printer) printer {
	return func(a *app, cmd *cobra.Command) error {
		if a.quiet {
			return nil
		}
		return print(a, cmd)
	}
}

// noIf returns errNo where an answer that was printed is no.
func noIf(no bool, err error) error {
	if no && err == nil {
		return errNo
	}
	return err
}

func compileJQ(what, filter string) (*gojq.Code, error) {
	query, err := gojq.Parse(filter)
	if err == nil {
		var code *gojq.Code
		if code, err = gojq.Compile(query); err == nil {
			return code, nil
		}
	}
	return nil, &usage{
		what: what + " " + filter, why: err.Error(),
		hint: "filters are jq programs, like '.content.text'",
	}
}

// runJQ writes each result of a filter over one JSON document on a line; strings bare when raw.
func runJQ(w io.Writer, code *gojq.Code, doc []byte, raw bool) error {
	// gojq takes only decoded JSON. Numbers keep their digits as json.Number.
	var input any
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&input); err != nil {
		return err
	}
	for results := code.Run(input); ; {
		v, more := results.Next()
		if !more {
			return nil
		}
		if err, ok := v.(error); ok {
			return &usage{what: "jq", why: err.Error()}
		}
		if err := writeResult(w, v, raw); err != nil {
			return err
		}
	}
}

func writeResult(w io.Writer, v any, raw bool) error {
	if text, ok := v.(string); ok && raw {
		_, err := fmt.Fprintln(w, text)
		return err
	}
	text, err := gojq.Marshal(v)
	if err != nil {
		return &usage{what: "jq", why: err.Error()}
	}
	_, err = fmt.Fprintf(w, "%s\n", jsontext.AppendVisible(nil, text))
	return err
}

// count returns a number with its noun, in the plural unless it is one.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// terminal returns the width of the terminal that w is; 0 if it is none.
func terminal(w io.Writer) int {
	if out, ok := w.(*answer); ok {
		w = out.to
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// tally returns a report of many writes on one line, of parts by always and ifAny.
func tally(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, ", ")
}

func always(n int, what string) string { return fmt.Sprintf("%d %s", n, what) }

// ifAny returns a part of a report that leaves out the number 0.
func ifAny(n int, what string) string {
	if n == 0 {
		return ""
	}
	return always(n, what)
}

// memories says how many there are.
func memories(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return fmt.Sprintf("%d memories", n)
}

// document prints JSON as it is; indented on a terminal.
func document(text []byte) printer {
	return func(_ *app, cmd *cobra.Command) error {
		if terminal(cmd.OutOrStdout()) > 0 {
			text = indented(text)
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
		return err
	}
}

func indented(text []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return text
	}
	return out.Bytes()
}

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
