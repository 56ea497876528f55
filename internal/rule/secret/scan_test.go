package secret

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/secret/shape"
)

// madeUp is a token that never was one, and put together here so that no scanner takes this file
// for a leak.
func madeUp() string { return "gh" + "p_" + "0a1B2c3D4e5F6g7H8i9J0kAlBmCnDoEpFqGr" }

func quoted(text string) []byte { return jsontext.AppendString(nil, text) }

func rulesOf(found []Finding) (rules []string) {
	for _, f := range found {
		rules = append(rules, f.Rule)
	}
	return rules
}

// Each rule finds texts of its own shape, in a JSON string, under its name.
func TestEveryRuleFindsItsShape(t *testing.T) {
	t.Parallel()
	make := shape.New(7)
	for n := range table() {
		r, found := ruleAt(n), false
		for try := 0; try < 20 && !found; try++ {
			text := fmt.Sprintf("About %s.\n%s\n", r.id, make.Match(r.pattern))
			found = slices.Contains(rulesOf(Scan("content", quoted(text))), r.id)
		}
		if !found {
			t.Errorf("%s finds none of 20 texts made from its pattern", r.id)
		}
	}
}

// The gates and the parts around keywords change nothing: what is found is what the patterns find
// over the whole text.
func TestGatesLoseNothing(t *testing.T) {
	t.Parallel()
	make := shape.New(12)
	for round := range 60 {
		text := []byte(mixture(make))
		at := hits{}.find(text)
		want, got := ungated(text), withoutGeneric(text, tableSpans(text, at.table, maxFindings))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d: found %v, the patterns alone find %v in %q", round, got, want, text)
		}
	}
}

// mixture is a text of several matches of rules, close together, with prose between them.
func mixture(make shape.Maker) string {
	between := []string{" ", "\n", "; the key is ", " access_token: ", "\"", " api ", "é",
		strings.Repeat("word ", 30), "=", "auth."}
	var b strings.Builder
	for range 6 {
		b.WriteString(make.Match(ruleAt(make.Rand.IntN(len(table()))).pattern))
		b.WriteString(between[make.Rand.IntN(len(between))])
	}
	return b.String()
}

// ungated runs the pattern of each rule that a keyword opens over the whole text.
func ungated(text []byte) (found []span) {
	low := strings.ToLower(string(text))
	for n := range table() {
		for k := range ofTable {
			if (hit{number: k}).opens(n) && strings.Contains(low, wordOf(k)) {
				found = append(found, ruleAt(n).find(text, part{0, len(text)}, maxFindings)...)
				break
			}
		}
	}
	return withoutGeneric(text, found)
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ value, place string }{
		{`"my T"`, "content 4-43"},
		{`{"text":"T"}`, "content.text 1-40"},
		{`{"a":{},"b":[],"c":[1,{"d e":"用户 T."}]}`, `content.c[1]["d e"] 4-43`},
		{`{"a\n":"\u00e9\t\"T\""}`, `content["a\n"] 4-43`},
		{`{"T":{"x":["T"]}}`, "content (a member's name) 1-40; content.*.x[0] 1-40"},
		{`{"x":true,"y":null,"z":-1.5,"用户":"T"}`, "content.用户 1-40"},
		{`[[],"",{"":""},"T"]`, "content[3] 1-40"},
		{`["T","and T"]`, "content[0] 1-40; content[1] 5-44"},
	} {
		var got []string
		for _, f := range Scan("content", []byte(strings.ReplaceAll(c.value, "T", madeUp()))) {
			if f.Rule != "github-pat" {
				t.Errorf("%s: rule %s", c.value, f.Rule)
			}
			got = append(got, fmt.Sprintf("%s %d-%d", f.Place, f.From, f.To))
		}
		if text := strings.Join(got, "; "); text != c.place {
			t.Errorf("%s: %s, want %s", c.value, text, c.place)
		}
	}
}

