package policy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/keypath"
)

// ErrSecret is wrapped by *SecretError.
var ErrSecret = errors.New("secret")

// NoteRefusal is the answer to a note with a secret in it.
const NoteRefusal = "text appears to contain a secret — not stored"

// SecretError is the refusal of a write with secrets: it names their places, and never their text.
type SecretError struct {
	Note  bool // the write is a note
	Found []secret.Finding
}

// maxReported is the greatest number of findings that a message names.
const maxReported = 3

func (e *SecretError) Error() string {
	var places []string
	for _, f := range e.Found[:min(maxReported, len(e.Found))] {
		places = append(places,
			fmt.Sprintf("%s, characters %d to %d: %s", f.Place, f.From, f.To, f.Rule))
	}
	text := strings.Join(places, "; ")
	if more := len(e.Found) - maxReported; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	if e.Note {
		return NoteRefusal + ": " + text
	}
	return "secret: " + text
}

// Is makes every SecretError an ErrSecret.
func (e *SecretError) Is(target error) bool { return target == ErrSecret }

// Explain returns in words what the rules in the message find.
func (e *SecretError) Explain() string {
	var words []string
	for _, f := range e.Found {
		text := f.Rule + " is " + secret.Explain(f.Rule)
		if secret.Explain(f.Rule) != "" && !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	return strings.Join(words, "; ")
}

// Advice returns how to store text that is no secret after all.
func (e *SecretError) Advice() advice.List {
	var flags []string
	for _, f := range e.Found {
		if flag := "--allow-secret " + f.Rule; !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return advice.Say("store its place, not the secret").
		Also(advice.Overrule("if it is no secret, " + strings.Join(flags, " ") + " lets it pass")).
		Tools("remove the secret, and name its place instead")
}

// CheckAllowed refuses names of rules that do not exist; the error has the first of them.
func CheckAllowed(rules []string) error {
	for _, id := range rules {
		if !secret.IsRule(id) {
			return fmt.Errorf("%q names no rule for secrets", id)
		}
	}
	return nil
}

// Secrets returns what looks like a secret in a memory: in its key, content or source. content and
// source are compact JSON.
func Secrets(key keypath.Key, content, source []byte) []secret.Finding {
	return withoutSessions(key.Class(), scan(key, content, source))
}

// scan is Secrets with the ids of sessions that look random.
func scan(key keypath.Key, content, source []byte) []secret.Finding {
	content = withoutSealed(content)
	found := secret.Scan("key", jsontext.AppendString(nil, key.String()))
	found = append(found, secret.Scan("source", source)...)
	if isNote(key) {
		return append(found, secret.ScanNote("content", content)...)
	}
	return append(found, secret.Scan("content", content)...)
}

// withoutSessions omits the ids of sessions: no event is refused for its session.
func withoutSessions(class keypath.Class, found []secret.Finding) []secret.Finding {
	if class == keypath.Event {
		found = slices.DeleteFunc(found, isSession)
	}
	return found
}

// isSession reports whether a text that looks random is the id of an event's session.
func isSession(f secret.Finding) bool {
	return f.Rule == secret.RandomBlob && slices.Contains([]string{"key", "content.session_id",
		"source.locator.session"}, f.Place)
}

// sealedBy is the beginning of a JSON text that holds an age file in base64.
const sealedBy = `"YWdlLWVuY3J5cHRpb24ub3JnL3Yx`

// withoutSealed returns content without its sealed member, which looks like a token.
func withoutSealed(content []byte) []byte {
	if !bytes.Contains(content, []byte(sealedBy)) || content[0] != '{' {
		return content
	}
	m := jsontext.ParseMembers(content)
	if bytes.HasPrefix(m.Get("sealed"), []byte(sealedBy)) {
		return m.DropName("sealed").Object()
	}
	return content
}

func isNote(key keypath.Key) bool {
	text := strings.TrimPrefix(key.String(), keypath.Untrusted)
	return text == keypath.Notes || strings.HasPrefix(text, keypath.Notes+"/")
}

// checkSecrets refuses a write that seems to have a secret in it. The error is a *SecretError.
func (f *Facts) checkSecrets(g *Ground) error {
	var found []secret.Finding
	if f.Deletes {
		// The key of the deleted memory is stored already, and the source may name it: a secret
		// must not prevent its own deletion.
		quoted := jsontext.AppendString(nil, f.Key.String())
		found = secret.Scan("source", bytes.ReplaceAll(f.Source, quoted[1:len(quoted)-1], nil))
	} else {
		found = scan(f.Key, f.Content, f.Source)
		f.clean = len(found) == 0
		found = withoutSessions(f.Class, found)
	}
	found = slices.DeleteFunc(found,
		func(one secret.Finding) bool { return slices.Contains(g.Allowed, one.Rule) })
	if len(found) > 0 {
		return &SecretError{Note: isNote(f.Key), Found: found}
	}
	return nil
}
