package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
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

// flagError is what a wrong flag gets. Content that begins with a minus, like -1, looks like a flag
// to the parser.
func flagError(cmd *cobra.Command, args []string, err error) error {
	if err := misspelt(cmd, args); err != nil {
		return err
	}
	e := &app.Usage{
		What: "flags", Why: flagFault(err.Error()), Do: app.HelpOf(cmd, " shows how"),
	}
	if cmd.HasParent() {
		e.What = app.Named(cmd)
	}
	if meant := meantFlag(cmd, args); meant != nil && strings.Contains(e.Why, "unknown flag") {
		e.Do = meant
	}
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9' {
			e.Do = advice.Say("put all flags first, then -- before what begins with a minus, "+
				"like: ").
				Run("set", "-s", "chat", "--", "/key", arg)
		}
	}
	return e
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

// flagFault returns in plain words an error of Go's parsers of numbers and durations.
func flagFault(why string) string {
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
