package app

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
	"github.com/set-memory/mem/internal/base/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Answer is standard output. It remembers that a write failed, even if the caller ignores it, and
// writes nothing more: an answer that lacks a line in the middle must not look complete.
type Answer struct {
	To       io.Writer
	Terminal bool
	before   func() // called before each write
	Err      error
}

// NewAnswer returns standard output, which removes the progress bar before it prints.
func (a *App) NewAnswer(w io.Writer) *Answer {
	return &Answer{To: w, Terminal: Terminal(w) > 0, before: func() { a.Bar.finish() }}
}

// Write writes until it fails. On a terminal, what it would obey or nobody would see is an escape:
// no memory may move the cursor. A character that is split between two calls stays as it is.
func (a *Answer) Write(b []byte) (n int, err error) {
	if a.Err != nil {
		return 0, a.Err
	}
	a.before()
	text := b
	if a.Terminal {
		text = jsontext.AppendVisible(nil, b)
	}
	if n, err = a.To.Write(text); err != nil {
		a.Err = &outputError{err}
		return min(n, len(b)), a.Err
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

// AsJSON reports whether the answer is to be JSON.
func (a *App) AsJSON() bool { return a.JSON || a.JQ != "" }

// PrintJSON writes one JSON document, or what --jq makes of it.
func (a *App) PrintJSON(cmd *cobra.Command, doc []byte) error {
	if a.JQ == "" {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", doc)
		return err
	}
	code, err := CompileJQ("--jq", a.JQ)
	if err != nil {
		return err
	}
	return RunJQ(cmd.OutOrStdout(), code, doc, true)
}

// PrintValue is PrintJSON of a Go value.
func (a *App) PrintValue(cmd *cobra.Command, v any) error {
	doc, err := mem.EncodeJSON(v)
	if err != nil {
		return err
	}
	return a.PrintJSON(cmd, doc)
}

// Printer prints an answer for people.
type Printer func(a *App, cmd *cobra.Command) error

// Answer prints the answer of a verb: as JSON its value, else what people read of it.
func (a *App) Answer(cmd *cobra.Command, value any, print Printer) error {
	if a.AsJSON() {
		return a.PrintValue(cmd, value)
	}
	return print(a, cmd)
}

// Line prints a line that was asked for.
func Line(text string) Printer { return Verbatim(OneLine(text) + "\n") }

// Verbatim prints a text as it is.
func Verbatim(text string) Printer {
	return Written(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// Written prints what a function writes.
func Written(write func(io.Writer) error) Printer {
	return func(_ *App, cmd *cobra.Command) error { return write(cmd.OutOrStdout()) }
}

// InJSON prints JSON for people, too.
func InJSON(value any) Printer {
	return func(a *App, cmd *cobra.Command) error { return a.PrintValue(cmd, value) }
}

// Nothing prints nothing: of a write that was made there is nothing to say.
func Nothing(*App, *cobra.Command) error { return nil }

// Report prints a line that --quiet leaves out.
func Report(text string) Printer { return UnlessQuiet(Line(text)) }

// UnlessQuiet prints nothing where --quiet is given.
func UnlessQuiet(print Printer) Printer {
	return func(a *App, cmd *cobra.Command) error {
		if a.Quiet {
			return nil
		}
		return print(a, cmd)
	}
}

// NoIf returns ErrNo where an answer that was printed is no.
func NoIf(no bool, err error) error {
	if no && err == nil {
		return ErrNo
	}
	return err
}

// CompileJQ compiles a filter; what names it in the error.
func CompileJQ(what, filter string) (*gojq.Code, error) {
	query, err := gojq.Parse(filter)
	if err == nil {
		var code *gojq.Code
		if code, err = gojq.Compile(query); err == nil {
			return code, nil
		}
	}
	return nil, BadInput(what+" "+filter, err.Error(),
		"filters are jq programs, like '.content.text'")
}

// RunJQ writes each result of a filter over one JSON document on a line; strings bare when raw.
func RunJQ(w io.Writer, code *gojq.Code, doc []byte, raw bool) error {
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
			return BadInput("jq", err.Error(), "")
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
		return BadInput("jq", err.Error(), "")
	}
	_, err = fmt.Fprintf(w, "%s\n", jsontext.AppendVisible(nil, text))
	return err
}

// Count returns a number with its noun, in the plural unless it is one.
func Count(n int, noun string) string { return text.Count(n, noun) }

// Terminal returns the width of the terminal that w is; 0 if it is none.
func Terminal(w io.Writer) int {
	if out, ok := w.(*Answer); ok {
		w = out.To
	}
	if screen, ok := w.(*Screen); ok {
		return screen.width
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

// Tally returns a report of many writes on one line, of parts by always and IfAny.
func Tally(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, ", ")
}

// Always returns a part of a report.
func Always(n int, what string) string { return fmt.Sprintf("%d %s", n, what) }

// IfAny returns a part of a report that leaves out the number 0.
func IfAny(n int, what string) string {
	if n == 0 {
		return ""
	}
	return Always(n, what)
}

// Memories says how many there are.
func Memories(n int) string { return text.Memories(n) }

// Document prints JSON as it is; indented on a terminal.
func Document(text []byte) Printer {
	return func(_ *App, cmd *cobra.Command) error {
		if Terminal(cmd.OutOrStdout()) > 0 {
			text = Indented(text)
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
		return err
	}
}

// Indented returns JSON with a member on each line.
func Indented(text []byte) []byte {
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
		if !json.Valid(line) {
			return 0, Verdict(mem.KindIO, "--jq: the server answers with a line that is no JSON",
				advice.Say("without --jq it is printed as it came"))
		}
		if err := RunJQ(j.to, j.code, line, true); err != nil {
			return 0, err
		}
		j.left = rest
	}
}

// Filtered returns where JSON lines of another machine go that are for an output: with --jq through
// the filter.
func (a *App) Filtered(to io.Writer) (io.Writer, error) {
	if a.JQ == "" {
		return to, nil
	}
	code, err := CompileJQ("--jq", a.JQ)
	return &jqLines{to: to, code: code}, err
}

// ExportOutput returns where an export goes that names no file: with --jq through the filter, line
// by line; not where its format is a text, as a hint says.
func (a *App) ExportOutput(cmd *cobra.Command, file string, isText bool, hint string) (
	io.Writer, error) {
	if isText && a.JQ != "" && file == "" {
		return nil, BadInput("--jq", "this format is no JSON", hint)
	}
	return a.Filtered(cmd.OutOrStdout())
}
