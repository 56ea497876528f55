package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/secret/shape"
)

// §T in a value is madeUp, §C its mark, §P a password, §M the mark of the rule for markers.
var redactFill = strings.NewReplacer("§T", madeUp(), "§C", mark("github-pat"), "§P",
	"hunter2", "§M", mark(credentialMarker))

func TestRedact(t *testing.T) {
	t.Parallel()
	wide := strings.NewReplacer("2", "２", "t", "ｔ")
	spelled := strings.NewReplacer("h", `\u0068`, "2", `\u0032`)
	for _, c := range []struct{ value, want, places string }{
		{`"no secret"`, `"no secret"`, ""},
		{`"my §T."`, `"my §C."`, "4-43"},
		{`{"b":1.50,"a":"\u00e9\/ §T\n","z":{}}`, `{"b":1.50,"a":"\u00e9\/ §C\n","z":{}}`, ".a 4-43"},
		{`["§T","and §T",[],""]`, `["§C","and §C",[],""]`, "[0] 1-40; [1] 5-44"},
		{`{"password":"§P"}`, `{"password":"§M"}`, ".password 1-7"},
		{`{"x":{"password":["§P"]}}`, `{"x":{"password":["§M"]}}`, ".x.password[0] 1-7"},
		{`"` + spelled.Replace("pass: hunter2") + `"`, `"pass: §M"`, "7-13"},
		{wide.Replace(`"password：hunter2，x"`), wide.Replace(`"password：`) + `§M，x"`, "10-16"},
		{`"\ud83d\ude00\u0070assword=§P\ud83d\ude00"`,
			`"\ud83d\ude00\u0070assword=§M\ud83d\ude00"`, "11-17"},
		{`"{\"password\":\"§P\",\"x\":\"\\u00e9\"}"`,
			`"{\"password\":\"§M\",\"x\":\"\\u00e9\"}"`, "14-20"},
		// A number becomes a string.
		{`{"password":12345678,"n":1}`, `{"password":"§M","n":1}`, ".password 1-8"},
		{`{"password":123,"passwords":["x"]}`, `{"password":123,"passwords":["x"]}`, ""},
		{`{"token":12345678e10}`, `{"token":"§M"}`, ".token 1-11"},
		{`"{\"password\": 12345678}"`, `"{\"password\": §M}"`, "14-21"},
		// A name that is there already gets a number.
		{`{"§T":1,"x":2}`, `{"§C":1,"x":2}`, " (a member's name) 1-40"},
		{`{"§T":1,"\u005bredacted: github-pat]":2}`, `{"§C 2":1,"\u005bredacted: github-pat]":2}`,
			" (a member's name) 1-40"},
		{`{"§T":{"§T":1},"\n§T":2,"§T ":3,"§C 2":4}`, `{"§C":{"§C":1},"\n§C":2,"§C ":3,"§C 2":4}`,
			" (a member's name) 1-40; .* (a member's name) 1-40; " +
				" (a member's name) 2-41; (a member's name) 1-40"},
		// What stands after a mark is no value of a word in the name of the rule.
		{`"https://a:§P@x token §T: abcdef12"`, `"https://a:` + mark(urlPassword) +
			`@x token §C: abcdef12"`, "11-17; 27-66"},
		// What was beside a secret is judged again, and not reported as another.
		{`"password: A1b2-§T"`, `"password: §C"`, "11-55; 16-55"},
		{`"pwd: a1b2/§T"`, `"pwd: §C"`, "11-50"},
		{`"§T"`, `"§C"`, "1-40"},
	} {
		value := redactFill.Replace(c.value)
		clean, found := redacted(t, []byte(value))
		if want := redactFill.Replace(c.want); string(clean) != want {
			t.Errorf("%s: %s, want %s", value, clean, want)
		}
		var got []string
		for _, f := range found {
			at := fmt.Sprintf("%s %d-%d", f.Place, f.From, f.To)
			got = append(got, strings.TrimPrefix(at, "x"))
		}
		if got := strings.Join(got, "; "); strings.ReplaceAll(got, " ", "") !=
			strings.ReplaceAll(c.places, " ", "") {
			t.Errorf("%s: at %s, want %s", value, got, c.places)
		}
	}
}

var anyMark = regexp.MustCompile(`\[redacted: [a-z0-9-]+\]`)

// tester is what a test, a fuzz target and a property have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// redacted redacts a value and checks what Redact promises.
func redacted(t tester, value []byte) ([]byte, []Finding) {
	t.Helper()
	before := string(value)
	clean, found := Redact("x", value)
	if string(value) != before {
		t.Fatalf("%s was written to", before)
	}
	if found == nil && (&clean[0] != &value[0] || Scan("x", value) != nil) {
		t.Fatalf("%s: nothing found", value)
	}
	if left := Scan("x", clean); left != nil {
		t.Fatalf("%s: %s is left with %v", value, clean, left)
	}
	if again, err := jsontext.Compact(nil, clean); err != nil || !bytes.Equal(again, clean) {
		t.Fatalf("%s: %s is not compact: %v", value, clean, err)
	}
	if again, more := Redact("x", clean); more != nil || !bytes.Equal(again, clean) {
		t.Fatalf("%s: %s becomes %s", value, clean, again)
	}
	checkGone(t, value, clean)
	if !anyMark.Match(bytes.Trim(clean, `"`)) || len(anyMark.ReplaceAll(clean, nil)) > 2 {
		checkKept(t, tokensOf(t, value), tokensOf(t, clean))
	}
	return clean, found
}

