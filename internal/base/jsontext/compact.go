package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrJSON is wrapped by every refusal of a JSON text: grammar, duplicate names, encoding, depth.
var ErrJSON = errors.New("not acceptable JSON")

// MaxDepth is how deep arrays and objects may be nested in content or source.
const MaxDepth = 128

// Error is the refusal of a text: its fault, and the byte of that. errors.Is(err, ErrJSON) is true
// for it.
type Error struct {
	Pos   int    // byte offset in the text that was given
	Fault string // the fault there
}

func (e *Error) Error() string { return fmt.Sprintf("JSON: %s at byte %d", e.Fault, e.Pos) }

// Is makes every Error an ErrJSON.
func (e *Error) Is(target error) bool { return target == ErrJSON }

// Compact appends the one JSON value in src to dst, byte for byte but for insignificant white
// space: the spelling of numbers, the escapes and the order of members stay. It is stricter than
// RFC 8259 where a reader could be misled: it refuses duplicate member names, invalid UTF-8,
// lone surrogates and more than [MaxDepth] levels. The error is a [*Error].
func Compact(dst, src []byte) ([]byte, error) { return CompactDepth(dst, src, MaxDepth) }

// CompactDepth is Compact with another limit for the levels.
func CompactDepth(dst, src []byte, limit int) ([]byte, error) {
	p := scan{src: src, out: slices.Grow(dst, len(src)), limit: limit}
	return p.run()
}

// scan is one pass over src that checks and copies. names holds the member names of the objects now
// open.
type scan struct {
	src   []byte
	pos   int
	out   []byte // src up to kept, without white space
	kept  int
	depth int
	limit int // levels allowed
	names [][]byte
	room  [24][]byte // for names: enough for nearly all values, without an allocation

	readable bool // escapes of what prints are decoded
}

func (p *scan) run() ([]byte, error) {
	p.names = p.room[:0]
	if err := p.document(); err != nil {
		return nil, err
	}
	return append(p.out, p.src[p.kept:]...), nil
}

func (p *scan) document() error {
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

func (p *scan) fault(format string, args ...any) error {
	return &Error{Pos: p.pos, Fault: fmt.Sprintf(format, args...)}
}

// space skips white space, and copies to out the bytes read since the last.
func (p *scan) space() {
	from := p.pos
	for p.pos < len(p.src) && isSpace(p.src[p.pos]) {
		p.pos++
	}
	if p.pos > from {
		p.out = append(p.out, p.src[p.kept:from]...)
		p.kept = p.pos
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// peek returns the next byte, or 0 at the end (NUL is no JSON either).
func (p *scan) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *scan) value() error {
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

func (p *scan) nested(body func() error) error {
	if p.depth++; p.depth > p.limit {
		return p.fault("nesting past %d levels", p.limit)
	}
	err := body()
	p.depth--
	return err
}

func (p *scan) literal() error {
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(p.src[p.pos:], []byte(word)) {
			p.pos += len(word)
			return nil
		}
	}
	return p.unexpected("a value")
}

func (p *scan) unexpected(want string) error {
	if p.pos >= len(p.src) {
		return p.fault("text ends, want %s", want)
	}
	r, size := utf8.DecodeRune(p.src[p.pos:])
	if r == utf8.RuneError && size <= 1 {
		return p.fault("invalid UTF-8")
	}
	return p.fault("%q, want %s", r, want)
}

func (p *scan) array() error {
	p.pos++
	for first := true; ; first = false {
		p.space()
		switch c := p.peek(); {
		case c == ']':
			p.pos++
			return nil
		case !first && c == ',':
			p.pos++
			p.space()
		case !first:
			return p.unexpected("',' or ']'")
		}
		if err := p.value(); err != nil {
			return err
		}
	}
}

func (p *scan) object() error {
	base := len(p.names)
	defer func() { p.names = p.names[:base] }()
	var seen map[string]bool
	p.pos++
	for first := true; ; first = false {
		p.space()
		switch c := p.peek(); {
		case c == '}':
			p.pos++
			return nil
		case !first && c == ',':
			p.pos++
			p.space()
		case !first:
			return p.unexpected("',' or '}'")
		}
		if err := p.member(base, &seen); err != nil {
			return err
		}
	}
}

func (p *scan) member(base int, seen *map[string]bool) error {
	if p.peek() != '"' {
		return p.unexpected("a member name in double quotes")
	}
	at := p.pos
	if err := p.str(); err != nil {
		return err
	}
	name := p.src[at+1 : p.pos-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(Unescape(name))
	}
	if p.duplicate(base, name, seen) {
		return &Error{Pos: at, Fault: fmt.Sprintf("duplicate member name %q", clip(string(name)))}
	}
	p.space()
	if p.peek() != ':' {
		return p.unexpected("':'")
	}
	p.pos++
	p.space()
	return p.value()
}

// duplicate reports whether an open object has a member of this name already. It compares with each
// name of a short object, and looks a name of a long one up in a set, so that a hostile object of a
// hundred thousand names takes linear time.
func (p *scan) duplicate(base int, name []byte, seen *map[string]bool) bool {
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

func (p *scan) number() error {
	n := numberLen(p.src[p.pos:])
	if n == 0 {
		return p.fault("malformed number")
	}
	p.pos += n
	return nil
}

// numberLen returns the length of the number at the start of b by the grammar of RFC 8259, or 0 if
// there is none.
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
