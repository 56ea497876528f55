package app

import (
	"io"
	"os"
	"strings"

	"github.com/set-memory/mem/internal/front/wire"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Form is how a word of a command line gives a text. A verb declares the forms of its flags and
// arguments where it makes them: a server that runs the verb gets no other file of the caller.
type Form string

const (
	Text     Form = "text" // the word is the text
	Dash     Form = "-"    // or "-": it is on standard input
	AtFile   Form = "@"    // or "-", or @FILE: it is in a file
	FileName Form = "FILE" // the word is the name of a file, or "-"
	Input    Form = "-?"   // as Dash; without the word, on standard input too
)

// file returns the name of the file that a word names, wire.Stdin for standard input, and reports
// whether it names one.
func (f Form) file(word string) (name string, ok bool) {
	switch {
	case f == Text:
		return "", false
	case word == wire.Stdin, f == Input && word == "":
		return wire.Stdin, true
	case f == AtFile:
		return strings.CutPrefix(word, "@")
	}
	return word, f == FileName
}

// givenBy annotates flags and commands with their forms.
const givenBy = "given-by"

// GivenFlags declares the form of flags.
func GivenFlags(cmd *cobra.Command, form Form, names ...string) {
	for _, name := range names {
		if err := cmd.Flags().SetAnnotation(name, givenBy, []string{string(form)}); err != nil {
			panic(err) // there is no such flag
		}
	}
}

// GivenArgs returns the annotations of a command whose arguments have these forms.
func GivenArgs(forms ...Form) map[string]string {
	var names []string
	for _, form := range forms {
		names = append(names, string(form))
	}
	return map[string]string{givenBy: strings.Join(names, " ")}
}

// IsGiven reports whether a command line, which is parsed, names a file by such a form.
func IsGiven(cmd *cobra.Command, file string) (is bool) {
	names := func(form, word string) {
		name, ok := Form(form).file(word)
		is = is || ok && name == file
	}
	args := cmd.Flags().Args()
	for i, form := range strings.Fields(cmd.Annotations[givenBy]) {
		names(form, strings.Join(args[min(i, len(args)):min(i+1, len(args))], ""))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, form := range f.Annotations[givenBy] {
			names(form, f.Value.String())
		}
	})
	return is
}

// Given opens the text that a word gives; nil where it is the text itself.
func (a *App) Given(cmd *cobra.Command, form Form, word string) (io.ReadCloser, error) {
	name, ok := form.file(word)
	switch {
	case !ok:
		return nil, nil
	case name == wire.Stdin:
		return io.NopCloser(cmd.InOrStdin()), nil
	case name == "":
		return nil, BadInput(word, "no file name after @", "")
	}
	return a.OpenFile(name)
}

// OpenFile opens a file that the command line names.
func (a *App) OpenFile(name string) (io.ReadCloser, error) {
	if a.Served != nil {
		return a.Served.open(name)
	}
	return os.Open(name)
}