// checkGone checks that no secret is there as often as it was.
func checkGone(t tester, value, clean []byte) {
	t.Helper()
	const least = 6 // a shorter one may be in the name of a rule
	text, left := unescaped(value), unescaped(clean)
	for _, s := range wideSpans(text, anywhere) {
		secret := text[s.from:s.to]
		if len(secret) >= least && !bytes.Contains(secret, []byte(markStart)) &&
			bytes.Count(left, secret) >= bytes.Count(text, secret) {
			t.Fatalf("%s: %s still has %s", value, clean, secret)
		}
	}
}

func tokensOf(t tester, value []byte) (list []json.Token) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for d.More() || len(list) > 0 && d.InputOffset() < int64(len(value)) {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		list = append(list, token)
	}
	return list
}

// checkKept checks that all that is not replaced is there, in order.
func checkKept(t tester, old, clean []json.Token) {
	t.Helper()
	if len(old) != len(clean) {
		t.Fatalf("%v became %v", old, clean)
	}
	for i, token := range clean {
		text, isText := token.(string)
		pieces := anyMark.Split(text, -1)
		if token == old[i] {
			continue
		}
		if !isText || len(pieces) == 1 {
			t.Fatalf("%v became %v", old[i], token)
		}
		was, wasText := old[i].(string)
		if !wasText && text != anyMark.FindString(text) {
			t.Fatalf("%v became %v", old[i], token)
		}
		last := len(pieces) - 1
		pieces[last] = strings.TrimRight(pieces[last], " 0123456789") // a name's number
		for _, piece := range pieces {
			at := strings.Index(was, piece)
			if at < 0 && wasText {
				t.Fatalf("%q became %q", was, text)
			}
			was = was[max(at, 0)+len(piece)*min(at+1, 1):]
		}
	}
}

// ruleSamples returns a text for each rule that it finds.
func ruleSamples(t *testing.T) map[string]string {
	t.Helper()
	samples := map[string]string{
		tokenPrefix: "sk-" + "abc123def", credentialMarker: "password = " + "hunter2",
		urlPassword: "see https://ada:" + "hunter2@example.com",
		randomBlob:  strings.Repeat("aB3", 14),
	}
	make := shape.New(7)
	for n := range table() {
		r := ruleAt(n)
		for try := 0; try < 100 && samples[r.id] == ""; try++ {
			text := fmt.Sprintf("About %s.\n%s\n", r.id, make.Match(r.pattern))
			if slices.Contains(rulesOf(Scan("x", quoted(text))), r.id) {
				samples[r.id] = text
			}
		}
	}
	if len(samples) != len(Rules()) {
		t.Fatalf("samples for %d of %d rules", len(samples), len(Rules()))
	}
	return samples
}

// A secret of every rule is replaced wherever it is in a value, and what is around it stays.
func TestRedactFindsEveryRule(t *testing.T) {
	t.Parallel()
	for rule, sample := range ruleSamples(t) {
		text := string(quoted(sample))
		inner := string(quoted(`{"a":"b","c":` + text + `}`))
		found := 0
		for _, value := range []string{
			text, `{"a":{"b":[` + text + `]},"c":"d"}`, `["a",` + text + `,` + text + `]`,
			`{"a":1,` + text + `:2,"b":3}`, `{"a":` + inner + `,"b":[1]}`,
		} {
			clean, list := redacted(t, []byte(value))
			if slices.Contains(rulesOf(list), rule) && bytes.Contains(clean, []byte(markStart)) {
				found++
			}
		}
		if found < 3 {
			t.Errorf("%s is found in %d of 5 values with %q", rule, found, sample)
		}
	}
}

