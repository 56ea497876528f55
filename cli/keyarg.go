package cli

import (
	"strings"
	"unicode"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/ledger"
	"github.com/set-memory/mem/note"
	"github.com/set-memory/mem/session"
	"github.com/spf13/cobra"
)

// hasDrive reports whether a text begins as a path of Windows does.
func hasDrive(s string) bool {
	slash := len(s) > 2 && (s[2] == '/' || s[2] == '\\')
	return slash && s[1] == ':' && unicode.IsLetter(rune(s[0]))
}

// namedKey returns the key of the memory that an argument names, as any answer prints it: a key,
// the id of a note, of an event, a chunk of it, a decision, a task or an artifact, or that of a
// record of a session where only one has it.
func namedKey(cmd *cobra.Command, s *mem.Store, arg string) (keypath.Key, error) {
	if hasDrive(arg) {
		return keyArg(arg)
	}
	if session.IsID(arg) {
		plain, err := keypath.Parse("/" + arg)
		if err != nil {
			return plain, err
		}
		if _, err := s.Get(cmd.Context(), caller, plain, true); err != nil {
			return session.Named(cmd.Context(), s, caller, arg)
		}
	}
	if ledger.IsID(arg) {
		plain, err := keypath.Parse("/" + arg)
		if err != nil {
			return plain, err
		}
		if _, err := s.Get(cmd.Context(), caller, plain, true); err != nil {
			return ledger.New(s, caller, ledger.Options{}).KeyOf(cmd.Context(), arg)
		}
	}
	return note.Resolve(cmd.Context(), s, caller, arg)
}

// keyArg parses the key of a write, as keypath.Key.Shown returns it. If only the first slash is
// missing, the error has a hint.
func keyArg(arg string) (keypath.Key, error) {
	key, err := keypath.ParseShown(arg)
	if err == nil || arg != "" && (arg[0] == '/' || arg[0] == '"') {
		return key, err
	}
	if hasDrive(arg) {
		return key, &usage{
			what: "key " + arg, why: "a key begins with a slash",
			hint: "Git Bash turns /user into a path of Windows; " +
				"MSYS_NO_PATHCONV=1 before mem stops it",
		}
	}
	if note.IsID(arg) {
		return key, &usage{
			what: "key " + arg, why: "it is the id of a note, and only mem note gives those",
			hint: "a key begins with a slash, like /project/db",
		}
	}
	if slashed, serr := keypath.Parse("/" + arg); serr == nil {
		return key, &usage{
			what: "key " + arg, why: "a key begins with a slash",
			hint: "did you mean " + shellWord(slashed.String()),
		}
	}
	return key, err
}

// prefixArg is keyArg for a prefix.
func prefixArg(arg string) (keypath.Prefix, error) {
	if strings.HasPrefix(arg, `"/`) {
		key, err := keypath.ParseShown(arg)
		if err != nil {
			return keypath.Prefix{}, err
		}
		return keypath.ParsePrefix(key.String())
	}
	prefix, err := keypath.ParsePrefix(arg)
	if err == nil || strings.HasPrefix(arg, "/") {
		return prefix, err
	}
	if note.IsID(arg) {
		return prefix, &usage{
			what: "prefix " + arg, why: "it is the id of a note",
			hint: "mem history " + arg + " prints its versions; /note is the prefix of all notes",
		}
	}
	if slashed, serr := keypath.ParsePrefix("/" + arg); serr == nil {
		return prefix, &usage{
			what: "prefix " + arg, why: "a prefix begins with a slash",
			hint: "did you mean " + shellWord(slashed.String()),
		}
	}
	return prefix, err
}
