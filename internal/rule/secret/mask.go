package secret

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Mask returns a message in which every word that has a part that looks like a secret is replaced.
// A message is a line of mem about its input, which it may quote, and of which it may show only a
// beginning, with three dots behind it.
func Mask(message, by string) string {
	// What mem says of a place itself, as in "secret: content.x1", is no name and its value.
	judged := strings.ReplaceAll(message, "secret: content", "-------: content")
	n := narrow([]byte(judged))
	// A colon of mem may follow a token whose rule wants a space there.
	apart := narrow([]byte(strings.ReplaceAll(judged, ": ", "; ")))
	found := slices.Concat(spans(n.text, anywhere), spans(apart.text, anywhere),
		beginnings(n.text), keys(n.text))
	if len(found) == 0 {
		return message
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var shown strings.Builder
	at := 0
	for _, s := range found {
		s = wholeWord(message, n.original(s))
		if s.from >= at {
			shown.WriteString(message[at:s.from] + by)
		}
		at = max(at, s.to)
	}
	return shown.String() + message[at:]
}

// wholeWord widens a span to the spaces or quotes around it, but for the punctuation of the
// message: of a secret no end is shown.
func wholeWord(message string, s span) span {
	const ends = " \t\n\"'`"
	s.from = strings.LastIndexAny(message[:s.from], ends) + 1
	if i := strings.IndexAny(message[s.to:], ends); i >= 0 {
		s.to += i
	} else {
		s.to = len(message)
	}
	s.to = s.from + len(strings.TrimRight(message[s.from:s.to], ":,;"))
	return s
}

// keys returns the private keys in PEM to their end, or to that of the message where they are cut
// off: no line of one is long enough to look like a secret by itself.
func keys(text []byte) (found []span) {
	for from, head := range privateKeys(text) {
		key, _, _ := bytes.Cut(text[head:], []byte("-----END "))
		if len(bytes.TrimSpace(key)) > 0 {
			found = append(found, span{randomBlob, from, head + len(key)})
		}
	}
	return found
}

// beginnings returns the words with three dots behind them that may be the beginning of a token:
// its rule may need all of it. A long one with a digit may be of any form.
func beginnings(text []byte) (found []span) {
	const least, long = 16, 24
	for at := range places(text, "...") {
		to := at
		if to > 0 && text[to-1] == '"' {
			to--
		}
		from := to
		for from > 0 && inValue(text[from-1]) {
			from--
		}
		word := text[from:to]
		runs := bytes.FieldsFunc(word, func(r rune) bool { return r >= 0x80 || !alnum(byte(r)) })
		if len(word) >= long && hasDigit(word) || slices.ContainsFunc(runs, func(run []byte) bool {
			return len(run) >= least && hasDigit(run) && hasLetter(run)
		}) {
			found = append(found, span{randomBlob, from, to})
		}
	}
	return found
}
