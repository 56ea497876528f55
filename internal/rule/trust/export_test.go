package trust

import "github.com/set-memory/mem/log"

// Identity returns the identity of a line.
func Identity(e log.Envelope) string { return string(appendIdentity(nil, e)) }

// Frame appends a field of an identity.
func Frame(dst []byte, field string) []byte { return frame(dst, field) }

// Table returns what tells whether an identity is in a file of them, and their number.
func Table(text []byte) (has func(string) bool, n int) {
	t := tableOf(text)
	return func(identity string) bool { return t.has([]byte(identity)) }, t.len
}
