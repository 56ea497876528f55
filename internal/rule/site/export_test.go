package site

import (
	"bytes"
	"fmt"

	"github.com/set-memory/mem/log"
)

// Identity returns the identity of a line.
func Identity(e log.Envelope) string { return string(appendIdentity(nil, e)) }

// Frame appends a field of an identity.
func Frame(dst []byte, field string) []byte {
	return fmt.Appendf(dst, "%d:%s,", len(field), field)
}

// Table returns what tells whether an identity is in a file of them, and their number.
func Table(text []byte) (has func(string) bool, n int) {
	t := tableOf(text)
	return func(identity string) bool { return t.has([]byte(identity)) }, t.len
}

// Search looks for a name in the bytes of an index whose ids are of SHA-1.
func Search(index []byte, name string, whole bool) (found bool, shared string, err error) {
	s := searchFor(name)
	s.idLen, s.whole = 20, whole
	return s.scanIndex(bytes.NewReader(index), int64(len(index)))
}

// ParseConfig returns the variables of a configuration.
func ParseConfig(text string) (map[string]string, error) {
	values := map[string]string{}
	return values, parseConfig(values, text)
}

// NormalOrigin returns the URL of a remote repository in the form that stores record.
func NormalOrigin(text string) string { return normalOrigin(text) }

// MachineOn returns the id of the machine that a host would be.
func MachineOn(b *Book, host string) (string, error) { return b.machineOn(host) }

// IdentityOf returns the identity that an origin gives.
func IdentityOf(origin string) string { return identityOf(origin) }
