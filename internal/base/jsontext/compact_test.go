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
	{"empty", "", 0, "empty text, want a value"},
	{"blank", " \t\r\n", 4, "empty text, want a value"},
	{"word", "nul", 0, `'n', want a value`},
	{"upper-case word", "True", 0, `'T', want a value`},
	{"NaN", "NaN", 0, `'N', want a value`},
	{"infinity", "-Infinity", 0, "malformed number"},
	{"not JSON", "hello", 0, `'h', want a value`},
	{"script of its own", "牙", 0, `'牙', want a value`},
	{"NUL", "\x00", 0, `'\x00', want a value`},
	{"single quotes", "{'a':1}", 1, `'\'', want a member name in double quotes`},
	{"comment", "1 // one", 2, "more text after the value"},
	{"two values", `{"a":1}{"b":2}`, 7, "more text after the value"},
	{"two words", "nulll", 4, "more text after the value"},
	{"NUL after the value", "1\x00", 1, "more text after the value"},
	{"byte order mark", "\ufeff1", 0, `'\ufeff', want a value`},
	{"no-break space", "\u00a01", 0, `'\u00a0', want a value`},

	{"leading zero", "[01]", 1, "malformed number"},
	{"negative leading zero", "-01", 0, "malformed number"},
	{"no fraction", "1.", 0, "malformed number"},
	{"no whole part", ".5", 0, `'.', want a value`},
	{"plus", "+1", 0, `'+', want a value`},
	{"no exponent", "1e", 0, "malformed number"},
	{"signed no exponent", "1e+", 0, "malformed number"},
	{"minus alone", "[-]", 1, "malformed number"},
	{"hexadecimal", "0x10", 1, "more text after the value"},
	{"underscore", "1_000", 1, "more text after the value"},
	{"fraction after no fraction", "1.e5", 0, "malformed number"},

	{"comma in front", "[,1]", 1, `',', want a value`},
	{"comma behind", "[1,]", 3, `']', want a value`},
	{"two commas", "[1,,2]", 3, `',', want a value`},
	{"no comma", "[1 2]", 3, `'2', want ',' or ']'`},
	{"wrong bracket", "[1}", 2, `'}', want ',' or ']'`},
	{"comma in an empty object", "{,}", 1, `',', want a member name in double quotes`},
	{"comma behind a member", `{"a":1,}`, 7, `'}', want a member name in double quotes`},
	{"bare name", "{a:1}", 1, `'a', want a member name in double quotes`},
	{"number as name", "{1:1}", 1, `'1', want a member name in double quotes`},
	{"no colon", `{"a" 1}`, 5, `'1', want ':'`},
	{"no value", `{"a":}`, 5, `'}', want a value`},
	{"no comma between members", `{"a":1 "b":2}`, 7, `'"', want ',' or '}'`},
	{"unopened", "]", 0, `']', want a value`},

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
	{"129 objects", strings.Repeat(`{"a":`, 128) + "{}", 128 * 5, "nesting past 128 levels"},
	{"129 in turns", strings.Repeat(`[{"a":`, 64) + "[]", 64 * 6, "nesting past 128 levels"},

	{"NUL in a string", "\"a\x00\"", 2, `control character U+0000 inside a string, write it ` +
		`as an escape`},
	{"newline in a string", "\"\n\"", 1, `control character U+000A inside a string, write ` +
		`it as an escape`},
	{"tab in a name", "{\"\t\":1}", 2, `control character U+0009 inside a string, write it ` +
		`as an escape`},
	{"last control character", "\"\x1f\"", 1, `control character U+001F inside a string, ` +
		`write it as an escape`},
	{"unknown escape", `"\x41"`, 1, `unknown escape \x`},
	{"upper-case escape", `"\N"`, 1, `unknown escape \N`},
	{"escaped quote", `"\'"`, 1, `unknown escape \'`},
	{"escaped escape character", "\"\\\x1b[2J\"", 1, `unknown escape \\x1b`},
	{"escaped character", `"\牙"`, 1, `unknown escape \牙`},
	{"short \\u", `"\u12"`, 1, `\u wants four hex digits`},
	{"no hex", `"\u12g4"`, 1, `\u wants four hex digits`},
	{"braces", `"\u{41}"`, 1, `\u wants four hex digits`},
	{"lone high surrogate", `"a\ud83d"`, 2, `lone surrogate \ud83d`},
	{"lone low surrogate", `"a\uDE00"`, 2, `lone surrogate \ude00`},
	{"high and text", `"\ud83dabcdef"`, 1, `lone surrogate \ud83d`},
	{"high and escape", `"\ud83d\n12345"`, 1, `lone surrogate \ud83d`},
	{"high and high", `"\ud83d\ud83d"`, 1, `lone surrogate \ud83d`},
	{"high and letter", `"\ud83d\u0041"`, 1, `lone surrogate \ud83d`},
	{"high and broken low", `"\ud83d\ude0"`, 1, `lone surrogate \ud83d`},
	{"halves the wrong way round", `"\ude00\ud83d"`, 1, `lone surrogate \ude00`},
	{"lone surrogate in a name", `{"\udfff":1}`, 2, `lone surrogate \udfff`},

	{"invalid byte", "\"a\xff\"", 2, "invalid UTF-8"},
	{"invalid byte outside", "\xff", 0, "invalid UTF-8"},
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
