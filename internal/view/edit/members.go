package edit

import (
	"fmt"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// members are those of an object, in their order.
type members = jsontext.MemberList

// membersOf returns the members of content. The error wraps ErrNoObject for any other JSON.
func membersOf(key keypath.Key, content []byte) (list members, err error) {
	text, err := jsontext.Compact(nil, content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key.Shown(), err)
	}
	if text[0] != '{' {
		return nil, &Error{key, ErrNoObject}
	}
	return jsontext.ParseMembers(text), nil
}
