package secret

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ruleVariant is what must follow a prefix or a marker to make it a secret.
type ruleVariant struct {
	body    func(body []byte) bool // after a prefix: letters, digits, - and _
	notes   bool                   // any value after "password:" and "token:" counts
	numbers bool                   // a number counts that is the member "password" of an object
	most    int                    // about how many findings of each sort are wanted
}

// credential reports whether the value of a claim is one. A placeholder, a reference, code, and
// plain words about a password are none; of the rest it depends on the name and the form how much a
// value must look like a secret.
func (v ruleVariant) credential(text []byte, c claim) bool {
	value := text[c.from:c.to]
	if structural(text, c) || elided(text, c) || placeholder(value) || inChecksum(text, c.from) {
		return false
	}
	if space := bytes.IndexByte(value, ' '); space >= 0 && c.form == literal {
		if c.kind == kindPassword {
			return !saysPlain(value)
		}
		value = value[:space]
	}
	switch {
	case c.kind == kindBearer:
		return v.bearer(value)
	case v.any(c):
		return !plainValue(value, c)
	case v.numbers && numberMember(text, c):
		return true
	}
	return mixedValue(c.kind, value)
}

// numberMember reports whether a value is a number, long enough for a PIN, and the member of a JSON
// object whose name is of a password.
func numberMember(text []byte, c claim) bool {
	const least = 4
	name := bytes.TrimRight(text[:c.from], " ")
	return c.kind == kindPassword && bytes.HasSuffix(name, []byte(`":`)) && c.to-c.from >= least &&
		len(bytes.Trim(text[c.from:c.to], "0123456789")) == 0
}

// any reports whether any value counts that is not plain; see the package comment.
func (v ruleVariant) any(c claim) bool {
	switch c.kind {
	case kindScheme:
		return true
	case kindPassword:
		return c.form != sentence && (v.notes || c.form != plain)
	case kindToken, kindHeader:
		return c.form != sentence && v.notes
	}
	return false
}

// bearer judges the word after "Bearer". It is also English, so the word must not look like a plain
// one; after "Authorization:" see headerClaim.
func (v ruleVariant) bearer(value []byte) bool {
	if v.notes {
		return (len(value) >= 16 || len(value) >= 4 && hasDigit(value)) && !placeholder(value)
	}
	return mixedValue(kindToken, value)
}

// structural reports whether what stands between two quotes is not a string, but what parts two
// strings, in JSON or in code: a text may end with "password:".
func structural(text []byte, c claim) bool {
	return c.form == literal && text[c.from-1] != '>' && c.to > c.from &&
		bytes.IndexByte([]byte(",]}):+"), text[c.from]) >= 0
}

// elided reports whether dots stand for most of a value.
func elided(text []byte, c claim) bool {
	return c.to-c.from < 16 && bytes.HasPrefix(text[c.to:], []byte("..."))
}

// mixedValue reports whether v looks like a credential by itself: long enough, with letters and
// digits, and neither code nor an address.
func mixedValue(kind string, v []byte) bool {
	least := 8
	if kind == kindPassword || kind == kindShort {
		least = 6
	}
	if len(v) < least || !hasLetter(v) && !bytes.ContainsFunc(v, unicode.IsLetter) ||
		placeholder(v) || knownName(v) {
		return false
	}
	symbol := least == 6 && bytes.ContainsAny(v[1:], "!#$%^&+~")
	return hasDigit(v) || symbol
}

// placeholder reports whether v stands for a value: <redacted>, ${DB_PASSWORD}, ***, YOUR_TOKEN, a
// path, a URL, a call in code.
func placeholder(v []byte) bool {
	return marked(v) || template(v) || code(v) || lowerPath(v) || ulid(v) || dummy(v)
}

// dummy reports whether v says that it is an example, or repeats one sign, as XXXXXXXX.
func dummy(v []byte) bool {
	run := 0
	for i, c := range v {
		if run++; i > 0 && c != v[i-1] || c != '0' && c|0x20 != 'x' {
			run = 0
		}
		if run == 7 {
			return true
		}
	}
	return bytes.Contains(v, []byte("EXAMPLE")) ||
		!everyPart(v, func(part []byte) bool {
			return !dummies.has(bytes.TrimRight(part,
				"0123456789"))
		})
}

