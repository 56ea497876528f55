package jsontext

import "slices"

// Equal reports whether two compact texts say the same: the order of an object's members and the
// escapes in its strings do not count.
func Equal(a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
		return false
	}
	switch a[0] {
	case '"':
		return Unquote(a) == Unquote(b)
	case '{':
		return equalObjects(a, b)
	case '[':
		return equalArrays(a, b)
	}
	return false
}

func equalArrays(a, b []byte) bool {
	others := slices.Collect(Elements(b))
	n := 0
	for value := range Elements(a) {
		if n == len(others) || !Equal(value, others[n]) {
			return false
		}
		n++
	}
	return n == len(others)
}

func equalObjects(a, b []byte) bool {
	have := map[string][]byte{}
	for name, value := range Members(a) {
		have[name] = value
	}
	n := 0
	for name, value := range Members(b) {
		old, ok := have[name]
		if !ok || !Equal(old, value) {
			return false
		}
		n++
	}
	return n == len(have)
}
