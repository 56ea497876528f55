package jsontext

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string with its quotes.
func (p *scan) str() error {
	p.pos++
	for {
		p.pos += plainRun(p.src[p.pos:])
		switch c := p.peek(); {
		case p.pos >= len(p.src):
			return p.fault("text ends inside a string")
		case c == '"':
			p.pos++
			return nil
		case c == '\\':
			if err := p.escape(); err != nil {
				return err
			}
		case c < ' ':
			return p.fault("control character U+%04X inside a string, write it as an escape", c)
		default:
			if err := p.characters(); err != nil {
				return err
			}
		}
	}
}

// characters reads a run of characters outside ASCII.
func (p *scan) characters() error {
	for p.pos < len(p.src) && p.src[p.pos] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(p.src[p.pos:])
		if r == utf8.RuneError && size <= 1 {
			return p.fault("invalid UTF-8")
		}
		p.pos += size
	}
	return nil
}

// plainRun returns the number of leading bytes that are ASCII, printable, and neither quote nor
// backslash.
func plainRun(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		controls := (w - ones*' ') &^ w & tops // like zeros, for all bytes below the space
		if at := firstByte(zeros(w^ones*'"') | zeros(w^ones*'\\') | controls | w&tops); at < 8 {
			return i + at
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

func (p *scan) escape() error {
	if p.pos+1 >= len(p.src) {
		return p.fault("text ends inside an escape")
	}
	switch c := p.src[p.pos+1]; c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.pos += 2
		return nil
	case 'u':
		return p.unicode()
	default:
		r, _ := utf8.DecodeRune(p.src[p.pos+1:])
		quoted := strconv.Quote(string(r)) // no control character gets into a message
		return p.fault("unknown escape \\%s", quoted[1:len(quoted)-1])
	}
}

func (p *scan) unicode() error {
	hi, ok := hex4(p.src[p.pos+2:])
	if !ok {
		return p.fault("\\u wants four hex digits")
	}
	switch {
	case 0xDC00 <= hi && hi <= 0xDFFF:
		return p.fault("lone surrogate \\u%04x", hi)
	case hi < 0xD800 || hi > 0xDBFF:
		p.skipEscape(hi, 6)
		return nil
	}
	rest := p.src[p.pos+6:]
	lo, ok := hex4(rest[min(2, len(rest)):])
	if !bytes.HasPrefix(rest, []byte(`\u`)) || !ok ||
		lo < 0xDC00 || lo > 0xDFFF {
		return p.fault("lone surrogate \\u%04x", hi)
	}
	p.skipEscape(utf16.DecodeRune(hi, lo), 12)
	return nil
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
