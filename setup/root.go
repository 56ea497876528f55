package setup

import (
	"bytes"
	"slices"
	"strings"
)

// Root gives the memory root that the hooks of a client name as they stand; "" if they name none. Whoever sets up again without a word about the
// root means the one of before.
func Root(a Ask) string {
	how, text := first(a)
	if how == nil {
		return ""
	}
	words := how.command(text)
	if i := slices.Index(words, "--root"); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// Disabled reports whether a client's settings keep every hook from running, ours too.
func Disabled(a Ask) bool {
	how, text := first(a)
	return how != nil && how.disabled(text)
}

// first gives the file that decides how a client stands; nil where there is none to read.
func first(a Ask) (edit, []byte) {
	files := a.Client.files(a.Scope, a.Place)
	if len(files) == 0 {
		return nil, nil
	}
	text, _, err := load(files[0].name)
	if err != nil {
		return nil, nil
	}
	return files[0].edit, text
}

// command gives what the last of our handlers runs.
func (h hooks) command(text []byte) []string {
	_, all, err := readHooks(bytes.TrimPrefix(text, byteOrderMark))
	if err != nil {
		return nil
	}
	if event, last := h.lastOurs(all); event >= 0 {
		return handlerWords(last.handler(all.items[event].value))
	}
	return nil
}

// command gives what a plugin runs; other blocks run nothing.
func (b block) command(text []byte) []string {
	from, to, err := b.find(text)
	if err != nil || to == 0 {
		return nil
	}
	_, rest, _ := strings.Cut(string(text[from:to]), "\nconst args = ")
	line, _, _ := strings.Cut(rest, "\n")
	list, err := parse([]byte(line))
	if err != nil {
		return nil
	}
	return append([]string{"mem"}, list.words()...)
}

// disabled is false: nothing switches a text off.
func (b block) disabled([]byte) bool { return false }
