package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// What in a file was put together or changed by a person.

// custom returns where handlers stand that run mem's hook among other words.
func (h hooks) custom(text []byte) (list []Clash) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	_, all, err := readHooks(text)
	if err != nil {
		return nil
	}
	for _, event := range all.items {
		for _, p := range h.handlers(event.value, custom) {
			line := 1 + bytes.Count(text[:p.handler(event.value).start], []byte("\n"))
			list = append(list, Clash{Where: fmt.Sprintf("line %d, %s", line, event.name)})
		}
	}
	return list
}

// custom is nil: what stands between the marks is ours.
func (b block) custom([]byte) []Clash { return nil }

// edited reports whether a handler of ours is not, to the byte, what setup writes: a person chose
// its timeout, or a comment stands in it.
func (h hooks) edited(text []byte, r Request) bool {
	text = bytes.TrimPrefix(text, byteOrderMark)
	root, all, err := readHooks(text)
	if err != nil {
		return false
	}
	for _, it := range all.items {
		i := slices.IndexFunc(h.Events, func(e Event) bool { return e.Name == it.name })
		for _, p := range h.handlers(it.value, ours) {
			if i < 0 || !h.isAsWritten(text, root, it.value, p, h.Events[i], r) {
				return true
			}
		}
	}
	return false
}

// isAsWritten reports whether a handler, with its group if it is alone in it, is what setup writes
// for the same command, or wrote before lines had a guard.
func (h hooks) isAsWritten(
	text []byte, root, list node, p position, event Event, r Request,
) bool {
	words := handlerWords(p.handler(list))
	if len(words) < 3 {
		return false
	}
	r.Program, r.Flags = words[0], words[3:]
	if !isNamed(r.Flags) || !slices.Equal(words, r.words()) {
		return false
	}
	n, write := p.handler(list), h.handler
	if p.index >= 0 && len(list.items[p.group].value.get("hooks").items) == 1 {
		n, write = list.items[p.group].value, h.element
	}
	s := style{newline: newline(text), indent: jsontext.IndentAt(text, n.start),
		step: indentStep(text, root)}
	is := withoutGuard(string(text[n.start:n.end]))
	inLine := withoutGuard(write(s, event, r))
	s.multiline = true
	return is == inLine || is == withoutGuard(write(s, event, r))
}

func withoutGuard(handler string) string {
	return strings.ReplaceAll(handler, guard+`"`, `"`)
}

// edited reports whether the block is neither what add would write, to the byte, nor what it has
// written for what the hooks name now: a person or another version of mem changed it.
func (b block) edited(text []byte, r Request) bool {
	from, to, err := b.find(text)
	isWritten := func() bool {
		lines := b.lines(text, r)
		if !isKept(text) {
			lines = strings.Replace(lines, keptMark+newline(text), "", 1)
		}
		return string(text[from:to]) == lines
	}
	if err != nil || to == 0 || isWritten() {
		return false
	}
	words := r.hookWords()
	if r.Flags = flagsOf(words); len(words) > 0 {
		r.Program = words[0]
	}
	return !isWritten()
}
