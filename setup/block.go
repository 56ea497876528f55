package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// block is a text file in which some lines are ours, between two marked ones. Every byte outside of them stays.
type block struct {
	begin, end string
	head       string           // what a file begins with that only we are in
	text       func(Ask) string // "" for: none is wanted
}

// guidance is the block that tells an agent how to use mem.
var guidance = block{begin: "<!-- mem:begin -->", end: "<!-- mem:end -->", text: func(a Ask) string { return a.Guidance }}

// add puts the block at the end, or what it should say in its place.
func (b block) add(text []byte, ask Ask) ([]byte, error) {
	if b.text(ask) == "" {
		return text, nil
	}
	from, to, err := b.find(text)
	if err != nil {
		return nil, err
	}
	nl := newline(text)
	lines := strings.ReplaceAll(b.begin+"\n"+strings.TrimRight(b.text(ask), "\n")+"\n"+b.end, "\n", nl)
	switch {
	case to > 0:
		return splice(text, from, to-from, lines), nil
	case len(bytes.TrimPrefix(text, byteOrderMark)) == 0:
		return slices.Concat(text, []byte(b.head+lines+"\n")), nil
	case bytes.HasSuffix(text, []byte("\n")):
		return slices.Concat(text, []byte(nl+lines+nl)), nil
	}
	// No line end behind the block tells strip that there was none before.
	return slices.Concat(text, []byte(nl+nl+lines)), nil
}

// strip takes the block out, and the empty line that add put before it.
func (b block) strip(text, original []byte) ([]byte, error) {
	from, to, err := b.find(text)
	if err != nil || to == 0 {
		return text, err
	}
	if head := bytes.TrimPrefix(text[:from], byteOrderMark); b.head != "" && string(head) == b.head {
		from -= len(b.head)
	}
	nl := []byte(newline(text))
	if bytes.HasPrefix(text[to:], nl) {
		to += len(nl)
	} else if to == len(text) {
		from = len(bytes.TrimSuffix(text[:from], nl))
	}
	from = len(bytes.TrimSuffix(text[:from], nl))
	out := splice(text, from, to-from, "")
	if blank(out) && blank(original) {
		return original, nil
	}
	return out, nil
}

// find gives the bytes of the block; to is 0 where there is none.
func (b block) find(text []byte) (from, to int, err error) {
	from = lineOf(text, 0, b.begin)
	if from < 0 {
		if stray := lineOf(text, 0, b.end); stray >= 0 {
			return 0, 0, here(text, stray, "%s without %s before it", b.end, b.begin)
		}
		return 0, 0, nil
	}
	end := lineOf(text, from, b.end)
	if end < 0 {
		return 0, 0, here(text, from, "%s without %s after it", b.begin, b.end)
	}
	if again := lineOf(text, from+1, b.begin); again >= 0 {
		return 0, 0, here(text, again, "a second %s", b.begin)
	}
	return from, end + len(b.end), nil
}

// lineOf finds a line that is just this text.
func lineOf(text []byte, from int, line string) int {
	for at := from; ; {
		n := bytes.Index(text[at:], []byte(line))
		if n < 0 {
			return -1
		}
		at += n
		before, after := bytes.TrimSuffix(text[:at], byteOrderMark), text[at+len(line):]
		starts := len(before) == 0 || before[len(before)-1] == '\n'
		if starts && (len(after) == 0 || startsLine(after)) {
			return at
		}
		at++
	}
}

// plugin is the block of a program text. The whole file is ours where we made it.
func plugin(source string) block {
	return block{begin: "// mem:begin", end: "// mem:end", text: func(a Ask) string {
		words := a.words()
		return fmt.Sprintf(source, quote(words[0]), wordList(style{}, words[1:]))
	}}
}
