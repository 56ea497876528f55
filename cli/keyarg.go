package cli

import (
	"strings"
	"unicode"

	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
)

// unquoted returns the text of an argument that is a key in quotes, and any other as it is. A key
// begins with a slash, so there is no doubt which of the two an argument is.
func unquoted(what, arg string) (string, error) {
	if !strings.HasPrefix(arg, `"/`) {
		return arg, nil
	}
	text, err := jsontext.Compact(nil, []byte(arg))
	if err != nil {
		return "", &usage{what: what + " " + arg, why: err.Error()}
	}
	return jsontext.Unquote(text), nil
}

// hasDrive reports whether a text begins as a path of Windows does.
func hasDrive(s string) bool {
	slash := len(s) > 2 && (s[2] == '/' || s[2] == '\\')
	return slash && s[1] == ':' && unicode.IsLetter(rune(s[0]))
}

// keyArg parses a key argument: a key, or one as a JSON string, as keypath.Key.Shown returns what
// does not show. If only the first slash is missing, the error has a hint.
func keyArg(arg string) (keypath.Key, error) {
	text, err := unquoted("key", arg)
	if err != nil {
		return keypath.Key{}, err
	}
	key, err := keypath.Parse(text)
	if err == nil || strings.HasPrefix(text, "/") {
		return key, err
	}
	if hasDrive(arg) {
		return key, &usage{
			what: "key " + arg, why: "a key begins with a slash",
			hint: "Git Bash turns /user into a path of Windows; " +
				"MSYS_NO_PATHCONV=1 before mem stops it",
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
	text, err := unquoted("prefix", arg)
	if err != nil {
		return keypath.Prefix{}, err
	}
	prefix, err := keypath.ParsePrefix(text)
	if err == nil || strings.HasPrefix(text, "/") {
		return prefix, err
	}
	if slashed, serr := keypath.ParsePrefix("/" + arg); serr == nil {
		return prefix, &usage{
			what: "prefix " + arg, why: "a prefix begins with a slash",
			hint: "did you mean " + shellWord(slashed.String()),
		}
	}
	return prefix, err
}
