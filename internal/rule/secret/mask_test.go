package secret

import (
	"strings"
	"testing"
)

// A message loses the words with a secret in them, whole, and nothing else.
func TestMask(t *testing.T) {
	t.Parallel()
	cut := madeUp()[:30]
	for message, want := range map[string]string{
		`key: "T": no leading slash`:     `key: "X": no leading slash`,
		`/a/T/b: no such memory`:         `X: no such memory`,
		`T and T`:                        `X and X`,
		"line 1\nline 2: T":              "line 1\nline 2: X",
		`"C..." at byte 3`:               `"X" at byte 3`,
		`key: "/a/C"...: too long`:       `key: "X"...: too long`,
		`name "password: hunter2"`:       `name "password: X"`,
		`Password：hunter2 ist falsch`:    `X ist falsch`,
		`https://ada:hunter2@x.com/ bad`: `X bad`,
		`mem: secret: content.x1.y22222, characters 3 to 4: token-prefix; content.secret: 3`: "",
		`not a time: "tomorrow": want RFC 3339 like 2026-02-22T10:00:00Z`:                    "",
		`/home/ada/store/log.jsonl: open: permission denied`:                                 "",
		`line 2: unexpected end...`:                                                          "",
		"":                                                                                   "",
	} {
		fill := strings.NewReplacer("T", madeUp(), "C", cut).Replace
		if want == "" {
			fill, want = func(s string) string { return s }, message
		}
		if got := Mask(fill(message), "X"); got != want {
			t.Errorf("%s: %s, want %s", message, got, want)
		}
	}
}

// What mem says of a refusal names rules, and no rule takes that for a secret.
func TestMaskKeepsTheNamesOfRules(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		for _, text := range []string{
			"secret: content.password, characters 3 to 42: " + r.ID,
			"it is no secret, --allow-secret " + r.ID + " lets it pass",
			"secret: content[0], characters 1 to 40: " + r.ID + "; key, characters 3 to 9: " + r.ID,
		} {
			if got := Mask(text, "X"); got != text {
				t.Errorf("%s: shown as %s", text, got)
			}
		}
	}
}

// Of a private key in PEM no line is shown, however short, cut off or not.
func TestMaskKeys(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"-----BEGIN RSA PRIVATE KEY-----\nMII\nabc":                     "X",
		`-----BEGIN PGP PRIVATE KEY BLOCK-----\nab`:                     "X",
		"b: -----BEGIN PRIVATE KEY-----\nMI\n-----END PRIVATE KEY-----": "b: X PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----":                                   "",
		"-----BEGIN CERTIFICATE-----\nMII\nab":                          "",
		"-----BEGIN ":                                                   "",
	} {
		if want == "" {
			want = message
		}
		if got := Mask(message, "X"); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
