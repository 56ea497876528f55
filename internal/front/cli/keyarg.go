package cli

import (
	"strings"
	"unicode"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// hasDrive reports whether a text begins as a path of Windows does.
func hasDrive(s string) bool {
	slash := len(s) > 2 && (s[2] == '/' || s[2] == '\\')
	return slash && s[1] == ':' && unicode.IsLetter(rune(s[0]))
}

// namedKey returns the key of the memory that an argument names, see edit.Named.
func namedKey(cmd *cobra.Command, s *mem.Store, arg string) (keypath.Key, error) {
	if hasDrive(arg) {
		return keyArg(arg)
	}
	return edit.Named(cmd.Context(), s, caller, arg)
}

// namedKeys is namedKey for several arguments, see [resolve].
func namedKeys(cmd *cobra.Command, s *mem.Store, args []string) (
	[]keypath.Key, unknownNames, error) {
	return resolve(args, func(arg string) (keypath.Key, error) { return namedKey(cmd, s, arg) })
}

// keyArg parses the key of a new memory, with its first slash or without. An id is refused, and
// what looks as if the key had been forgotten.
func keyArg(arg string) (keypath.Key, error) {
	switch {
	case hasDrive(arg):
		return keypath.Key{}, &usage{
			what: "key " + arg, why: "a key begins with a slash",
			hint: "Git Bash turns /user into a path of Windows; " +
				"MSYS_NO_PATHCONV=1 before mem stops it",
		}
	case note.IsID(arg):
		return keypath.Key{}, &usage{
			what: "key " + arg, why: "it is the id of a note, which only mem note can create",
			hint: "a key begins with a slash, like /project/db",
		}
	case session.IsID(arg), ledger.IsID(arg):
		return keypath.Key{}, &usage{
			what: "key " + arg, why: "it is an id, which only its own verb can create",
			hint: "a key begins with a slash, like /project/db",
		}
	}
	key, err := keypath.ParseName(arg)
	if err == nil && isText(arg) {
		return key, &usage{
			what: "key " + arg, why: "it looks like content, and the first argument is the key",
			hint: "if it is a key, give it as " + advice.Quote(key.String()),
		}
	}
	return key, err
}

// isText reports whether what stands for a key was hardly meant as one: JSON, or words without a
// slash.
func isText(arg string) bool {
	if strings.HasPrefix(arg, `"/`) {
		return false
	}
	return strings.ContainsAny(arg[:1], `{["`) || !strings.Contains(arg, "/") &&
		strings.ContainsFunc(arg, unicode.IsSpace)
}

// prefixArg is keyArg for a prefix.
func prefixArg(arg string) (keypath.Prefix, error) {
	if note.IsID(arg) {
		return keypath.Prefix{}, &usage{
			what: "prefix " + arg, why: "it is the id of a note",
			do: advice.Run("history", arg).Then(" prints its versions").
				Also(advice.Say("/note is the prefix of all notes")),
		}
	}
	if strings.Trim(arg, "/") == "" {
		return keypath.ParsePrefix(arg)
	}
	key, err := keypath.ParseName(arg)
	if err != nil {
		return keypath.Prefix{}, err
	}
	return keypath.ParsePrefix(key.String())
}
