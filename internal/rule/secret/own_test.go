package secret

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

// The own rules, in every memory and in notes. ^ in a text is removed, so that no scanner takes a
// line here for a leak.
func TestOwnRules(t *testing.T) {
	t.Parallel()
	blob := strings.Repeat("aB3", 13)
	for _, c := range []struct{ text, anywhere, note string }{
		{"sk^-abc123...", tokenPrefix, tokenPrefix},
		{"it is sk^-abc123def", tokenPrefix, tokenPrefix},
		{"(gh^o_abc123def)", tokenPrefix, tokenPrefix},
		{"glp^at-short1", tokenPrefix, tokenPrefix},
		{"xo^xp-123456", tokenPrefix, tokenPrefix},
		{"sk^-abcdef", "", tokenPrefix},
		{"sk-SK", "", tokenPrefix},
		{"sk-", "", ""},
		{"task-list1234", "", ""},
		{"risk-free", "", ""},
		{"pass^word: hunter2", credentialMarker, credentialMarker},
		{"PASS^WORD: 'hunter2'", credentialMarker, credentialMarker},
		{"db_pass^word:hunter2,", credentialMarker, credentialMarker},
		{"to^ken: abcd1234", credentialMarker, credentialMarker},
		{"to^ken: abc123", "", credentialMarker},
		{"password: swordfish", "", credentialMarker},
		{"token:", "", ""},
		{"token: ", "", ""},
		{"Bear^er abcd1234", credentialMarker, credentialMarker},
		{"Bear^er abcdefghijklmnop", "", credentialMarker},
		{"Bearer of bad news", "", ""},
		{"forbearer x1234567", "", ""},
		{blob + "^a", randomBlob, randomBlob},
		{"in " + blob + "^a.", randomBlob, randomBlob},
		{blob, "", ""}, // 39
		{strings.ToLower(blob) + "^a", "", ""},
		{strings.ToUpper(blob) + "^A", "", ""},
		{strings.ReplaceAll(blob, "3", "c") + "^a", "", ""},
		{blob[:20] + "-" + blob, "", ""},
		{"https://x.example/?t=" + blob + "^a", randomBlob, randomBlob},
		{"https://x.example/d/" + blob + "^a", "", ""},
	} {
		value := quoted(strings.ReplaceAll(c.text, "^", ""))
		if got := strings.Join(rulesOf(Scan("content", value)), " "); got != c.anywhere {
			t.Errorf("%s: %q, want %q", c.text, got, c.anywhere)
		}
		if got := strings.Join(rulesOf(ScanNote("content", value)), " "); got != c.note {
			t.Errorf("%s in a note: %q, want %q", c.text, got, c.note)
		}
	}
}

// Base64 hides no secret, and a blob in the middle of a long text is found whole.
func TestBlobs(t *testing.T) {
	t.Parallel()
	hidden := base64.StdEncoding.EncodeToString([]byte("the deploy key of the build machine is " +
		madeUp() + " for now"))
	rules := rulesOf(Scan("content", quoted(hidden)))
	if !slices.Equal(rules, []string{randomBlob}) {
		t.Errorf("encoded token: %v", rules)
	}
	blob := strings.Repeat("aB3", 30)
	for pad := range 90 {
		text := strings.Repeat("x ", pad)[:pad] + " " + blob + " " + strings.Repeat("y ", pad)
		found := Scan("content", quoted(text))
		if len(found) != 1 || found[0].From != pad+2 || found[0].To != pad+1+len(blob) {
			t.Errorf("after %d bytes: %v", pad, found)
		}
	}
}

// An id of a record is no secret, whatever word is before it.
func TestIdsAreNoSecrets(t *testing.T) {
	t.Parallel()
	const ulid = "01KJ2N4XK0W4E5V7QD3M8R9T0A"
	ids := []string{ulid, "2d25eb33-1e35-48d7-81b6-70aa83feb3ce"}
	for _, prefix := range []string{"mem", "evt", "art", "chk", "dec", "task", "acb"} {
		ids = append(ids, prefix+"_"+ulid)
	}
	for _, id := range ids {
		for _, text := range []string{"key %: it is an id", "key: %", "key = %", "id %", "id: %",
			"the key is %", "the key of the record, %, is gone", "% is the key", `"key": "%"`,
			"session key %", "appid %", "ids %, % and keys %", "key \"%\" of %"} {
			text = strings.ReplaceAll(text, "%", id)
			if found := Scan("content", quoted(text)); found != nil || Mask(text, "?") != text {
				t.Errorf("%s: %v, shown as %s", text, found, Mask(text, "?"))
			}
		}
	}
}
