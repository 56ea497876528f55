package log

import (
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
)

// ShownKey returns the key that the bytes of a line show, whatever else is wrong with them; the
// zero Key for none.
func ShownKey(raw []byte) (key keypath.Key) {
	for rest := raw; ; {
		i := indexKey(rest)
		if i < 0 {
			return keypath.Key{}
		}
		rest = rest[i:]
		if n, _ := jsontext.StringLen(rest); n > 0 {
			if key, err := keypath.Parse(jsontext.Unquote(rest[:n])); err == nil {
				return key
			}
		}
	}
}

// indexKey returns where the value of the first member named key begins; -1 for none.
func indexKey(text []byte) int {
	const name = `"key":`
	for i := 0; i+len(name) < len(text); i++ {
		if text[i] != '"' || string(text[i:i+len(name)]) != name {
			continue
		}
		i += len(name)
		if text[i] == ' ' { // as an index file is indented
			i++
		}
		if i < len(text) && text[i] == '"' {
			return i
		}
	}
	return -1
}