// marked reports whether the signs of v say that it is no value but stands for one, or where it is.
func marked(v []byte) bool {
	if !bytes.ContainsFunc(v, letterOrDigit) || bytes.Contains(v, []byte("://")) {
		return true
	}
	rest := restText(v)
	switch v[0] {
	case '<', '{', '[', '%', '(', '*', '/', '~':
		return true
	case '$':
		return len(v) > 1 && (v[1] == '{' || v[1] == '(' || identifier(v[1:]) || rest == "")
	case '.':
		return bytes.HasPrefix(v, []byte("./")) || bytes.HasPrefix(v, []byte("../"))
	}
	return strings.Trim(rest, "xX") == "" || bytes.HasSuffix(v, []byte("…"))
}

// restText returns the letters and digits of v.
func restText(v []byte) string {
	return strings.Map(func(r rune) rune {
		if letterOrDigit(r) {
			return r
		}
		return -1
	}, string(v))
}

// template reports whether v says what belongs in its place, as YOUR_TOKEN does.
func template(v []byte) bool {
	upper := bytes.IndexByte(v, '_') > 0 && !hasDigit(v) && bytes.Equal(bytes.ToUpper(v), v)
	return upper || everyPart(v, generics.joined)
}

// everyPart reports whether each part of v, cut where letters and digits end and where a capital
// follows a small letter, satisfies ok.
func everyPart(v []byte, ok func([]byte) bool) bool {
	from := 0
	for i := 0; i <= len(v); i++ {
		camel := i > 0 && i < len(v) && letter(v[i]) && letter(v[i-1]) &&
			lower(v[i]) != v[i] && lower(v[i-1]) == v[i-1]
		if i < len(v) && (alnum(v[i]) || v[i] >= 0x80) && !camel {
			continue
		}
		if i > from && !ok(v[from:i]) {
			return false
		}
		from = i
		if i < len(v) && !camel {
			from++
		}
	}
	return len(v) > 0
}

// code reports whether v is an expression: a call, an index, a path of names.
func code(v []byte) bool {
	n := 0
	for n < len(v) && (alnum(v[n]) || v[n] == '_' || v[n] == '.') {
		n++
	}
	name := v[:n]
	random := hasDigit(name) && bytes.ContainsFunc(name, isCapital)
	switch {
	case n == 0 || random:
		return false
	case n < len(v):
		return v[n] == '(' || v[n] == '[' && !hasDigit(name)
	}
	return bytes.IndexByte(name, '.') > 0 && identifier(name)
}

// identifier reports whether v is names of variables with dots between, without digits.
func identifier(v []byte) bool {
	for i, c := range v {
		if !letter(c) && c != '_' && (c != '.' || i == 0 || i == len(v)-1) {
			return false
		}
	}
	return len(v) > 0
}

// lowerPath reports whether v is a path like secret/prod/db: two slashes or more between words
// without digits and capitals.
func lowerPath(v []byte) bool {
	return bytes.Count(v, []byte("/")) >= 2 && !bytes.ContainsFunc(v, func(r rune) bool {
		return r != '/' && r != '-' && r != '_' && r != '.' && !('a' <= r && r <= 'z') &&
			!('0' <= r && r <= '9')
	})
}

// knownName reports whether the digits of v come from a name that everybody knows, like
// base64url-encoded, or v is a version, a number with its unit, or the name of a file or a host.
func knownName(v []byte) bool {
	v = bytes.Trim(v, "'\"`()[]")
	if everyPart(v, func(part []byte) bool { return technical.has(part) || !hasDigit(part) }) {
		return hasDigit(v) && !bytes.ContainsAny(v, "!#$%^&+~@")
	}
	if dot := bytes.LastIndexByte(v, '.'); dot > 0 {
		return fileEndings.has(v[dot+1:]) && !bytes.ContainsFunc(v, isCapital)
	}
	return numbered(v)
}

// fileEndings are the ends of names of files and hosts.
const fileEndings wordList = " go py js ts rs java yaml yml json env txt md toml ini conf sh pem " +
	"com io net org dev "

// numbered reports whether v is digits and at most a short word: v2, 15m, 24h, 12th.
func numbered(v []byte) bool {
	v = bytes.TrimPrefix(v, []byte("v"))
	unit := bytes.TrimLeft(v, "0123456789.,-:")
	return len(unit) < len(v) && (len(unit) <= 1 || len(unit) <= 2 && hasLetter(unit))
}

// plainValue reports whether a value is only a word about passwords, or a number.
func plainValue(v []byte, c claim) bool {
	word := bytes.TrimRight(v, ".,:;!?)'")
	if plainWords.has(word) || wide(v) && !hasDigit(v) {
		return true
	}
	if number := len(bytes.Trim(v, "0123456789")) == 0; number || knownName(v) {
		return !number || c.kind != kindPassword || len(v) < 4
	}
	next := bytes.TrimLeft(c.rest, " ")
	if i := bytes.IndexAny(next, " .,;"); i >= 0 {
		next = next[:i]
	}
	return !hasDigit(v) && verbs.has(next)
}

