package jsontext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"pgregory.net/rapid"
)

// members returns n members with names of their own, as the inside of an object.
func members(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `"m%d":%d,`, i, i)
	}
	return strings.TrimSuffix(out.String(), ",")
}

func nested(open, close string, n int) string {
	return strings.Repeat(open, n) + strings.Repeat(close, n)
}

var longName = strings.Repeat("n", 50)

var compactRefusals = []struct {
	name, text string
	pos        int
	fault      string
}{
	{"empty", "", 0, `empty text`},
	{"blank", " \t\r\n", 0, `empty text`},
	{"word", "nul", 3, `the text ends too early`},
	{"upper-case word", "True", 0, `invalid character 'T' at start of value`},
	{"NaN", "NaN", 0, `invalid character 'N' at start of value`},
	{"infinity", "-Infinity", 1, `invalid character 'I' in number (expecting digit)`},
	{"not JSON", "hello", 0, `invalid character 'h' at start of value`},
	{"script of its own", "牙", 0, `invalid character '牙' at start of value`},
	{"NUL", "\x00", 0, `invalid character '\x00' at start of value`},
	{"single quotes", "{'a':1}", 1, `invalid character '\'' at start of string (expecting '"')`},
	{"comment", "1 // one", 2, `invalid character '/' after top-level value`},
	{"two values", `{"a":1}{"b":2}`, 7, `invalid character '{' after top-level value`},
	{"two words", "nulll", 4, `invalid character 'l' after top-level value`},
	{"NUL after the value", "1\x00", 1, `invalid character '\x00' after top-level value`},
	{"byte order mark", "\ufeff1", 0, `invalid character '\ufeff' at start of value`},
	{"no-break space", "\u00a01", 0, `invalid character '\u00a0' at start of value`},

	{"leading zero", "[01]", 2, `invalid character '1' after array value (expecting ',' or ']')`},
	{"negative leading zero", "-01", 2, `invalid character '1' after top-level value`},
	{"no fraction", "1.", 1, `the text ends too early`},
	{"no whole part", ".5", 0, `invalid character '.' at start of value`},
	{"plus", "+1", 0, `invalid character '+' at start of value`},
	{"no exponent", "1e", 1, `the text ends too early`},
	{"signed no exponent", "1e+", 1, `the text ends too early`},
	{"minus alone", "[-]", 2, `invalid character ']' in number (expecting digit)`},
	{"hexadecimal", "0x10", 1, `invalid character 'x' after top-level value`},
	{"underscore", "1_000", 1, `invalid character '_' after top-level value`},
	{"fraction after no fraction", "1.e5", 2, `invalid character 'e' in number (expecting digit)`},

	{"comma in front", "[,1]", 1, `invalid character ',' at start of value`},
	{"comma behind", "[1,]", 3, `invalid character ']' at start of value`},
	{"two commas", "[1,,2]", 3, `invalid character ',' at start of value`},
	{"no comma", "[1 2]", 3, `invalid character '2' after array value (expecting ',' or ']')`},
	{"wrong bracket", "[1}", 2, `invalid character '}' after array value (expecting ',' or ']')`},
	{"comma in an empty object", "{,}", 1,
		`invalid character ',' at start of string (expecting '"')`},
	{"comma behind a member", `{"a":1,}`, 7,
		`invalid character '}' at start of string (expecting '"')`},
	{"bare name", "{a:1}", 1, `invalid character 'a' at start of string (expecting '"')`},
	{"number as name", "{1:1}", 1, `invalid character '1' at start of string (expecting '"')`},
	{"no colon", `{"a" 1}`, 5, `invalid character '1' after object name (expecting ':')`},
	{"no value", `{"a":}`, 5, `invalid character '}' at start of value`},
	{"no comma between members", `{"a":1 "b":2}`, 7,
		`invalid character '"' after object value (expecting ',' or '}')`},
	{"unopened", "]", 0, `invalid character ']' at start of value`},

	{"duplicate", `{"a":1,"a":2}`, 7, `duplicate member name "a"`},
	{"duplicate with the same value", `{"a":1,"b":1,"a":1}`, 13, `duplicate member name "a"`},
	{"duplicate in escapes", `{"a":1,"\u0061":2}`, 7, `duplicate member name "a"`},
	{"duplicate in escapes first", `{"\u0061":1,"a":2}`, 12, `duplicate member name "a"`},
	{"duplicate hex case", `{"\u00e9":1,"\u00E9":2}`, 12, `duplicate member name "é"`},
	{"duplicate slash", `{"/":1,"\/":2}`, 7, `duplicate member name "/"`},
	{"duplicate pair", `{"😀":1,"\ud83d\ude00":2}`, 10, `duplicate member name "😀"`},
	{"duplicate empty", `{"":1,"":2}`, 6, `duplicate member name ""`},
	{"duplicate after white space", "{ \"a\" : 1 ,\n \"a\" : 2 }", 13,
		`duplicate member name "a"`},
	{"duplicate below", `{"a":{"b":1,"b":2}}`, 12, `duplicate member name "b"`},
	{"duplicate in an array", `[{"a":1},{"a":1,"a":2}]`, 16, `duplicate member name "a"`},
	{"duplicate after a nested object", `{"a":{"a":{"a":1}},"a":2}`, 19,
		`duplicate member name "a"`},
	{"duplicate at the greatest depth", strings.Repeat(`{"a":`, 127) + `{"a":1,"a":2}`,
		5*127 + 7, `duplicate member name "a"`},
	{"duplicate as 17th", `{` + members(16) + `,"m0":1}`, len(members(16)) + 2,
		`duplicate member name "m0"`},
	{"duplicate as 18th", `{` + members(17) + `,"m16":1}`, len(members(17)) + 2,
		`duplicate member name "m16"`},
	{"duplicate of many", `{` + members(100_000) + `,"m9\u0039":1}`, len(members(100_000)) + 2,
		`duplicate member name "m99"`},
	{"duplicate long name", `{"` + longName + `":1,"` + longName + `":2}`, 56,
		`duplicate member name "` + longName[:40] + `..."`},

	{"129 arrays", nested("[", "]", 129), 128, "nesting past 128 levels"},
	{"20,000 arrays", nested("[", "]", 20_000), 128, "nesting past 128 levels"},
	{"20,000 objects", strings.Repeat(`{"a":`, 20_000), 640, "nesting past 128 levels"},
	{"20,000 brackets", strings.Repeat("[", 20_000), 128, "nesting past 128 levels"},
	{"129 objects", strings.Repeat(`{"a":`, 128) + "{}", 642, `the text ends too early`},
	{"129 in turns", strings.Repeat(`[{"a":`, 64) + "[]", 386, `the text ends too early`},

	{"NUL in a string", "\"a\x00\"", 2,
		`invalid character '\x00' in string (expecting non-control character)`},
	{"newline in a string", "\"\n\"", 1,
		`invalid character '\n' in string (expecting non-control character)`},
	{"tab in a name", "{\"\t\":1}", 2,
		`invalid character '\t' in string (expecting non-control character)`},
	{"last control character", "\"\x1f\"", 1,
		`invalid character '\x1f' in string (expecting non-control character)`},
	{"unknown escape", `"\x41"`, 1, "invalid escape sequence `\\x` in string"},
	{"upper-case escape", `"\N"`, 1, "invalid escape sequence `\\N` in string"},
	{"escaped quote", `"\'"`, 1, "invalid escape sequence `\\'` in string"},
	{"escaped escape character", "\"\\\x1b[2J\"", 1, `invalid escape sequence "\\\x1b" in string`},
	{"escaped character", `"\牙"`, 1, `invalid escape sequence "\\\xe7" in string`},
	{"short \\u", `"\u12"`, 1, "invalid escape sequence `\\u12\"` in string"},
	{"no hex", `"\u12g4"`, 1, "invalid escape sequence `\\u12g4` in string"},
	{"braces", `"\u{41}"`, 1, "invalid escape sequence `\\u{41}` in string"},
	{"lone high surrogate", `"a\ud83d"`, 2, "invalid surrogate pair `\\ud83d\"` in string"},
	{"lone low surrogate", `"a\uDE00"`, 2, "invalid surrogate pair `\\uDE00\"` in string"},
	{"high and text", `"\ud83dabcdef"`, 1, "invalid surrogate pair `\\ud83dabcdef` in string"},
	{"high and escape", `"\ud83d\n12345"`, 1, "invalid surrogate pair `\\ud83d\\n1234` in string"},
	{"high and high", `"\ud83d\ud83d"`, 1, "invalid surrogate pair `\\ud83d\\ud83d` in string"},
	{"high and letter", `"\ud83d\u0041"`, 1, "invalid surrogate pair `\\ud83d\\u0041` in string"},
	{"high and broken low", `"\ud83d\ude0"`, 1,
		"invalid surrogate pair `\\ud83d\\ude0\"` in string"},
	{"halves the wrong way round", `"\ude00\ud83d"`, 1,
		"invalid surrogate pair `\\ude00\\ud83d` in string"},
	{"lone surrogate in a name", `{"\udfff":1}`, 2,
		"invalid surrogate pair `\\udfff\":1}` in string"},

	{"invalid byte", "\"a\xff\"", 2, "invalid UTF-8"},
	{"invalid byte outside", "\xff", 0, `invalid character '\xff' at start of value`},
	{"invalid byte in a name", "{\"\x80\":1}", 2, "invalid UTF-8"},
	{"cut character", "\"\xe7\x89\"", 1, "invalid UTF-8"},
	{"overlong slash", "\"\xc0\xaf\"", 1, "invalid UTF-8"},
	{"encoded surrogate", "\"\xed\xa0\x80\"", 1, "invalid UTF-8"},
	{"past U+10FFFF", "\"\xf4\x90\x80\x80\"", 1, "invalid UTF-8"},
}

func TestCompactRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range compactRefusals {
		t.Run(c.name, func(t *testing.T) {
			out, err := jsontext.Compact(nil, []byte(c.text))
			var fault *jsontext.Error
			if !errors.Is(err, jsontext.ErrJSON) || !errors.As(err, &fault) {
				t.Fatalf("got %q, %v", out, err)
			}
			if fault.Pos != c.pos || fault.Fault != c.fault {
				t.Errorf("%s\nwant %q at byte %d", err, c.fault, c.pos)
			}
			if want := fmt.Sprintf("JSON: %s at byte %d", c.fault, c.pos); err.Error() != want {
				t.Errorf("message %q, want %q", err, want)
			}
		})
	}
}

// rich is a text with everything in it that JSON has.
const rich = `{"a":[1,-0.5e+3,true,false,null],"牙":"\u7259\ud83d\ude00\/\n😀","c":{"":{}}}`

func TestCompactRefusesEveryBeginning(t *testing.T) {
	t.Parallel()
	for n := range len(rich) {
		var fault *jsontext.Error
		if _, err := jsontext.Compact(nil, []byte(rich[:n])); !errors.As(err, &fault) ||
			fault.Pos > n || fault.Fault == "" {
			t.Errorf("%q: %v", rich[:n], err)
		}
	}
}

func TestCompactKeepsBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"null", "true", "false", `""`, "[]", "{}", "0",
		"1.0", "1e400", "-0", "-0.0", "1E+2", "1e-2", "0e0", "123456789012345678901234567890",
		"0.1000",
		`"\u7259"`, `"\/"`, `"/"`, `"\u0041"`, `"\uD83D\uDE00"`, `"\ud83d\ude00"`, `"😀"`, `"牙科复诊"`,
		"\"\u2028\u2029\"", `"<>&"`, "\"\u007f\ufffd\ufeff\"",
		`"\b\f\n\r\t\"\\"`, `"\u0000"`, `"\uffff"`, "\"\U0010FFFF\"", "\"\ue000\"",
		`{"b":1,"a":2}`, `{"a":1,"A":2,"Á":3}`, `{"e\u0301":1,"é":2}`, `[{"a":1},{"a":2}]`,
		`{"a":{"a":{"a":1}}}`,
		nested("[", "]", 128), strings.Repeat(`{"a":`, 127) + "{}" + strings.Repeat("}", 127),
		"[" + strings.Repeat(nested("[", "]", 127)+",", 3) + "0]",
		"{" + members(17) + "}", "{" + members(100_000) + "}", rich,
	} {
		out, err := jsontext.Compact([]byte("before "), []byte(text))
		if err != nil || string(out) != "before "+text {
			t.Errorf("%.60q: got %.60q, %v", text, out, err)
		}
		spaced := " \t\r\n" + text + "\n"
		if out, err := jsontext.Compact(nil, []byte(spaced)); err != nil || string(out) != text {
			t.Errorf("%.60q: got %.60q, %v", spaced, out, err)
		}
	}
}

