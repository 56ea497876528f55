package log

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how many arrays and objects may stand inside each other in content or source.
const MaxDepth = 128

// JSONError says why a text is not acceptable JSON, and at which byte. errors.Is(err, ErrJSON) holds.
type JSONError struct {
	Pos   int    // byte offset in the text that was given
	Fault string // what is wrong there
}

func (e *JSONError) Error() string { return fmt.Sprintf("JSON: %s at byte %d", e.Fault, e.Pos) }

// Is makes every JSONError an ErrJSON.
func (e *JSONError) Is(target error) bool { return target == ErrJSON }

// CompactJSON appends the one JSON value in src to dst, byte for byte but for insignificant white space: the spelling of numbers, the escapes
// and the order of members stay. Stricter than RFC 8259 where a reader could be misled (M-16): it refuses
// duplicate member names, invalid UTF-8, lone surrogates and more than [MaxDepth] levels. The error is a [*JSONError].
func CompactJSON(dst, src []byte) ([]byte, error) { return compactJSON(dst, src, MaxDepth) }

// CompactLine is CompactJSON for a whole envelope, whose members may each be as deep as they may be alone, and the source of what was
// kept apart a little deeper: it has the given one inside.
func CompactLine(dst, src []byte) ([]byte, error) { return compactJSON(dst, src, MaxDepth+8) }

func compactJSON(dst, src []byte, most int) ([]byte, error) {
	p := jsonScan{src: src, out: slices.Grow(dst, len(src)), most: most}
	if err := p.document(); err != nil {
		return nil, err
	}
	return p.out, nil
}

// jsonScan is one pass over src that checks and copies. names holds the member names of the objects now open.
type jsonScan struct {
	src   []byte
	pos   int
	out   []byte
	depth int
	most  int // levels allowed
	names [][]byte
}

func (p *jsonScan) document() error {
	p.space()
	if p.pos == len(p.src) {
		return p.fault("empty text, want a value")
	}
	if err := p.value(); err != nil {
		return err
	}
	p.space()
	if p.pos < len(p.src) {
		return p.fault("more text after the value")
	}
	return nil
}

func (p *jsonScan) fault(format string, args ...any) error {
	return &JSONError{Pos: p.pos, Fault: fmt.Sprintf(format, args...)}
}

func (p *jsonScan) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek gives the next byte, 0 at the end (NUL is no JSON either).
func (p *jsonScan) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// take copies the next n bytes.
func (p *jsonScan) take(n int) {
	p.out = append(p.out, p.src[p.pos:p.pos+n]...)
	p.pos += n
}

func (p *jsonScan) value() error {
	switch c := p.peek(); {
	case c == '{':
		return p.nested(p.object)
	case c == '[':
		return p.nested(p.array)
	case c == '"':
		return p.str()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	default:
		return p.literal()
	}
}

func (p *jsonScan) nested(body func() error) error {
	if p.depth++; p.depth > p.most {
		return p.fault("nesting past %d levels", p.most)
	}
	err := body()
	p.depth--
	return err
}

func (p *jsonScan) literal() error {
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(p.src[p.pos:], []byte(word)) {
			p.take(len(word))
			return nil
		}
	}
	return p.unexpected("a value")
}

func (p *jsonScan) unexpected(want string) error {
	if p.pos >= len(p.src) {
		return p.fault("text ends, want %s", want)
	}
	r, size := utf8.DecodeRune(p.src[p.pos:])
	if r == utf8.RuneError && size <= 1 {
		return p.fault("invalid UTF-8")
	}
	return p.fault("%q, want %s", r, want)
}

func (p *jsonScan) array() error {
	p.take(1)
	for first := true; ; first = false {
		p.space()
		switch c := p.peek(); {
		case c == ']':
			p.take(1)
			return nil
		case !first && c == ',':
			p.take(1)
			p.space()
		case !first:
			return p.unexpected("',' or ']'")
		}
		if err := p.value(); err != nil {
			return err
		}
	}
}

