package derive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/text"
)

const maxMessage = 1 << 20 // bytes

// Decisions returns the first three lines under a heading of decisions in a message.
func Decisions(message string) (list []Proposal) {
	under, plain, fenced := false, false, false
	for line := range strings.Lines(message[:min(len(message), maxMessage)]) {
		body := strings.TrimSpace(line)
		if matches("fence", body) {
			fenced = !fenced
		} else if fenced || body == "" {
			continue
		} else if label := pattern("label").FindStringSubmatch(body); label != nil &&
			lasts(label[1]) && !matches("summing", label[1]) {
			list, under = appendLine(list, label[2]), false
		} else if title := capture("heading", body); title != "" {
			under, plain = lasts(title), false
		} else if item := body[len(capture("bullet", body)):]; item != body || !plain {
			if under && (item == body || !matches("nested", line)) {
				list = appendLine(list, item)
			}
			plain = plain || item == body
		}
	}
	return list[:min(len(list), 3)]
}

// lasts reports whether the lines under a title stay true, by its words.
func lasts(title string) bool {
	noLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	title = strings.ToLower(strings.TrimFunc(title, noLetter))
	return utf8.RuneCountInString(title) <= 60 && matches("lasting", title) &&
		!matches("passing", title)
}

// appendLine adds a line unless it asks, reports on the work, quotes, or holds a secret.
func appendLine(list []Proposal, item string) []Proposal {
	item = clip(strings.NewReplacer("**", "", "__", "").Replace(item), 300)
	if utf8.RuneCountInString(item) < 8 || matches("report", item) || matches("secret", item) ||
		matches("danger", item) {
		return list
	}
	p := Proposal{Class: "decision", Text: item, Evidence: []string{item}}
	return append(list, p)
}

// clip returns s on one line, in at most n characters.
func clip(s string, n int) string {
	s = strings.TrimSpace(text.Line(s))
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}
