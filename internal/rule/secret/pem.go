package secret

import "bytes"

// pemRule is the rule of gitleaks for a private key in PEM. It needs the end of the key.
const pemRule = "private-key"

// cutKeys returns the private keys in PEM, as far as they go: one without its end is a secret, too,
// though none of its lines is long enough to look like one.
func cutKeys(text []byte, most int) (found []span) {
	const least = 32 // characters of the key: an example has fewer
	for from, head := range privateKeys(text) {
		if to, n := keyLines(text, head); n >= least {
			found = append(found, span{pemRule, from, to})
		}
		if len(found) >= most {
			break
		}
	}
	return found
}

// privateKeys yields where a private key in PEM begins, and the offset behind its first line.
func privateKeys(text []byte) func(yield func(from, head int) bool) {
	const begin, end = "-----BEGIN ", "-----"
	return func(yield func(from, head int) bool) {
		for from := range places(text, begin) {
			line := text[from+len(begin):]
			label, _, whole := bytes.Cut(line[:min(len(line), longest)], []byte(end))
			if !whole || !bytes.HasSuffix(bytes.TrimSuffix(label, []byte(" BLOCK")),
				[]byte("PRIVATE KEY")) {
				continue
			}
			if !yield(from, from+len(begin)+len(label)+len(end)) {
				return
			}
		}
	}
}

// keyLines returns the end of the lines of base64 behind the first line of a key, and how many
// characters they have. Headers of an encrypted key stand before them, and spaces, a sign of a
// quotation or a written-out \n between.
func keyLines(text []byte, at int) (to, n int) {
	const least = 16 // characters of a line: the last may have fewer
	headers := 6     // at most
	for to = at; ; {
		for at < len(text) && (space(text[at]) || bytes.IndexByte([]byte(">|+\\"), text[at]) >= 0) {
			if text[at] == '\\' && at+1 < len(text) && (text[at+1] == 'n' || text[at+1] == 'r') {
				at++
			}
			at++
		}
		end := at
		for end < len(text) && (ofClass(text[end], 'b') || n == 0 && text[end] == '-') {
			end++
		}
		if headers > 0 && end < len(text) && text[end] == ':' {
			at, headers = lineEnd(text, end), headers-1
			continue
		}
		headers = 0
		if size := end - at; size < least && (n == 0 || size%4 != 0) || size == 0 ||
			bytes.HasPrefix(text[at:], []byte("--")) {
			return to, n
		}
		to, n, at = end, n+end-at, end
	}
}

// lineEnd returns the end of the line that an offset is in, or an offset in a long one.
func lineEnd(text []byte, at int) int {
	end := min(at+longest, len(text))
	if i := bytes.IndexByte(text[at:end], '\n'); i >= 0 {
		return at + i
	}
	return end
}
