package secret

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
	"pgregory.net/rapid"
)

// fragments are what the values of the property tests are made of: secrets, what makes secrets of
// their neighbours, marks, and what is hard to write as JSON.
func fragments(t *testing.T) []string {
	list := []string{
		"", " ", "\n", "\"", "\\", "'", "`", ",", ":", "=", ": ", "=\"", "://", "@", "a", "é",
		"用户", "😀", "\x00", "ａ", "：", "pass" + "word", "password: ", "--password ",
		"the token is ", "api_key = ", "Bearer ", "Authorization: Basic ", "https://ada:",
		"curl -u ada:", "密码", "hunter2", "abcd1234", "12345678", "1e9", mark("github-pat"),
		mark(urlPassword), "[redacted: ", "redacted", "]", "{\"password\":\"",
		"-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----",
		strings.Repeat("MIIabc\n", 12), "sk-", "word", strings.Repeat("aB3", 14),
		strings.Repeat("x1", 300), "h1:", "...",
	}
	samples := ruleSamples(t)
	for _, r := range Rules() {
		list = append(list, samples[r.ID])
	}
	return list
}

// textOf draws a text of fragments.
func textOf(t *rapid.T, list []string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(list), 0, 6).Draw(t, "text"), "")
}

// appendValue draws a compact JSON value of at most so many levels.
func appendValue(t *rapid.T, dst []byte, list []string, levels int) []byte {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	n := rapid.IntRange(0, 4).Draw(t, "n")
	switch {
	case kind == 0 && levels > 0:
		dst = append(dst, '[')
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(t, dst, list, levels-1)
		}
		return append(dst, ']')
	case kind <= 2 && levels > 0:
		return appendObject(t, dst, list, levels, n)
	case kind == 3:
		scalars := []string{"true", "null", "0", "-1.5", "12345678", "123456789012345678",
			"12345678e90"}
		return append(dst, rapid.SampledFrom(scalars).Draw(t, "scalar")...)
	case kind == 4:
		inner := appendValue(t, nil, list, levels-1)
		return appendSpelled(t, dst, string(inner))
	}
	return appendSpelled(t, dst, textOf(t, list))
}

func appendObject(t *rapid.T, dst []byte, list []string, levels, n int) []byte {
	seen := map[string]bool{}
	dst = append(dst, '{')
	for range n {
		name := textOf(t, list)
		if seen[name] {
			continue
		}
		if len(seen) > 0 {
			dst = append(dst, ',')
		}
		seen[name] = true
		dst = append(appendSpelled(t, dst, name), ':')
		dst = appendValue(t, dst, list, levels-1)
	}
	return append(dst, '}')
}

// appendSpelled appends a JSON string, some of its characters as escapes.
func appendSpelled(t *rapid.T, dst []byte, text string) []byte {
	if !rapid.Bool().Draw(t, "escape") {
		return jsontext.AppendString(dst, text)
	}
	every := rapid.IntRange(1, 9).Draw(t, "every")
	dst = append(dst, '"')
	for i, r := range []rune(text) {
		if i%every == 0 {
			dst = appendEscape(dst, r)
			continue
		}
		body := jsontext.AppendString(nil, string(r))
		dst = append(dst, body[1:len(body)-1]...)
	}
	return append(dst, '"')
}

func TestRedactAnything(t *testing.T) {
	t.Parallel()
	list := fragments(t)
	rapid.Check(t, func(t *rapid.T) {
		value := appendValue(t, nil, list, 4)
		if _, err := jsontext.Compact(nil, value); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		redacted(t, value)
	})
}

func TestRedactAnyText(t *testing.T) {
	t.Parallel()
	list := append(fragments(t), "\xff", "\xc3", "\x80\x80\x80\x80", "\xed\xa0\x80")
	rapid.Check(t, func(t *rapid.T) { redactedText(t, textOf(t, list)) })
}

// appendEscape appends the escape \u of a character, or two of a surrogate pair.
func appendEscape(dst []byte, r rune) []byte {
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		return fmt.Appendf(dst, `\u%04x\u%04X`, hi, lo)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}
