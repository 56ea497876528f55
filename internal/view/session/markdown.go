package session

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/readout"
)

// What markdown is for people: nothing reads it. Every line of a text that was stored is quoted,
// and < is escaped, so that no memory forges a heading or hides what follows.

// sealBegin begins the last line, which has the checksum of all before it: by it an export knows
// that nobody has edited the file that it replaces.
const sealBegin = "\n<!-- mem session export sha256:"

// seal returns the last line for a checksum.
func seal(sum []byte) string { return fmt.Sprintf("%s%x -->\n", sealBegin, sum) }

// appendMarkdown appends a session for people to read.
func appendMarkdown(dst []byte, s *exported) []byte {
	dst = fmt.Appendf(dst, "# Session %s\n\n", s.ID)
	dst = fmt.Appendf(dst, "- user: %s\n- created: %s\n", inline(s.User), s.Created)
	if s.Closed != nil {
		dst = fmt.Appendf(dst, "- closed: %s\n", *s.Closed)
	}
	dst = fmt.Appendf(dst, "- entries: %d\n- bytes: %d\n", s.Entries, s.Bytes)
	for _, e := range s.entries {
		dst = appendSection(dst, e, s)
	}
	return dst
}

func appendSection(dst []byte, e *entry, s *exported) []byte {
	members, text := said(e)
	kind := jsontext.Unquote(e.kind)
	if kind == "" {
		kind = "entry"
	}
	dst = fmt.Appendf(dst, "\n## %s, %s\n\n", inline(kind), inline(plain(e.time)))
	by := ""
	if role := jsontext.Unquote(members.Get("role")); role != "" {
		by, members = " by "+inline(role), members.Without("role")
	}
	dst = fmt.Appendf(dst, "`%s`%s, importance %s, decay %s\n", e.id, by, e.importance,
		shortNumber(e.factor(s.rules, s.now)))
	if text != "" {
		dst = appendQuote(dst, text)
	}
	for _, m := range members {
		dst = appendQuote(fmt.Appendf(dst, "\n**%s**:\n", inline(m.Name)), plain(m.Value))
	}
	for _, list := range []struct {
		name  string
		value []byte
	}{{"tags", e.tags}, {"references", e.references}} {
		if names := texts(list.value); len(names) > 0 {
			dst = fmt.Appendf(dst, "\n%s: %s\n", list.name, inline(strings.Join(names, ", ")))
		}
	}
	return dst
}

// said returns the text of an entry, and its other members.
func said(e *entry) (others jsontext.MemberList, text string) {
	if e.inner[0] != '{' {
		return nil, plain(e.inner)
	}
	others = jsontext.ParseMembers(e.inner)
	for _, name := range []string{"text", textMember(jsontext.Unquote(e.kind))} {
		if text = jsontext.Unquote(others.Get(name)); text != "" {
			return others.Without(name), text
		}
	}
	return others, ""
}

// plain returns a text as it reads, a list of texts one on each line, and all else as JSON.
func plain(value []byte) string {
	if len(value) > 0 && value[0] == '"' {
		return jsontext.Unquote(value)
	}
	if list := texts(value); len(list) > 0 {
		return strings.Join(list, "\n")
	}
	return string(value)
}

// texts returns an array of nothing but texts.
func texts(value []byte) (list []string) {
	for element := range jsontext.Elements(value) {
		if element[0] != '"' {
			return nil
		}
		list = append(list, jsontext.Unquote(element))
	}
	return list
}

// shownLines returns the lines of a text as people may see them: no escape of a terminal, nothing
// that hides or turns text around.
func shownLines(text string) []string {
	lines := readout.Lines(text)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "<", `\<`)
	}
	return lines
}

// appendQuote appends a text as a quotation.
func appendQuote(dst []byte, text string) []byte {
	dst = append(dst, '\n')
	for _, line := range shownLines(text) {
		dst = append(append(append(dst, "> "...), line...), '\n')
	}
	return dst
}

// inline returns a text as a part of a line.
func inline(text string) string { return strings.Join(shownLines(text), " ") }