func (p *jsonScan) object() error {
	base := len(p.names)
	defer func() { p.names = p.names[:base] }()
	var seen map[string]bool
	p.take(1)
	for first := true; ; first = false {
		p.space()
		switch c := p.peek(); {
		case c == '}':
			p.take(1)
			return nil
		case !first && c == ',':
			p.take(1)
			p.space()
		case !first:
			return p.unexpected("',' or '}'")
		}
		if err := p.member(base, &seen); err != nil {
			return err
		}
	}
}

func (p *jsonScan) member(base int, seen *map[string]bool) error {
	if p.peek() != '"' {
		return p.unexpected("a member name in double quotes")
	}
	at := p.pos
	if err := p.str(); err != nil {
		return err
	}
	name := p.src[at+1 : p.pos-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unescape(name))
	}
	if p.duplicate(base, name, seen) {
		return &JSONError{Pos: at, Fault: fmt.Sprintf("duplicate member name %q", clip(string(name)))}
	}
	p.space()
	if p.peek() != ':' {
		return p.unexpected("':'")
	}
	p.take(1)
	p.space()
	return p.value()
}

// duplicate looks through the names so far: a short object by eye, a long one through a set, so that a
// hostile object of a hundred thousand names stays linear.
func (p *jsonScan) duplicate(base int, name []byte, seen *map[string]bool) bool {
	const few = 16
	if *seen != nil {
		dup := (*seen)[string(name)]
		(*seen)[string(name)] = true
		return dup
	}
	for _, n := range p.names[base:] {
		if bytes.Equal(n, name) {
			return true
		}
	}
	p.names = append(p.names, name)
	if len(p.names)-base > few {
		*seen = make(map[string]bool, 4*few)
		for _, n := range p.names[base:] {
			(*seen)[string(n)] = true
		}
	}
	return false
}

func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}

// str copies a string with its quotes.
func (p *jsonScan) str() error {
	start := p.pos
	p.pos++
	for {
		p.pos += plainRun(p.src[p.pos:])
		switch c := p.peek(); {
		case p.pos >= len(p.src):
			return p.fault("text ends inside a string")
		case c == '"':
			p.pos++
			p.out = append(p.out, p.src[start:p.pos]...)
			return nil
		case c == '\\':
			if err := p.escape(); err != nil {
				return err
			}
		case c < ' ':
			return p.fault("control character U+%04X inside a string, write it as an escape", c)
		default:
			r, size := utf8.DecodeRune(p.src[p.pos:])
			if r == utf8.RuneError && size <= 1 {
				return p.fault("invalid UTF-8")
			}
			p.pos += size
		}
	}
}

// plainRun counts the leading bytes that are ASCII, printable, and neither quote nor backslash.
func plainRun(b []byte) int {
	for i, c := range b {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

func (p *jsonScan) escape() error {
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

func (p *jsonScan) unicode() error {
	hi, ok := hex4(p.src[p.pos+2:])
	if !ok {
		return p.fault("\\u wants four hex digits")
	}
	switch {
	case 0xDC00 <= hi && hi <= 0xDFFF:
		return p.fault("lone surrogate \\u%04x", hi)
	case hi < 0xD800 || hi > 0xDBFF:
		p.pos += 6
		return nil
	}
	rest := p.src[p.pos+6:]
	if lo, ok := hex4(rest[min(2, len(rest)):]); !bytes.HasPrefix(rest, []byte(`\u`)) || !ok || lo < 0xDC00 || lo > 0xDFFF {
		return p.fault("lone surrogate \\u%04x", hi)
	}
	p.pos += 12
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

func (p *jsonScan) number() error {
	n := numberLen(p.src[p.pos:])
	if n == 0 {
		return p.fault("malformed number")
	}
	p.take(n)
	return nil
}

// numberLen measures the number at the start of b by the grammar of RFC 8259; 0 if there is none.
func numberLen(b []byte) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if b[i] == '-' {
		i++
	}
	leading := i
	if !digits() || b[leading] == '0' && i > leading+1 {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return 0
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}