// What is left of a secret is none itself, whatever stands around it.
func TestMarksAreNoSecrets(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		if strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("the name of rule %q has signs that a mark may not have", r.ID)
		}
		for _, around := range []string{
			`"M"`, `"MM"`, `"M M"`, `["M","M"]`, `{"M":"M"}`, `{"M":"abcdef12"}`, `{"M":12345678}`,
			`"password = M"`, `"password=M"`, `"password: \"M\""`, `"password: 'M'"`, `"PGPASSWORD=M psql"`,
			`"the password is M"`, `"the password for M"`, `"password for M is M"`, `"password M"`,
			`{"password":"M"}`, `{"password":["M"]}`, `{"token":"M","key":"M"}`, `"密码：M"`, `"密码是M"`,
			`"Authorization: Bearer M"`, `"Authorization: M"`, `"Basic M"`, `"curl -u ada:M https://x"`,
			`"curl -H \"Authorization: Bearer M\" https://x"`, `"curl -H 'X-Api-Key: M' https://x"`,
			`"https://ada:M@example.com"`, `"https://M@example.com"`, `"https://M:M@example.com"`,
			`"sshpass -p M ssh x"`, `"mysql -pM shop"`, `"--password M"`, `"--password=M"`, `"sk-M"`,
			`"api_key = M"`, `"api_key=M;"`, `"api key M api key"`, `"export AWS_SECRET_ACCESS_KEY=M"`,
			`"M: abcdef12"`, `"M = abcdef12"`, `"M is abcdef12"`, `"M -u ada:abcdef12"`, `"M=M&M=M"`,
			`"<password>M</password>"`, `"M...\n...M"`, `"github_key: M"`, `"xM"`, `"1M1"`, `"M 2"`,
		} {
			value := []byte(strings.ReplaceAll(around, "M", mark(r.ID)))
			if found := Scan("x", value); found != nil {
				t.Errorf("%s: %v", value, found)
			}
			if clean, found := Redact("x", value); found != nil {
				t.Errorf("%s: %v, %s", value, found, clean)
			}
		}
	}
}

// Of more secrets than are reported none stays.
func TestRedactManySecrets(t *testing.T) {
	t.Parallel()
	value := []byte("[" + strings.Repeat(string(quoted("a "+madeUp()+" and password=hunter2"))+",",
		1000) + strings.Repeat("[],", 3) + "1]")
	clean, found := redacted(t, value)
	if n := bytes.Count(clean, []byte("[redacted: ")); n != 2000 || len(found) != maxFindings {
		t.Errorf("%d replaced, %d reported", n, len(found))
	}
	names := []byte("{")
	for i := range 1000 {
		names = append(names, fmt.Sprintf(`"password=%dhunter2":%d,`, i, i)...)
	}
	names[len(names)-1] = '}'
	clean, _ = redacted(t, names)
	if !bytes.Contains(clean, []byte(mark(credentialMarker)+` 1000":999}`)) {
		t.Errorf("1000 names became %s", clean)
	}
}

// Where a span alone takes nothing away, its lines go, then its string, then the whole value.
func TestRedactWidens(t *testing.T) {
	t.Parallel()
	value := []byte(`["one","a\nb c\nd",2]`)
	text := unescaped(value)
	r := newRedaction(value, text)
	for _, want := range []string{`["one","a\nb §C\nd",2]`, `["one","a\n§C\nd",2]`, `["one","§C",2]`} {
		at := bytes.IndexByte(text, 'c')
		if !r.removeMore([]span{{"github-pat", at, at + 1}}) {
			t.Fatalf("nothing left before %s", want)
		}
		if clean, _ := r.replaced(); string(clean) != redactFill.Replace(want) {
			t.Errorf("%s, want %s", clean, want)
		}
	}
	at := bytes.IndexByte(text, 'c')
	if r.removeMore([]span{{"github-pat", at, at + 1}}) {
		t.Errorf("a string is gone, and more was taken: %v", r.gone)
	}
	if n := bytes.IndexByte(text, '2'); !r.removeMore([]span{{"github-pat", n, n + 1}}) {
		t.Error("a number stays")
	} else if clean, _ := r.replaced(); string(clean) != redactFill.Replace(`["one","§C","§C"]`) {
		t.Errorf("%s", clean)
	}
}

// A place in the text with marks is one in the text before, and a part of a mark is all of it.
func TestEditsBefore(t *testing.T) {
	t.Parallel()
	// ab[cd]ef[]gh became abXYZefWgh.
	list := edits{{2, 4, 2, 5}, {6, 6, 7, 8}}
	for in, want := range map[part]part{
		{0, 2}: {0, 2}, {0, 3}: {0, 4}, {2, 3}: {2, 4}, {4, 5}: {2, 4}, {3, 6}: {2, 5},
		{5, 7}: {4, 6}, {7, 8}: {6, 6}, {6, 9}: {5, 7}, {8, 10}: {6, 8},
	} {
		if got := list.before(in); got != want {
			t.Errorf("%v was %v, want %v", in, got, want)
		}
	}
}

func TestClipTakesWholeCharacters(t *testing.T) {
	t.Parallel()
	text := []byte(`"用户é\xff",123`)
	at := leaf{text: part{1, len(text) - 5}}
	for in, want := range map[part]part{
		{2, 3}: {1, 4}, {3, 5}: {1, 7}, {8, 9}: {7, 9}, {0, 99}: {1, at.text.to}, {4, 7}: {4, 7},
	} {
		if got := at.clip(text, span{"x", in.from, in.to}); got != (span{"x", want.from, want.to}) {
			t.Errorf("%v: %v, want %v", in, got, want)
		}
	}
	number := leaf{kind: scalarLeaf, text: part{len(text) - 3, len(text)}}
	if got := number.clip(text, span{from: len(text) - 2, to: len(text) - 1}); got.from !=
		number.text.from || got.to != number.text.to {
		t.Errorf("of a number %v", got)
	}
}
