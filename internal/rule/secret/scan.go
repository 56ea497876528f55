package secret

import (
	"bytes"
	"slices"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// Finding is a place that looks like a secret. It never holds the secret itself.
type Finding struct {
	Rule  string `json:"rule"`
	Place string `json:"place"` // like content.text or content.env[2]
	From  int    `json:"from"`  // the first character in the string there, counted from 1
	To    int    `json:"to"`    // the last
}

// Scan returns what looks like a secret in a compact JSON value; its places begin with name.
func Scan(name string, value []byte) []Finding { return scan(name, value, anywhere) }

// ScanNote is Scan for a note, where a prefix or a marker is enough.
func ScanNote(name string, value []byte) []Finding { return scan(name, value, inNotes) }

func scan(name string, value []byte, v ruleVariant) []Finding {
	text := unescaped(value)
	found := wideSpans(text, v)
	if len(found) == 0 {
		return nil
	}
	return place(name, value, text, found)
}

// HasSecret reports whether a compact JSON value has something in it that looks like a secret.
func HasSecret(value []byte) bool { return len(spans(narrow(unescaped(value)).text, anywhere)) > 0 }

// wideSpans returns the findings in a text that may have full-width characters.
func wideSpans(text []byte, v ruleVariant) []span {
	n := narrow(text)
	found := spans(n.text, v)
	for i := range found {
		found[i] = n.original(found[i])
	}
	return found
}

// spans returns the findings in a text, in the order of the text. A finding of the table replaces
// one of an own rule that overlaps it.
func spans(text []byte, v ruleVariant) []span {
	var room [2][64]hit
	var few [16]hit
	at := hits{room[0][:0], room[1][:0], few[:0]}.find(text)
	found := withoutGeneric(text, tableSpans(text, at.table, v.most))
	known := union(found)
	for _, s := range v.spans(text, at) {
		if !s.overlaps(known) {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, inOrder)
	return found
}

// unescaped returns a JSON value with the escapes in its strings decoded, quotes and punctuation
// left: no spelling hides a letter.
func unescaped(value []byte) []byte {
	if bytes.IndexByte(value, '\\') < 0 {
		return value
	}
	return []byte(jsontext.Unescape(value))
}
