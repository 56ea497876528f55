package app

import (
	"strings"
	"unicode"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// HasDrive reports whether a text begins as a path of Windows does.
func HasDrive(s string) bool {
	slash := len(s) > 2 && (s[2] == '/' || s[2] == '\\')
	return slash && s[1] == ':' && unicode.IsLetter(rune(s[0]))
}

// NamedKey returns the key of the memory that an argument names, see edit.Named.
func (a *App) NamedKey(cmd *cobra.Command, s *mem.Store, arg string) (keypath.Key, error) {
	if HasDrive(arg) {
		return KeyArg(arg)
	}
	return edit.Named(cmd.Context(), s, a.Caller, arg)
}

// NamedKeys is NamedKey for several arguments, see [resolve].
func (a *App) NamedKeys(cmd *cobra.Command, s *mem.Store, args []string) (
	[]keypath.Key, UnknownNames, error) {
	return resolve(args, func(arg string) (keypath.Key, error) { return a.NamedKey(cmd, s, arg) })
}

// KeyArg parses the key of a new memory, with its first slash or without. An id is refused, and
// what looks as if the key had been forgotten.
func KeyArg(arg string) (keypath.Key, error) {
	switch {
	case HasDrive(arg):
		return keypath.Key{}, BadInput("key "+arg, "a key begins with a slash",
			"Git Bash turns /user into a path of Windows; "+
				"MSYS_NO_PATHCONV=1 before mem stops it")
	case note.IsID(arg):
		return keypath.Key{}, BadInput("key "+arg,
			"it is the id of a note, which only mem note can create",
			"a key begins with a slash, like /project/db")
	case session.IsID(arg), ledger.IsID(arg):
		return keypath.Key{}, BadInput("key "+arg,
			"it is an id, which only its own verb can create",
			"a key begins with a slash, like /project/db")
	}
	key, err := keypath.ParseName(arg)
	if err == nil && isText(arg) {
		return key, BadInput("key "+arg,
			"it looks like content, and the first argument is the key",
			"if it is a key, give it as "+advice.Quote(key.String()))
	}
	return key, err
}

// isText reports whether an argument was hardly meant as a key: JSON, or words.
func isText(arg string) bool {
	if strings.HasPrefix(arg, `"/`) {
		return false
	}
	return strings.ContainsAny(arg[:1], `{["`) || !strings.Contains(arg, "/") &&
		strings.ContainsFunc(arg, unicode.IsSpace)
}

// PrefixArg is KeyArg for a prefix.
func PrefixArg(arg string) (keypath.Prefix, error) {
	if note.IsID(arg) {
		return keypath.Prefix{}, fault.Input("prefix "+arg, "it is the id of a note",
			advice.Run("history", arg).Then(" prints its versions").
				Also(advice.Say("/note is the prefix of all notes")))
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