func TestCompactDropsWhiteSpaceOnlyBetween(t *testing.T) {
	t.Parallel()
	text := "{ \"a b\" :\t[ 1 ,\r\n 2 , { } , [ ] ] , \"c\" : \" \\t \" }"
	want := `{"a b":[1,2,{},[]],"c":" \t "}`
	if out, err := jsontext.Compact(nil, []byte(text)); err != nil || string(out) != want {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestCompactLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	text := []byte(" [ 1 , 2 ] ")
	before := bytes.Clone(text)
	if _, err := jsontext.Compact(nil, text); err != nil || !bytes.Equal(text, before) {
		t.Errorf("%q, %v", text, err)
	}
}

// jsonText draws a text of valid JSON, apart from duplicate names, with white space where it may
// be.
func jsonText() *rapid.Generator[string] {
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "false", "0", "-0", "1.0", "1e400", "1E+2",
			"-12.50", `""`, `"\/"`, `"\u7259"`, `"\ud83d\ude00"`, `"<&>"`, "\"\u2028\""}),
		rapid.Map(rapid.String(),
			func(s string) string { return string(jsontext.AppendString(nil, s)) }),
	)
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return scalar
		}
		return rapid.Custom(func(t *rapid.T) string {
			inner := value(depth - 1)
			var parts []string
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return inner.Draw(t, "array element")
			case 1:
				for range rapid.IntRange(0, 4).Draw(t, "n") {
					parts = append(parts, space.Draw(t, "sp")+inner.Draw(t, "element")+space.Draw(t,
						"sp"))
				}
				return "[" + strings.Join(parts, ",") + space.Draw(t, "sp") + "]"
			default:
				for i := range rapid.IntRange(0, 6*depth*depth).Draw(t, "n") {
					name := jsontext.AppendString(nil,
						fmt.Sprint(rapid.String().Draw(t, "name"), "#", i))
					parts = append(parts, space.Draw(t, "sp")+string(name)+space.Draw(t,
						"sp")+":"+space.Draw(t, "sp")+inner.Draw(t, "member"))
				}
				return "{" + strings.Join(parts, ",") + space.Draw(t, "sp") + "}"
			}
		})
	}
	return value(2)
}

func TestCompactAgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := jsonText().Draw(rt, "text")
		out, err := jsontext.Compact(nil, []byte(text))
		if err != nil {
			rt.Fatalf("%q: %v", text, err)
		}
		checkCompact(rt, []byte(text), out)
	})
}

// checkCompact holds what CompactJSON accepted against encoding/json.
func checkCompact(t tb, src, out []byte) {
	t.Helper()
	if !json.Valid(src) {
		t.Fatalf("%q is no JSON, but accepted", src)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, src); err != nil || !bytes.Equal(out, want.Bytes()) {
		t.Fatalf("%q: %q, and json.Compact gives %q, %v", src, out, &want, err)
	}
	again, err := jsontext.Compact(nil, out)
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("%q compacts to %q and then to %q, %v", src, out, again, err)
	}
}

// tb is what testing.TB and *rapid.T have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}
