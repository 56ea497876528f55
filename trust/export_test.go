package trust

import "github.com/set-memory/mem/log"

// Identity returns the identity of a line.
func Identity(e log.Envelope) string { return string(appendIdentity(nil, e)) }

// Frame appends a field of an identity.
func Frame(dst []byte, field string) []byte { return frame(dst, field) }
