package policy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/secret"
)

// ErrSecret is wrapped by *SecretError.
var ErrSecret = errors.New("secret")

// NoteRefusal is what a note with a secret in it is answered (N-14).
const NoteRefusal = "text appears to contain a secret — not stored"

// Notes is the namespace of the notes, whose texts are judged by the words of N-15 and N-16.
const Notes = "/note"

// SecretError says where secrets seem to stand, and never what they are.
type SecretError struct {
	Note  bool // it was to be a note
	Found []secret.Finding
}

// told bounds how many findings a message names.
const told = 3

func (e *SecretError) Error() string {
	var places []string
	for _, f := range e.Found[:min(told, len(e.Found))] {
		places = append(places, fmt.Sprintf("%s, characters %d to %d: %s", f.Place, f.From, f.To, f.Rule))
	}
	text := strings.Join(places, "; ")
	if more := len(e.Found) - told; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	if e.Note {
		return NoteRefusal + ": " + text
	}
	return "secret: " + text
}

// Is makes every SecretError an ErrSecret.
func (e *SecretError) Is(target error) bool { return target == ErrSecret }

// Hint tells how to store what is no secret after all.
func (e *SecretError) Hint() string {
	var flags []string
	for _, f := range e.Found {
		if flag := "--allow-secret " + f.Rule; !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return "store where it is kept, not what it is; if it is no secret, " + strings.Join(flags, " ") + " lets it pass"
}

// CheckAllowed refuses the names of rules that do not exist; the error names the first.
func CheckAllowed(rules []string) error {
	for _, id := range rules {
		if !secret.Known(id) {
			return fmt.Errorf("%q names no rule for secrets", id)
		}
	}
	return nil
}

// Secrets finds what looks like a secret in a memory: in its key, content and source. content and source are compact JSON.
func Secrets(key keypath.Key, content, source []byte) []secret.Finding {
	found := secret.Scan("key", jsontext.AppendString(nil, key.String()))
	found = append(found, secret.Scan("source", source)...)
	if isNote(key) {
		return append(found, secret.ScanNote("content", content)...)
	}
	return append(found, secret.Scan("content", content)...)
}

func isNote(key keypath.Key) bool {
	text := strings.TrimPrefix(key.String(), keypath.Untrusted)
	return text == Notes || strings.HasPrefix(text, Notes+"/")
}

// CheckSecrets refuses a write that seems to hold a secret; allowed names the rules that do not count. The error is a *SecretError.
func CheckSecrets(key keypath.Key, content, source []byte, allowed []string) error {
	var found []secret.Finding
	quoted := jsontext.AppendString(nil, key.String())
	if string(content) == "null" {
		// What is voided has its key already, and its name may stand in the source: a secret must not keep itself from being voided.
		found = secret.Scan("source", bytes.ReplaceAll(source, quoted[1:len(quoted)-1], nil))
	} else {
		found = Secrets(key, content, source)
	}
	found = slices.DeleteFunc(found, func(f secret.Finding) bool { return slices.Contains(allowed, f.Rule) })
	if len(found) > 0 {
		return &SecretError{Note: isNote(key), Found: found}
	}
	return nil
}
