package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Suggestions for a verb or a flag that does not exist.

// otherNames returns verbs by their names in other programs.
func otherNames() map[string]string {
	return map[string]string{
		"add": "note", "create": "note", "memorize": "note", "new": "note", "save": "note",
		"store": "note", "update": "set", "put": "set", "write": "set",
		"delete": "rm", "del": "rm", "remove": "rm", "erase": "rm", "purge": "forget --purge",
		"cat": "get", "show": "get", "view": "get", "print": "get", "list": "ls", "dir": "ls",
		"cp": "copy", "clone": "copy", "replicate": "copy",
		"find": "search", "grep": "search", "lookup": "search", "recall": "search",
		"rename": "mv", "undelete": "undo", "unforget": "undo", "revert": "undo",
		"versions": "history", "status": "doctor", "check": "doctor", "verify": "fsck",
		"repair": "fsck --repair", "gc": "compact", "stats": "stat", "settings": "config",
		"install": "setup", "ui": "page", "web": "page",
		"context": "bundle",
		"dump":    "export", "load": "import",
	}
}

// noSuchCommand is the error of a word that names no command, of a command line.
func noSuchCommand(root *cobra.Command, args []string, name string) error {
	do := advice.RunAlone("help").Then(" lists the commands")
	meant := otherNames()[name]
	if meant == "" {
		meant = text.Nearest(name, verbNames())
	}
	if meant != "" {
		words := strings.Fields(meant)
		if args[0] == "help" { // of a verb, without its flag
			words, meant = words[:1], words[0]
		}
		do = app.DidYouMean.Run(words[0], words[1:]...)
		if line := app.Retyped(args, name, meant); line != "" {
			do = app.DidYouMean.Then(line)
		}
	}
	return fault.Input(name, "no such command", do)
}

func verbNames() (names []string) {
	for _, v := range verbs {
		if v.build != nil {
			names = append(names, v.name)
		}
	}
	return append(append(names, DaemonVerbs()...), "help", "completion")
}

// asArgument returns the advice for a flag whose value is an argument, as in ls --prefix /user.
func asArgument(cmd *cobra.Command, args []string, at int) advice.List {
	name, value, hasValue := strings.Cut(strings.TrimPrefix(args[at], "--"), "=")
	if name != "prefix" || !strings.Contains(cmd.Use, "<prefix>") {
		return nil
	}
	if !hasValue && at+1 < len(args) {
		value = args[at+1]
	}
	if !strings.HasPrefix(value, "/") || len(value) > maxQuoted {
		value = "/PREFIX"
	}
	return app.DidYouMean.Run(cmd.Name(), value)
}

// meantFlag returns the advice for a flag that a command does not have; nil for none.
func meantFlag(cmd *cobra.Command, args []string) advice.List {
	for i, arg := range args {
		name, isLong := strings.CutPrefix(arg, "--")
		name, value, hasValue := strings.Cut(name, "=")
		if !isLong || name == "" || flagOf(cmd, name) != nil {
			continue
		}
		var names []string
		visit := func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		}
		cmd.Flags().VisitAll(visit)
		cmd.InheritedFlags().VisitAll(visit)
		if do := asArgument(cmd, args, i); do != nil {
			return do
		}
		near := text.Nearest(name, names)
		if near == "" {
			begins := strings.TrimSuffix(name, "s") + "-" // --token-limit for --tokens
			if i := slices.IndexFunc(names, func(has string) bool {
				return strings.HasPrefix(has, begins)
			}); i >= 0 {
				near = names[i]
			}
		}
		if near == "" {
			return nil
		}
		right := "--" + near
		if hasValue {
			right += "=" + advice.Quote(value)
		}
		return app.DidYouMean.Then(cmp.Or(app.Retyped(args, arg, right), "--"+near))
	}
	return nil
}

func flagOf(cmd *cobra.Command, name string) *pflag.Flag {
	if f := cmd.Flags().Lookup(name); f != nil {
		return f
	}
	return cmd.InheritedFlags().Lookup(name)
}
