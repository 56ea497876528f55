package site

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// ErrConfig is wrapped where git could not read a configuration either.
var ErrConfig = errors.New("not a git configuration")

// maxConfig is what a configuration may have: there is a section in it for every branch.
const maxConfig = 4 << 20

// config holds the variables that are read from the configuration of a git directory.
type config struct {
	worktree string // core.worktree
	bare     bool   // core.bare
	format   string // extensions.objectformat, "" for git's default
	origin   string // remote.origin.url
}

// readConfig reads config of a git directory, and config.worktree where that is in use. Without
// one, all is as git has it by default. What a file includes is not read: git does not either,
// before it knows the repository.
func readConfig(git string) (config, error) {
	values := map[string]string{}
	err := addConfig(values, git, "config")
	if err == nil && isTrue(values["extensions.worktreeconfig"]) {
		err = addConfig(values, git, "config.worktree")
	}
	return config{
		worktree: values["core.worktree"],
		bare:     isTrue(values["core.bare"]),
		format:   values["extensions.objectformat"],
		origin:   values[originSection+".url"],
	}, err
}

func addConfig(values map[string]string, git, name string) error {
	text, err := readText(git, name, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return parseConfig(values, text)
}

// isTrue reads a switch. What git would not understand counts as set: that is the careful side.
func isTrue(value string) bool {
	return !slices.Contains([]string{"", "false", "no", "off", "0"}, strings.ToLower(value))
}

// parseConfig adds the variables of a configuration as section.name, both in lower case; the last
// one of a name counts. Of the sections that have a second name only that of the origin is read. A
// name without a value is "true".
func parseConfig(values map[string]string, text string) error {
	p := configParser{rest: strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")}
	section := ""
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\n\r")
		switch {
		case p.rest == "":
			return nil
		case p.rest[0] == '#' || p.rest[0] == ';':
			_, p.rest, _ = strings.Cut(p.rest, "\n")
		case p.rest[0] == '[':
			name, err := p.section()
			if err != nil {
				return err
			}
			section = name
		default:
			name, value, err := p.variable()
			if err != nil {
				return err
			}
			if section != "" {
				values[section+"."+name] = value
			}
		}
	}
}

type configParser struct{ rest string }

func (p *configParser) fail() error {
	line, _, _ := strings.Cut(p.rest, "\n")
	return fmt.Errorf("%w: at %.40q", ErrConfig, line)
}

const originSection = "remote.origin"

// section reads a header and returns its name, "" for one that has a second name, but for
// originSection.
func (p *configParser) section() (string, error) {
	name := p.word(1, "-.")
	end := 1 + len(name)
	if strings.HasPrefix(p.rest[end:], "]") {
		p.rest = p.rest[end+1:]
		if name = strings.ToLower(name); strings.Contains(name, ".") && name != originSection {
			name = ""
		}
		return name, nil
	}
	quoted := strings.TrimLeft(p.rest[end:], " \t")
	if !strings.HasPrefix(quoted, `"`) || len(quoted) == len(p.rest)-end {
		return "", p.fail()
	}
	for i := 1; i < len(quoted) && quoted[i] != '\n'; i++ {
		switch quoted[i] {
		case '\\':
			i++
		case '"':
			if !strings.HasPrefix(quoted[i+1:], "]") {
				return "", p.fail()
			}
			p.rest = quoted[i+2:]
			if strings.ToLower(name)+"."+quoted[1:i] == originSection {
				return originSection, nil
			}
			return "", nil
		}
	}
	return "", p.fail()
}

// word returns the letters, digits and other characters named from an offset on.
func (p *configParser) word(from int, others string) string {
	s := p.rest[from:]
	end := strings.IndexFunc(s, func(r rune) bool {
		return (r|0x20 < 'a' || 'z' < r|0x20) && (r < '0' || '9' < r) &&
			!strings.ContainsRune(others, r)
	})
	if end < 0 {
		return s
	}
	return s[:end]
}

func (p *configParser) variable() (name, value string, err error) {
	name = p.word(0, "-")
	if name == "" || strings.Contains("-0123456789", name[:1]) {
		return "", "", p.fail()
	}
	after := strings.TrimLeft(p.rest[len(name):], " \t")
	switch {
	case after == "" || after[0] == '\n':
		p.rest, value = after, "true"
	case after[0] == '=':
		p.rest = after[1:]
		value, err = p.value()
	default:
		err = p.fail()
	}
	return strings.ToLower(name), value, err
}

// escapes are the characters behind a backslash in a value, and their meaning.
var escapes = map[byte][]byte{
	't': {'\t'}, 'b': {'\b'}, 'n': {'\n'}, '"': {'"'}, '\\': {'\\'}, '\n': {},
}

// value reads to the end of the line. White space around the value and a comment behind it do not
// belong to it, unless they are quoted.
func (p *configParser) value() (string, error) {
	var b strings.Builder
	quoted, comment, solid := false, false, 0 // solid: the length without white space at the end
	s, i := p.rest, 0
	for ; i < len(s) && s[i] != '\n'; i++ {
		switch c := s[i]; {
		case comment:
			continue
		case !quoted && strings.IndexByte(" \t\r", c) >= 0:
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			comment = true
			continue
		case c == '"':
			quoted = !quoted
		case c == '\\':
			if i++; i == len(s) { // the end of the file is that of a line
				continue
			}
			if escapes[s[i]] == nil {
				return "", p.fail()
			}
			b.Write(escapes[s[i]])
		default:
			b.WriteByte(c)
		}
		solid = b.Len()
	}
	if quoted {
		return "", p.fail()
	}
	p.rest = s[min(i, len(s)):]
	return b.String()[:solid], nil
}