// saysPlain reports whether a text of several words speaks about a password, and is no passphrase.
func saysPlain(v []byte) bool {
	words := bytes.Fields(v)
	if len(words) > 10 {
		return true
	}
	if mixedValue(kindPassword, bytes.TrimRight(words[0], ".,;:")) {
		return false
	}
	for i, word := range words {
		word = bytes.Trim(word, ".,:;!?()'")
		if plainWords.has(word) || i > 0 && verbs.has(word) || wide(word) {
			return true
		}
	}
	return false
}

// wide reports whether a word is of a language that is written without spaces.
func wide(word []byte) bool {
	r, _ := utf8.DecodeRune(word)
	return r >= 0x2E80
}

// drawn reports whether v looks like the output of a generator: long, with letters and digits that
// alternate, and neither an identifier nor a date.
func drawn(v []byte) bool {
	const least, inRow, changes = 16, 8, 3
	hex := bytes.TrimRight(v, "0123456789abcdef")
	hashed := len(hex) > 0 && hex[len(hex)-1] == '-' && (len(v)-len(hex))%24 == 16 // of a cache
	if len(v) < least || uuid(v) || ulid(v) || numberedStart(v) || hashed && len(v)-len(hex) >= 40 {
		return false
	}
	changed, run, most := 0, 0, 0
	for i, c := range v {
		if !alnum(c) {
			if run = 0; strings.IndexByte("_-+/=.~:%", c) < 0 {
				return false
			}
			continue
		}
		run++
		if most = max(most, run); run > 1 && letter(c) != letter(v[i-1]) {
			changed++
		}
	}
	return changed >= changes && most >= inRow && entropy(v[:min(len(v), longest)]) >= 3
}

// strong reports whether v looks like a password of a person.
func strong(v []byte) bool {
	dot := bytes.LastIndexByte(v, '.')
	file := dot > 0 && len(v)-dot <= 5 && !hasDigit(v[dot:])
	return hasDigit(v) && !file && !numberedStart(v) && // most words of a text end here
		(bytes.ContainsFunc(v, isCapital) || bytes.ContainsAny(v, "!#$%^&*+~@?")) &&
		mixedValue(kindPassword, v)
}

// product reports whether v is letters and at most two digits, as in Windows11.
func product(v []byte) bool {
	name := bytes.TrimRight(v, "0123456789")
	return len(v)-len(name) <= 2 && !hasDigit(name) && !bytes.ContainsFunc(name, noCode)
}

// uuid reports whether v is a UUID or the fingerprint of an OpenPGP key, which are keys only where
// they directly follow a name.
func uuid(v []byte) bool {
	v = bytes.TrimRight(v, ".,:;")
	return len(v) == 40 && len(bytes.Trim(v, "0123456789ABCDEF")) == 0 ||
		len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-'
}

// ulid reports whether v is a ULID, as it is or behind a short word: mem_01KJ....
func ulid(v []byte) bool {
	v = bytes.TrimRight(v, ".,:;")
	if i := bytes.IndexByte(v, '_'); i > 0 && i <= 5 {
		v = v[i+1:]
	}
	return len(v) == 26 && v[0] <= '7' && !bytes.ContainsFunc(v, func(r rune) bool {
		return !isCapital(r) && (r < '0' || r > '9') || strings.ContainsRune("ILOU", r)
	})
}

// numberedStart reports whether v begins like a date or a version: two numbers.
func numberedStart(v []byte) bool {
	const time = 14 // digits
	rest := bytes.TrimLeft(bytes.TrimPrefix(v, []byte("v")), "0123456789")
	return len(rest) < len(v) && len(v)-len(rest) <= time &&
		len(rest) > 1 && strings.IndexByte("-.:/", rest[0]) >= 0 &&
		'0' <= rest[1] && rest[1] <= '9'
}

// entropy returns the Shannon entropy in bits per character.
func entropy(secret []byte) (bits float64) {
	counts := map[rune]int{}
	for _, r := range string(secret) {
		counts[r]++
	}
	for _, n := range counts {
		share := float64(n) / float64(len(secret))
		bits -= share * math.Log2(share)
	}
	return bits
}

// hexKey reports whether v is a key of 32 bytes, in hexadecimal behind 0x.
func hexKey(v []byte) bool {
	return len(v) == 66 && v[0] == '0' && v[1] == 'x' && len(bytes.Trim(v[2:], hexDigits)) == 0
}
