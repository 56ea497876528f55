package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What was probably meant by a verb, a flag or a key that there is not.

// otherNames are verbs by what they are called elsewhere.
var otherNames = map[string]string{
	"add": "note", "create": "note", "memorize": "note", "new": "note", "save": "note",
	"store": "note", "update": "set", "put": "set", "write": "set",
	"delete": "rm", "del": "rm", "remove": "rm", "erase": "rm", "purge": "forget --purge",
	"cat": "get", "show": "get", "view": "get", "print": "get", "list": "ls", "dir": "ls",
	"cp": "copy", "clone": "copy", "replicate": "copy",
	"find": "search", "grep": "search", "lookup": "search", "recall": "search",
	"rename": "mv", "undelete": "undo", "restore": "undo", "revert": "undo",
	"versions": "history", "status": "doctor", "check": "doctor", "verify": "fsck",
	"repair": "fsck --repair", "gc": "compact", "stats": "stat", "settings": "config",
	"install": "setup", "backup": "export --all-layers", "ui": "page", "web": "page",
	"context": "bundle",
	"sync":    "copy", "dump": "export", "load": "import",
}

// noSuchCommand is the error of a word that names no command, of a command line.
func noSuchCommand(root *cobra.Command, args []string, name string) error {
	err := &usage{what: name, why: "no such command",
		do: advice.RunAlone("help").Then(" lists the commands")}
	meant := otherNames[name]
	if meant == "" {
		meant = text.Nearest(name, verbNames())
	}
	if meant != "" {
		words := strings.Fields(meant)
		err.do = didYouMean.Run(words[0], words[1:]...)
		if line := retyped(args, name, meant); line != "" {
			err.do = didYouMean.Then(line)
		}
	}
	return err
}

var didYouMean = advice.Say("did you mean ")

func verbNames() (names []string) {
	for _, v := range verbs {
		if v.build != nil {
			names = append(names, v.name)
		}
	}
	return append(append(names, DaemonVerbs()...), "help", "completion")
}

// meantFlag returns the advice for a flag that a command does not have; nil for none.
func meantFlag(cmd *cobra.Command, args []string) advice.List {
	for _, arg := range args {
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
		near := text.Nearest(name, names)
		if near == "" {
			return nil
		}
		right := "--" + near
		if hasValue {
			right += "=" + advice.Quote(value)
		}
		return didYouMean.Then(cmp.Or(retyped(args, arg, right), "--"+near))
	}
	return nil
}

func flagOf(cmd *cobra.Command, name string) *pflag.Flag {
	if f := cmd.Flags().Lookup(name); f != nil {
		return f
	}
	return cmd.InheritedFlags().Lookup(name)
}

// meantKey returns the error of a key that holds nothing with what was probably meant: what lies
// below it, or the key that is nearest. Any other error is returned as it is.
func meantKey(a *app, root *cobra.Command, err error) error {
	var missing *mem.NotFoundError
	if !errors.As(err, &missing) || a.layers == nil || a.isHook ||
		mem.Hint(err) != mem.Hint(missing) {
		return err
	}
	defer func(mute bool) { a.mute = mute }(a.mute)
	a.mute = true // the verb has said what is wrong with the store
	s, oerr := a.layers.Reading()
	if oerr != nil {
		return err
	}
	near, isFolder := meantBy(root, s, missing.Key)
	switch {
	case isFolder:
		return &hinted{err, advice.Run("ls", missing.Key.Shown()).Then(" lists what is below it")}
	case near == "":
		return err
	}
	return &hinted{err, didYouMean.Then(withKey(a, missing.Key, near))}
}

// withKey returns the command line with another key; the key alone where the command takes
// something away, for that is not to be typed without a thought.
func withKey(a *app, wrong keypath.Key, right string) string {
	right = advice.Quote(right)
	if !hasTrait(firstWord(a.flags, a.args), takesAway) {
		for _, typed := range []string{wrong.Shown(), strings.TrimPrefix(wrong.Shown(), "/")} {
			if slices.Contains(a.args, typed) {
				return cmp.Or(retyped(a.args, typed, right), right)
			}
		}
	}
	return right
}

// mostLooked is among how many keys one is looked for that was probably meant.
const mostLooked = 20_000

// meantBy returns the key that is nearest to one, "" for none, and whether there are keys below it.
// What is quarantined is nobody's hint.
func meantBy(root *cobra.Command, s *mem.Store, key keypath.Key) (near string, isFolder bool) {
	typed, n := key.String(), 0
	last := typed[strings.LastIndexByte(typed, '/'):]
	var keys, same []string
	filter := mem.Filter{Browse: true, Trusted: true}
	err := s.List(root.Context(), caller, filter, func(rec log.Record) error {
		name := rec.Key.String()
		switch {
		case strings.HasPrefix(name, typed+"/"):
			isFolder = true
			return errEnough
		case strings.HasSuffix(name, last) && last != typed:
			same = append(same, rec.Key.Shown())
		case withoutDigits(name) != withoutDigits(typed): // another number is no mistake
			keys = append(keys, rec.Key.Shown())
		}
		if n++; n == mostLooked {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return "", false
	}
	if id := idMeant(root, s, key); id != "" {
		return id, false
	}
	if len(typed) >= leastTyped {
		near = text.Nearest(key.Shown(), keys)
	}
	if near == "" && len(same) == 1 {
		near = same[0]
	}
	return near, isFolder
}

// idMeant returns the id of a note that lacks only its hyphen, like m7; "" for none.
func idMeant(root *cobra.Command, s *mem.Store, key keypath.Key) string {
	name := strings.TrimPrefix(key.String(), "/")
	id := name[:1] + "-" + strings.TrimLeft(name[1:], "_ .")
	if !note.IsID(id) {
		return ""
	}
	if _, err := note.Named(root.Context(), s, caller, id); err != nil {
		return ""
	}
	return id
}

// leastTyped is how long a key is in which a mistake can be told from another key.
const leastTyped = 6

func withoutDigits(key string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, key)
}
