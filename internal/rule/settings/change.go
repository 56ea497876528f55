package settings

import (
	"bytes"
	"errors"
)

// Change returns the text of a configuration with one member changed: arg is JSON, or the bare text
// of a text; null removes the member, also one of no row. All else stays as it is spelled. left is
// a fault of the new text, if the old one had more faults. Any other faulty text is refused; both
// errors are a [*Fault].
func Change(text []byte, name, arg string) (next []byte, left, err error) {
	if next, err = change(text, name, arg); err != nil {
		return next, nil, err
	}
	if _, left = Parse(next); left != nil && faults(next) >= faults(text) {
		return next, nil, left
	}
	return next, left, nil
}

func change(text []byte, name, arg string) ([]byte, error) {
	m, path, unknown := Members.Find(name)
	if arg == null {
		next, err := Remove(text, name)
		if err == nil && unknown != nil && bytes.Equal(next, text) {
			err = unknown
		}
		return next, err
	}
	if unknown != nil {
		return nil, unknown
	}
	value, err := m.Value(arg)
	if err == nil {
		err = m.CheckType(path)
	}
	if err != nil {
		return nil, err
	}
	return Set(text, path, value)
}

// faults counts the faults of a text: the members to remove until the rest is right.
func faults(text []byte) (n int) {
	for ; n <= len(text); n++ {
		_, err := Parse(text)
		var fault *Fault
		if !errors.As(err, &fault) {
			return n
		}
		without, err := Remove(text, fault.Name)
		if err != nil || fault.Name == "" || bytes.Equal(without, text) {
			return len(text) + 1 // it is no object, and no member can be counted
		}
		text = without
	}
	return n
}
