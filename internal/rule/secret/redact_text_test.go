package secret

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// redactedText redacts a text and checks what RedactText promises.
func redactedText(t tester, text string) (string, []Finding) {
	t.Helper()
	clean, found := RedactText(text)
	value := jsontext.AppendString(nil, text)
	if found == nil && (clean != text || Scan("x", value) != nil) {
		t.Fatalf("%q: nothing found, %q", text, clean)
	}
	if left := Scan("x", jsontext.AppendString(nil, clean)); left != nil {
		t.Fatalf("%q: %q is left with %v", text, clean, left)
	}
	if again, more := RedactText(clean); again != clean || more != nil {
		t.Fatalf("%q: %q becomes %q", text, clean, again)
	}
	checkGone(t, value, jsontext.AppendString(nil, clean))
	if found != nil {
		checkKept(t, []json.Token{text}, []json.Token{clean})
	}
	return clean, found
}

func TestRedactText(t *testing.T) {
	t.Parallel()
	key := "-----BEGIN RSA PRIVATE KEY-----\n" +
		strings.Repeat("MIIEowIBAAKCAQEA75sd/dkd+3Lq\r\n", 25) + "-----END RSA PRIVATE KEY-----"
	long := strings.Repeat("x1y2z3-", 200)
	for _, c := range []struct{ text, want, places string }{
		{"", "", ""},
		{"no secret\xff\x00", "no secret\xff\x00", ""},
		{"$ cat id_rsa\n" + key + "\n$ ", "$ cat id_rsa\n" + mark("private-key") + "\n$ ",
			"14-824"},
		{"\xff\xfe\nDB_PASSWORD=§P\n\xff", "\xff\xfe\nDB_PASSWORD=§M\n\xff", "16-22"},
		{"{\"password\": \"§P\",\n \"n\": 12}", "{\"password\": \"§M\",\n \"n\": 12}", "15-21"},
		{"§T\n§T\t§T", "§C\n§C\t§C", "1-40; 42-81; 83-122"},
		// All of a value goes that is longer than what is looked at.
		{"token: sk-" + long + " x", "token: " + mark(tokenPrefix) + " x", "8-519; 8-519"},
		{"pwd: x" + long + ", y", "pwd: §M, y", "6-517"},
	} {
		text := redactFill.Replace(c.text)
		clean, found := redactedText(t, text)
		if want := redactFill.Replace(c.want); clean != want {
			t.Errorf("%q: %q, want %q", text, clean, want)
		}
		var got []string
		for _, f := range found {
			if f.Place != "text" {
				t.Errorf("%q: at %s", text, f.Place)
			}
			got = append(got, fmt.Sprintf("%d-%d", f.From, f.To))
		}
		if got := strings.Join(got, "; "); got != c.places {
			t.Errorf("%q: at %s, want %s", text, got, c.places)
		}
	}
}

// A secret of every rule is replaced in the middle of a text, and nothing before and after it.
func TestRedactTextFindsEveryRule(t *testing.T) {
	t.Parallel()
	for rule, sample := range ruleSamples(t) {
		clean, found := redactedText(t, "one\n"+sample+"\ntwo\n"+sample+"\nthree")
		if !slices.Contains(rulesOf(found), rule) {
			t.Errorf("%s: %v", rule, found)
		}
		if !strings.HasPrefix(clean, "one\n") || !strings.HasSuffix(clean, "\nthree") {
			t.Errorf("%s: %q", rule, clean)
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, seed := range []string{`"x"`, `{"a":[1,{"b":"key = 1"}],"c\u0041":"\ud83d\ude00"}`,
		`{"password":"a1b2c3d4"}`, `{"password":12345}`, `[]`, `"-----BEGIN "`, "token: \xffabc1",
		`{"https://a:b1@x":1,"https://a:b2@x":2}`, `"` + "password：a１b2c3" + `"`,
		`"[redacted: url-password]: abcdef12"`} {
		f.Add(seed, uint(len(seed)/2))
	}
	f.Fuzz(func(t *testing.T, text string, at uint) {
		redactedText(t, text)
		at %= uint(len(text)) + 1
		redactedText(t, text[:at]+madeUp()+text[at:])
		value, err := jsontext.Compact(nil, []byte(text))
		if err != nil {
			value = quoted(strings.ToValidUTF8(text[:at], "?") + madeUp() +
				strings.ToValidUTF8(text[at:], "?"))
		}
		redacted(t, value)
		redacted(t, append(append(append([]byte(`{"t":`), quoted(madeUp())...),
			append([]byte(`,"v":`), value...)...), '}'))
	})
}

// logText is n bytes of what servers, tests and tools print; with secrets, one in about 40 KB.
func logText(n int, secrets bool) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "2026-11-22T10:%02d:%02dZ INFO http: GET /api/v1/users/%d 200 %dms "+
			"id=%08x\n", rnd.IntN(60), rnd.IntN(60), rnd.IntN(1e6), rnd.IntN(900), rnd.Uint32())
		fmt.Fprintf(&b, "--- PASS: TestThing/%d (0.%02ds)\n", rnd.IntN(100), rnd.IntN(100))
		fmt.Fprintf(&b, "{\"level\":\"warn\",\"msg\":\"token refresh\",\"key\":\"user:%d\","+
			"\"sha\":\"%x%x\"}\n", rnd.IntN(1e6), rnd.Uint64(), rnd.Uint64())
		fmt.Fprintf(&b, "cache/table.go:%d:%d: undefined: access.next_key; task_id=%d "+
			"dir.sc_%d/x.s\n", rnd.IntN(900), rnd.IntN(80), rnd.IntN(1e6), rnd.IntN(1e6))
		if secrets && rnd.IntN(120) == 0 {
			fmt.Fprintf(&b, "remote: %s\nexport DB_PASSWORD=hunter2\n", madeUp())
		}
	}
	return b.String()[:n]
}

func BenchmarkRedactText(b *testing.B) {
	for _, size := range []int{1 << 20, 64 << 20} {
		for _, secrets := range []bool{false, true} {
			text := logText(size, secrets)
			b.Run(fmt.Sprintf("%dMiB/secrets=%t", size>>20, secrets), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if clean, _ := RedactText(text); (clean != text) != secrets {
						b.Fatal("redacted what is no secret, or left one")
					}
				}
			})
		}
	}
}

func BenchmarkRedact1KB(b *testing.B) {
	b.SetBytes(int64(len(clean)))
	for b.Loop() {
		if _, found := Redact("content", clean); found != nil {
			b.Fatal(found)
		}
	}
}
