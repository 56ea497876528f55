package repo

import "bytes"

// Search looks for a name in the bytes of an index whose ids are of SHA-1.
func Search(index []byte, name string, whole bool) (found bool, shared string, err error) {
	s := searchFor(name)
	s.idLen, s.whole = 20, whole
	return s.in(bytes.NewReader(index), int64(len(index)))
}

// ParseConfig returns the variables of a configuration.
func ParseConfig(text string) (map[string]string, error) {
	values := map[string]string{}
	return values, parseConfig(values, text)
}
