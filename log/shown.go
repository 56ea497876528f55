package log

import (
	"bytes"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// ShownKey returns the key that the bytes of a line show; the zero Key for none.
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
	const name = `"key"`
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			return -1
		}
		from += i + len(name)
		value, colon := bytes.CutPrefix(bytes.TrimLeft(text[from:], " \t"), []byte{':'})
		value = bytes.TrimLeft(value, " \t")
		if colon && len(value) > 0 && value[0] == '"' {
			return len(text) - len(value)
		}
	}
}

// ShownTime returns the ts that the bytes of a line show; 0 for none.
func ShownTime(raw []byte) (ts Stamp) {
	_, value, _ := bytes.Cut(raw, []byte(`"ts":`))
	if n, _ := jsontext.StringLen(value); n > 0 && value[0] == '"' {
		ts, _ = ParseTime(jsontext.Unquote(value[:n]))
	}
	return ts
}

// ShownValid returns whether the bytes of a line show a live envelope or a tombstone.
func ShownValid(raw []byte) (valid, shown bool) {
	head, _, _ := bytes.Cut(raw, []byte(`"source":`)) // content may have a member of the name
	_, value, _ := bytes.Cut(head, []byte(`"valid":`))
	switch {
	case bytes.HasPrefix(value, []byte("true")):
		return true, true
	case bytes.HasPrefix(value, []byte("false")):
		return false, true
	}
	return false, bytes.Contains(raw, []byte(`,"content":null,"checksum":`))
}
