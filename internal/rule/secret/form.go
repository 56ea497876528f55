package secret

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// tokenForm is a token that its letters and its length give away: a word of the issuer, what stands
// before it, and what follows. In braces are a number of characters, or the least and the most, and
// their class: h hexadecimal, l small letters and digits, A capitals and digits, n digits,
// a letters and digits, w these, - and _, t those and . and ~, b those of base64, u a UUID.
type tokenForm struct{ word, before, after string }

// tokenForms are tokens as their services document them. They need no word like token beside them,
// and unlike the prefixes of words.go nothing that looks drawn: the length decides.
var tokenForms = [...]tokenForm{
	{"nrak-", "", "{27A}"}, {"nrii-", "", "{32w}"}, {"nrra-", "", "{42h}"},
	{"ssws ", "", "{42w}"}, {"-us", "{32h}", "{1-2n}"}, {"pat", "", "{14a}.{64-72h}"},
	{"squ_", "", "{40h}"}, {"sqp_", "", "{40h}"}, {"sqa_", "", "{40h}"},
	{"api-", "", "{u}"}, {"sdk-", "", "{u}"}, {"oy2", "", "{43l}"},
	{"1//0", "", "{38-120w}"}, {"1/", "", "{15-17n}:{32h}"}, {"2/", "", "{15-17n}/{15-17n}:{32h}"},
	{"0/", "", "{32h}"}, {"hrku-", "", "{u}"}, {"hrku-", "", "{60w}"},
	{"/hooks/catch/", "", "{5-9n}/{6-8l}"}, {".make.com/", "", "{28-36l}"},
	{"/deploy/prj_", "", "{24-32a}/{8-12a}"}, {"swmtkn-1-", "", "{49-51l}-{25l}"},
	{"pat-na1-", "", "{u}"}, {"pat-eu1-", "", "{u}"}, {"pat-ap1-", "", "{u}"},
	{"cfpat-", "", "{43w}"}, {"aio_", "", "{28a}"}, {"cio", "", "{32a}"}, {"rnd_", "", "{28-32a}"},
	{"napi_", "", "{64l}"}, {"absk", "", "{109-269b}"}, {"snyk_sat.", "", "{8h}.{40-120w}"},
	{"snyk_uat.", "", "{8h}.{40-120w}"}, {"waka_", "", "{u}"}, {"key", "", "{32A}_{22a}"},
	{"access-production-", "", "{u}"}, {"access-development-", "", "{u}"},
	{"access-sandbox-", "", "{u}"}, {"msh", "{10l}", "{15l}p1{5-6l}jsn{12-13l}"},
	{"ddp_", "", "{36a}"}, {"ddo_", "", "{36a}"}, {"cal_live_", "", "{32h}"},
	{"vck_", "", "{24-64a}"}, {"vca_", "", "{24-64a}"}, {"ccdb1_", "", "{22a}_{40a}"},
	{"akab-", "", "{16l}-{16l}"}, {"signkey-prod-", "", "{64h}"}, {"hcaik_", "", "{58-64l}"},
	{"sq0atp-", "", "{22w}"}, {"dt0s16.", "", "{8A}.{64A}"}, {"dt0s02.", "", "{8A}.{64A}"},
	{"crsr_", "", "{64h}"}, {"lip_", "", "{20a}"}, {"polar_oat_", "", "{32-64a}"},
	{"hc-ping.com/", "", "{u}"}, {"hvb.", "", "{90-300w}"}, {"hvs.", "", "{90-120w}"},
	{"eaaa", "", "{60w}"}, {"8q~", "{3a}", "{34t}"},
}

// formsAt returns the tokens of a known form, whose words are at these places.
func (v ruleVariant) formsAt(text []byte, at []hit) (found []span) {
	for _, h := range at {
		f := &tokenForms[h.number-ofOwn]
		from, ok := f.begin(text, h.pos)
		end := matchForm(text, h.pos+len(f.word), f.after)
		if ok && end > 0 && isToken(text[from:end]) {
			found = append(found, span{tokenPrefix, from, end})
		}
		if len(found) >= v.most {
			break
		}
	}
	return found
}

// begin returns where a token begins whose word is at an offset, and whether it may begin there: it
// is not the end of a longer name, and a UUID is not that of something named before it.
func (f *tokenForm) begin(text []byte, at int) (from int, ok bool) {
	if f.before == "" && !alnum(f.word[0]) {
		return at, true
	}
	from = at
	if f.before != "" {
		least, _, class, _ := nextPart(f.before)
		if from -= least; from < 0 || runOf(text[from:at], class, least) < least {
			return from, false
		}
	}
	return from, !inLongerName(text[:from]) && (f.after != "{u}" || !inPath(text[:from]))
}

// inLongerName reports whether a text ends in the middle of a word.
func inLongerName(before []byte) bool {
	n := len(before)
	return n > 0 && (alnum(before[n-1]) || before[n-1] == '_' || before[n-1] == '-')
}

