package secret

import (
	"bytes"
	"iter"
	"strings"
)

// flags are the flags of commands that take a password. After one with ! it follows without a
// space, of one with : it is behind a name and this sign.
var flags = [...]struct{ command, flags string }{
	{"curl", "-u: --user: --proxy-user:"}, {"sshpass", "-p"}, {"mysql", "-p!"}, {"login", "-p"},
	{"redis-cli", "-a"},
}

// commandClaim returns the password among the flags of a command whose name ends at an offset:
// sshpass -p so-and-so, mysql -pso-and-so, curl -u ada:so-and-so.
func commandClaim(text []byte, end int, command string) claim {
	const near = 200
	line := text[end:min(end+near, len(text))]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	for _, f := range flags {
		if !strings.HasSuffix(command, f.command) {
			continue
		}
		for name := range strings.FieldsSeq(f.flags) {
			if c := flagClaim(text, end, line, name); c.form != none {
				return c
			}
		}
	}
	return claim{}
}

// flagClaim returns the value of a flag in the line that begins at an offset.
func flagClaim(text []byte, at int, line []byte, flagged string) claim {
	name := strings.TrimRight(flagged, "!:")
	i := bytes.Index(line, []byte(" "+name))
	if i < 0 {
		return claim{}
	}
	at += i + 1 + len(name)
	if len(name) > 3 && at < len(text) && text[at] != ' ' && text[at] != '=' {
		return claim{}
	}
	c := valueAt(text, skip(text, at, " =", 1), kindPassword)
	c.form = flag
	switch value := text[c.from:c.to]; flagged[len(name):] {
	case "!": // A space before it would be the name of a database.
		if text[c.from-1] == ' ' || !hasLetter(value) {
			return claim{}
		}
	case ":":
		n := bytes.IndexByte(value, ':')
		if n < 0 {
			return claim{}
		}
		c.from += n + 1
	default:
		if !hasLetter(value) {
			return claim{}
		}
	}
	return c
}

// schemes are the words between Authorization: and the credential.
const schemes wordList = " apikey basic bearer digest key negotiate ntlm ssws token "

// headerClaim returns the credential of an Authorization header: what follows the scheme.
func headerClaim(text []byte, c claim) claim {
	word := text[c.from:c.to]
	if i := bytes.IndexByte(word, ' '); c.form == literal && i >= 0 {
		word = word[:i]
	}
	if c.form == none || !schemes.has(word) {
		return c
	}
	at := skip(text, c.from+len(word), " \t", 8)
	if c.form == literal {
		if at >= c.to {
			return claim{}
		}
		return claim{kind: kindScheme, form: plain, from: at, to: c.to}
	}
	return afterSpace(text, c.to, kindScheme)
}

// userinfo returns the passwords before the host of URLs, like https://ada:so-and-so@example.com,
// at most so many.
func userinfo(text []byte, most int) (found []span) {
	for at := range places(text, "://") {
		from := at + len("://")
		part := text[from:min(from+longest, len(text))]
		if i := bytes.IndexAny(part, "/?# \t\r\n\"'`<>\\|"); i >= 0 {
			part = part[:i]
		}
		host := bytes.LastIndexByte(part, '@')
		colon := bytes.IndexByte(part[:max(host, 0)], ':')
		if colon < 0 || templateUser(part[:colon], part[colon+1:host], part[host+1:]) {
			continue
		}
		found = append(found, span{urlPassword, from + colon + 1, from + host})
		if len(found) >= most {
			break
		}
	}
	return found
}

// templateUser reports whether user and password of a URL only say what belongs there, or are one
// word on a host without a domain. The word
// pass is a password like any other, and so is password, of a user with a name of his own.
func templateUser(user, password, host []byte) bool {
	local := bytes.IndexByte(host, '.') < 0
	if len(password) == 0 || marked(password) || local && bytes.Equal(user, password) {
		return true
	}
	if !template(password) {
		return false
	}
	return bytes.Equal(bytes.ToUpper(password), password) ||
		len(password) >= len("password") && template(user)
}

// places yields the offsets of word in text.
func places(text []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(word))
			if i < 0 || !yield(from+i) {
				return
			}
			from += i + len(word)
		}
	}
}
