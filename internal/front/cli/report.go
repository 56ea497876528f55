package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exitCodes lists the exit codes, for "mem help exit-codes".
func exitCodes() string {
	var text strings.Builder
	for _, k := range mem.Kinds() {
		if k.Meaning != "" {
			fmt.Fprintf(&text, "  %-3d %-9s %s\n", k.Exit, k.Kind, k.Meaning)
		}
	}
	return text.String() + "\nAny other code that is not 0 means failure too.\n"
}

// flagError is what a wrong flag gets. Content like -1 looks like a flag to the parser.
func flagError(cmd *cobra.Command, args []string, err error) error {
	if err := misspelt(cmd, args); err != nil {
		return err
	}
	what, why, do := "flags", flagFault(err), app.HelpOf(cmd, " shows how")
	if cmd.HasParent() {
		what = app.Named(cmd)
	}
	if meant := meantFlag(cmd, args); meant != nil && strings.Contains(why, "unknown flag") {
		do = meant
	}
	for _, arg := range args {
		isNumber := len(arg) > 1 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9'
		if isNumber && len(arg) <= maxQuoted {
			do = advice.Say("put all flags first, then -- before what begins with a minus, "+
				"like: ").
				Run("set", "-s", "chat", "--", "/key", arg)
		}
	}
	return fault.Input(what, why, do)
}

// misspelt returns the error of a word that names no command, or no action of one: its flags are
// not known for that reason; nil where there is no such word.
func misspelt(cmd *cobra.Command, args []string) error {
	word := firstWord(cmd.Root().PersistentFlags(), args)
	if !cmd.HasParent() {
		isVerb := slices.ContainsFunc(verbs, func(v verb) bool { return v.name == word })
		if word == "" || isVerb || slices.Contains(DaemonVerbs(), word) {
			return nil
		}
		return noSuchCommand(cmd, args, word)
	}
	at := slices.Index(args, cmd.Name()) + 1
	if !cmd.HasSubCommands() || at == len(args) || strings.HasPrefix(args[at], "-") {
		return nil
	}
	return cmd.RunE(cmd, args[at:])
}

// maxQuoted is the length in bytes of the longest word of a command line that an error about a
// flag repeats. A longer one, and several words, may be a text with a secret that no rule knows.
const maxQuoted = 32

// quotedIn returns the part of a command line that an error of the parser of flags repeats.
func quotedIn(err error) string {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return e.GetValue()
	}
	if e, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return e.GetSpecifiedFlag()
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return cmp.Or(e.GetSpecifiedShortnames(), e.GetSpecifiedName())
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return cmp.Or(e.GetSpecifiedShortnames(), e.GetSpecifiedName())
	}
	return ""
}

// flagFault returns in plain words an error of the parser of flags, of numbers and of durations.
func flagFault(err error) string {
	why := err.Error()
	word := quotedIn(err)
	isLong := len(word) > maxQuoted && mem.MaskSecrets(word) == word // else all of it is withheld
	if isLong || strings.ContainsAny(word, " \t\n") {
		quoted := strconv.Quote(word)
		why = strings.NewReplacer(word, "...", quoted[1:len(quoted)-1], "...").Replace(why)
	}
	if head, _, ok := strings.Cut(why, ": strconv.ParseFloat"); ok {
		return head + ": want a number"
	}
	if head, _, ok := strings.Cut(why, ": strconv.ParseBool"); ok {
		return head + ": want true or false"
	}
	if head, _, ok := strings.Cut(why, ": strconv.Parse"); ok {
		return head + ": want a whole number"
	}
	if head, _, ok := strings.Cut(why, ": time: "); ok {
		return head + ": want a time like 5s or 1m30s"
	}
	return why
}
