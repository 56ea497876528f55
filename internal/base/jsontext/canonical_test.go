package jsontext_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// Texts that say the same have one canonical form, and others have not.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":1,"a":{"d":[1,{"z":0,"y":-0}],"c":"\u7259"}}`: `{"a":{"c":"牙","d":[1,{"y":-0,"z":0}]},"b":1}`,
		`"\u000a\u000A\/"`:         `"\n\n/"`,
		`[1e-7,1E-7,0.10]`:         `[1e-7,1E-7,0.10]`,
		`{}`:                       `{}`,
		`[]`:                       `[]`,
		`null`:                     `null`,
		`{"é":1,"z":2,"\u0061":3}`: `{"a":3,"z":2,"é":1}`,
	} {
		if got := string(jsontext.AppendCanonical(nil, []byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		a := []byte(rapid.SampledFrom(samples).Draw(rt, "a"))
		b := []byte(rapid.SampledFrom(samples).Draw(rt, "b"))
		same := string(jsontext.AppendCanonical(nil, a)) == string(jsontext.AppendCanonical(nil, b))
		if same != jsontext.Equal(a, b) {
			rt.Errorf("%s and %s: %v", a, b, same)
		}
	})
}

// samples are texts of which some say the same.
var samples = []string{`{"a":1,"b":[2]}`, `{"b":[2],"a":1}`, `{"a":1,"b":[2.0]}`, `"\u0061"`, `"a"`,
	`["a","b"]`, `["b","a"]`, `["\u0061","b"]`, `1`, `{"a":{"c":1,"b":2}}`, `{"a":{"b":2,"c":1}}`}