// No spelling of JSON hides a secret, and all of them get the same place.
func TestEscapesHideNothing(t *testing.T) {
	t.Parallel()
	plain := Scan("content", quoted(madeUp()))
	for i, c := range madeUp() {
		value := fmt.Sprintf("%q", madeUp()[:i]+"X"+madeUp()[i+1:])
		value = value[:i+1] + fmt.Sprintf(`\u%04X`, c) + value[i+2:]
		if got := Scan("content", []byte(value)); !reflect.DeepEqual(got, plain) {
			t.Errorf("%d: %v, want %v", i, got, plain)
		}
	}
	all := ""
	for _, c := range madeUp() {
		all += fmt.Sprintf(`\u%04x`, c)
	}
	if got := Scan("content", []byte(`"`+all+`"`)); !reflect.DeepEqual(got, plain) {
		t.Errorf("all escaped: %v, want %v", got, plain)
	}
}

// A name and its value are two strings of JSON, and count together.
func TestNameAndValue(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	value := fmt.Sprintf("%x%x", rnd.Uint64(), rnd.Uint64())
	for _, text := range []string{`{"api_key":"V"}`, `{"x":{"client-secret":"V"}}`,
		`{"text":"export API_KEY=V"}`, `{"text":"{\"api_key\": \"V\"}"}`, `{"password":"aV"}`} {
		found := Scan("content", []byte(strings.ReplaceAll(text, "V", value)))
		if !slices.Equal(rulesOf(found), []string{generic}) {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// What memories are full of is no secret.
func TestOrdinaryTextsPass(t *testing.T) {
	t.Parallel()
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("x")))
	for _, text := range []string{
		"", "task-list", "risk-free", "the task-list2024 is risk-free1", "desk-sk",
		"the sk-SK locale", "sk-learn 1.5",
		"commit " + sum[:40], "sha256:" + sum,
		"access: checksum sha256:" + sum,
		"task 550e8400-e29b-41d4-a716-446655440000 is done",
		`the session token's uuid: 550e8400-e29b-41d4-a716-446655440000`,
		"token: the one we use", "password: see the vault", "the bearer of bad news",
		"Bearer tokens expire", "access token: none",
		"password: <your-password1>", "token: ${API_TOKEN1}", "API_KEY=$API_KEY",
		"max_token: 128000", "token: https://example.com/a1",
		"authentication, authorization and accounting; key: understanding",
		"The key differences, documentation2 and auth",
		"用户的密码：放在保险库里。token: 每小时过期一次", "访问 key 由团队管理，authentication，authorization",
		"https://docs.example.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl " +
			"ada@example.com",
		"-----BEGIN CERTIFICATE-----\n" +
			"MIIBszCCARygAwIBAgIUY4T0Vq9sYb3p1uJ5n7n0C9w1Qm0wDQYJKoZIhvcNAQEL\n",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", strings.Repeat("abcdefghij", 9),
		strings.Repeat("0123456789", 9),
	} {
		if found := Scan("content", quoted(text)); found != nil {
			t.Errorf("%q: %v", text, found)
		}
	}
}

// A finding of the generic rule is dropped for a more specific one, and one of an own rule for one
// of the table.
func TestOneRuleForOneSecret(t *testing.T) {
	t.Parallel()
	for _, text := range []string{madeUp(), "token: " + madeUp(), "password: " + madeUp(),
		"github_key = " + madeUp()} {
		rules := rulesOf(Scan("content", quoted(text)))
		if !slices.Equal(rules, []string{"github-pat"}) {
			t.Errorf("%q: %v", text, rules)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{`"x"`, `{"a":[1,{"b":"key = 1"}],"c\u0041":"\ud83d\ude00"}`,
		`{"token":"a"}`, `[]`, `"-----BEGIN "`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := jsontext.Compact(nil, []byte(text))
		if err != nil {
			value = quoted(strings.ToValidUTF8(text, "?"))
		}
		// With a secret in it, wherever it gets to: something is found.
		value = append(append([]byte(`{"t":`), quoted(madeUp())...),
			append(append([]byte(`,"v":`), value...), '}')...)
		found := ScanNote("content", value)
		if len(found) == 0 || found[0].Place != "content.t" {
			t.Errorf("%s: %v", value, found)
		}
		for _, s := range found {
			if s.From < 1 || s.To < s.From || s.To > len(value) {
				t.Errorf("%s: %v", value, s)
			}
		}
	})
}