// inPath reports whether a text ends with the dot of a name or the slash of a path.
func inPath(before []byte) bool {
	n := len(before)
	return n > 0 && before[n-1] == '.' || n > 1 && before[n-1] == '/' && alnum(before[n-2])
}

// isToken reports whether a text of the right form is no example.
func isToken(v []byte) bool {
	const leastEntropy = 2.5 // bits per character
	return hasDigit(v) && hasLetter(v) && !dummy(v) && entropy(v) >= leastEntropy
}

// matchForm returns the end of the text at an offset that has a form, 0 where it has not.
func matchForm(text []byte, at int, want string) int {
	const uuidLen = 36
	class := byte(0)
	for want != "" {
		if want[0] != '{' {
			if at == len(text) || text[at] != want[0] {
				return 0
			}
			at, want = at+1, want[1:]
			continue
		}
		least, most := 0, 0
		least, most, class, want = nextPart(want)
		if class == 'u' {
			if at+uuidLen > len(text) || !uuid(text[at:at+uuidLen]) {
				return 0
			}
			at += uuidLen
			continue
		}
		n := runOf(text[at:], class, most)
		if n < least {
			return 0
		}
		at += n
	}
	if at < len(text) && (alnum(text[at]) || text[at] == '_' ||
		class != 't' && ofClass(text[at], class)) {
		return 0
	}
	return at
}

// nextPart parses the braces at the beginning of a form, and returns the rest of the form.
func nextPart(want string) (least, most int, class byte, rest string) {
	part, rest, _ := strings.Cut(want[1:], "}")
	class = part[len(part)-1]
	for _, c := range []byte(part[:len(part)-1]) {
		if c == '-' {
			least, most = most, 0
		} else {
			most = 10*most + int(c-'0')
		}
	}
	if least == 0 {
		least = most
	}
	return least, most, class, rest
}

// runOf returns how many characters of a class a text begins with, at most so many.
func runOf(text []byte, class byte, most int) (n int) {
	for n < min(most, len(text)) && ofClass(text[n], class) {
		n++
	}
	return n
}

func ofClass(c, class byte) bool {
	digit := '0' <= c && c <= '9'
	switch class {
	case 'n':
		return digit
	case 'h':
		return digit || 'a' <= c && c <= 'f'
	case 'l':
		return digit || small(c)
	case 'A':
		return digit || 'A' <= c && c <= 'Z'
	case 'w':
		return alnum(c) || c == '-' || c == '_'
	case 't':
		return alnum(c) || strings.IndexByte("-_.~", c) >= 0
	case 'b':
		return alnum(c) || c == '+' || c == '/' || c == '='
	}
	return class == 'a' && alnum(c)
}

// parted returns the tokens whose parts have fixed lengths and no word: those of Discord, of
// kubeadm and of ngrok. A sign between two parts is looked for, which costs less than a pattern.
func (v ruleVariant) parted(text []byte) (found []span) {
	for _, sign := range []byte("._") {
		for at := 0; len(found) < v.most; at++ {
			n := bytes.IndexByte(text[at:], sign)
			if n < 0 {
				break
			}
			at += n
			if from, to := partsAt(text, at); to > 0 {
				found = append(found, span{tokenPrefix, from, to})
			}
		}
	}
	return found
}

// partsAt returns the token around the sign at an offset; to is 0 where there is none.
func partsAt(text []byte, at int) (from, to int) {
	const bot, join, ngrok = 28, 6, 27 // the greatest lengths before the sign
	for from = at; from > max(0, at-bot-1) && alnum(text[from-1]); {
		from--
	}
	first := text[from:at]
	if inLongerName(text[:from]) {
		return from, 0
	}
	switch n := len(first); {
	case text[at] == '_':
		if n == ngrok && (first[0] == '1' || first[0] == '2') && mixed(first) {
			to = matchForm(text, at+1, "{20-22a}")
		}
	case n == join && !inPath(text[:from]):
		to = matchForm(text, at+1, "{16l}")
		if to > 0 && !isJoinToken(first, text[at+1:to], text[to:]) {
			to = 0
		}
	case n > 20 && n <= bot:
		id, err := base64.RawStdEncoding.DecodeString(string(first))
		if err == nil && len(bytes.Trim(id, "0123456789")) == 0 {
			to = matchForm(text, at+1, "{6w}.{27-45w}")
		}
	}
	return from, to
}

// isJoinToken reports whether two words with a dot between are a token of kubeadm, and no name of a
// file or a host, a call, or a hash behind a name.
func isJoinToken(first, second, rest []byte) bool {
	inName := len(rest) > 1 && strings.IndexByte("./-(:=", rest[0]) >= 0 && alnum(rest[1])
	letters := bytes.TrimRight(second, "0123456789")
	return !inName && runOf(first, 'l', len(first)) == len(first) && hasDigit(letters) &&
		len(bytes.Trim(second, hexDigits)) > 0 && drawn(second)
}
