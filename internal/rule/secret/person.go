package secret

import "bytes"

// pairClaim returns the password of a name and a password: admin / so-and-so, root:so-and-so,
// login: ada / so-and-so, ada@host with so-and-so.
func pairClaim(text []byte, end int) (c claim) {
	if end < len(text) && (text[end] == '/' || text[end] == ':') {
		c = valueAt(text, end+1, kindShort)
		if c.to > c.from && pairs(text, c) && text[c.from-1] == text[end] {
			return c
		}
	}
	if c = assigned(text, skip(text, end, "s", 1), kindLogin); hexKey(text[c.from:c.to]) {
		return c
	}
	w := newClause(text, end)
	named := w.linked
	for n := 0; n < 7 && w.next() && !w.line; n++ {
		word := w.word()
		named = named || w.linked
		slash := string(word) == "/" || string(word) == "|"
		if at := bytes.IndexByte(word, '/'); named && at > 0 {
			c = valueAt(text, w.from+at+1, kindShort)
		} else if slash || withs.has(word) {
			c = valueAt(text, skip(text, w.at, " \t", 4), kindShort)
		} else {
			continue
		}
		v := text[c.from:c.to]
		if c.to > c.from && (pairs(text, c) ||
			slash && (named || n == 0) && len(v) >= 8 && mixedValue(kindPassword, v)) {
			return c
		}
	}
	return claim{}
}

// pairs reports whether a value may stand behind a name and a slash: no path, and strong.
func pairs(text []byte, c claim) bool {
	v := text[c.from:c.to]
	return bytes.IndexByte(v, '/') < 0 && bytes.IndexByte(v, ':') < 0 && strong(v)
}

// codeClaim returns the digits of a PIN or of several codes: four or more, with signs between.
func codeClaim(text []byte, end int) claim {
	const digits, most = "0123456789-#*", 6
	w := newClause(text, end)
	for n := 0; n < most && w.next() && !w.line; n++ {
		v := text[w.from:skip(text, w.from, digits, longest)]
		if len(v) >= 4 && w.at-w.from <= len(v)+1 && text[w.from] >= '0' &&
			(w.linked || n == 0 && v[0] != '1' && v[0] != '2') {
			all := text[w.from:skip(text, w.from, digits+", ", longest)]
			return claim{kindCode, sentence, w.from, w.from + len(bytes.TrimRight(all, ", ")), nil}
		}
		if w.ends() {
			break
		}
	}
	return claim{}
}

// seedClaim returns the words of a wallet: twelve or more short ones in a row, none of them one
// that holds a sentence together.
func seedClaim(text []byte, end int) (c claim) {
	const least, most, late = 12, 40, 8
	w := newClause(text, end)
	n := 0
	for i := 0; i < most; i++ {
		if w.last = len(text); !w.next() {
			break
		}
		word := bytes.TrimRight(w.word(), ".")
		small := !bytes.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
		switch {
		case len(bytes.Trim(word, "0123456789")) == 0 && n > 0:
			continue // the number of the next
		case small && len(word) >= 3 && len(word) <= 8 && !joints.has(word):
			if n++; n == 1 {
				c.from = w.from
			}
			c.to = w.from + len(word)
			if n >= least {
				c.kind, c.form = kindSeed, sentence
			}
		case n >= least || i > late:
			i = most
		default:
			n = 0
		}
	}
	return c
}

// groupsClaim returns a code in groups of as many letters and digits, or a list of such codes: four
// groups or more, with letters and digits in two of them, or with six of digits in a row.
func groupsClaim(text []byte, end int) (c claim) {
	const most, late = 64, 8
	w := newClause(text, end)
	n, mixed, length := 0, 0, 0
	for i := 0; i < most; i++ {
		if w.last = len(text); !w.next() {
			break
		}
		word := bytes.TrimRight(w.word(), ".;")
		size, groups, both := grouped(word)
		if size == 0 || size != length {
			if n >= 4 || size == 0 && i > late {
				break
			}
			n, mixed, length, c.from = 0, 0, size, w.from
		}
		n, mixed, c.to = n+groups, mixed+both, w.from+len(word)
	}
	if n >= 4 && mixed >= 2 {
		c.kind, c.form = kindGroups, sentence
	}
	return c
}

// grouped returns the length that all groups of a word have, how many they are, and how many of
// them have letters and digits; of digits alone all do if they are six or more.
func grouped(word []byte) (size, n, both int) {
	for group := range bytes.SplitSeq(word, []byte("-")) {
		if n++; n == 1 {
			size = len(group)
		}
		if len(group) != size || size < 4 || size > 8 || bytes.ContainsFunc(group, noCode) {
			return 0, 0, 0
		}
		if hasDigit(group) && hasLetter(group) {
			both++
		}
	}
	if n == 1 && size > 5 {
		return 0, 0, 0
	}
	if n >= 6 && !hasLetter(word) {
		both = n
	}
	return size, n, both
}

func noCode(r rune) bool { return r >= 0x80 || !alnum(byte(r)) }

// hexKey reports whether v is a key of 32 bytes, in hexadecimal behind 0x.
func hexKey(v []byte) bool {
	return len(v) == 66 && v[0] == '0' && v[1] == 'x' && len(bytes.Trim(v[2:], hexDigits)) == 0
}

const hexDigits = "0123456789abcdefABCDEF"

// pgpassClaim returns the password of a line host:port:database:user:password, of which end is
// behind the port.
func pgpassClaim(text []byte, from, end int) claim {
	c := valueAt(text, end, kindPassword)
	for range 2 {
		i := bytes.IndexByte(text[c.from:c.to], ':')
		if i < 1 || bytes.IndexByte(text[c.from:c.from+i], '/') >= 0 || from == 0 {
			return claim{}
		}
		c.from += i + 1
	}
	c.form = flag
	return c
}
