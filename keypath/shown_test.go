package keypath_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/keypath"
)

// What no key of the past may hold is told apart from what no new one may hold.
func TestCheckNew(t *testing.T) {
	for key, want := range map[string]string{
		"/a": "", "/a b/c  d": "", "/用户/偏好": "", "/می\u200cخواهم": "", "/क्\u200dष": "",
		"/👩\u200d💻/☕\ufe0f": "", "/1\ufe0f\u20e3": "", "/\ue000": "", `/a\u200bb`: "",
		"/kb\u200b/x":    "invisible character U+200B at byte 3",
		"/soft\u00adly":  "invisible character U+00AD at byte 5",
		"/a\u200d":       "invisible character U+200D at byte 2",
		"/a/\ufe0f":      "invisible character U+FE0F at byte 3",
		"/☕\ufe0f\ufe0f": "invisible character U+FE0F at byte 7",
		"/葛\U000e0100":   "invisible character U+E0100 at byte 4",
		"/fill\u3164er":  "invisible character U+3164 at byte 5",
		"/ a":            "blank at the beginning of a segment at byte 1",
		"/kb/\u3000x":    "blank at the beginning of a segment at byte 4",
		"/a /b":          "blank at the end of a segment at byte 2",
		"/a/b\u00a0":     "blank at the end of a segment at byte 4",
		"/a/b\u2800":     "blank at the end of a segment at byte 4",
		"/ ":             "blank at the beginning of a segment at byte 1",
		"/a/ /b":         "blank at the beginning of a segment at byte 3",
	} {
		err := keypath.MustParse(key).CheckNew()
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", key, err)
			}
			continue
		}
		if err == nil || text.Line(err.Error()) != err.Error() ||
			!errors.Is(err, keypath.ErrKey) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%q: %v, want %s", key, err, want)
		}
	}
}

func TestShown(t *testing.T) {
	for key, want := range map[string]string{
		"/a b":                   "/a b",
		`/a\u200bb`:              `/a\u200bb`,
		`/"a"/b`:                 `/"a"/b`,
		"/می\u200cخواهم/☕\ufe0f": "/می\u200cخواهم/☕\ufe0f",
		"/kb\u200b/x":            `"/kb\u200b/x"`,
		"/ kb/x ":                `"/\u0020kb/x\u0020"`,
		"/a /b":                  `"/a\u0020/b"`,
		"/a  b":                  `"/a \u0020b"`,
		"/a\u3000b":              `"/a\u3000b"`,
		"/\\\"\u200b":            `"/\\\"\u200b"`,
		"/\U000e0100":            `"/\udb40\udd00"`,
		"/\ue000":                `"/\ue000"`,
	} {
		if got := keypath.MustParse(key).Shown(); got != want {
			t.Errorf("%q shows as %s, want %s", key, got, want)
		}
	}
}

// Two keys never show as one, and what is shown is the key in JSON wherever it is not the key.
func TestShownIsOneToOne(t *testing.T) {
	chars := rapid.SampledFrom([]rune("a/ b\"\\u200\u200b\u200c\ufe0f☕\u3000\u2800" +
		"\ue000中\U000e0101"))
	rapid.Check(t, func(t *rapid.T) {
		key, err := keypath.Parse("/" + rapid.StringOf(chars).Draw(t, "key"))
		if err != nil {
			return
		}
		shown, back := key.Shown(), ""
		if shown[0] == '/' {
			back = shown
		} else if err := json.Unmarshal([]byte(shown), &back); err != nil {
			t.Fatalf("%q shows as %s: %v", key, shown, err)
		}
		if back != key.String() {
			t.Fatalf("%q shows as %s, which is %q", key, shown, back)
		}
		if again, err := keypath.ParseShown(shown); err != nil || again != key {
			t.Fatalf("%q shows as %s, which is %q, %v", key, shown, again, err)
		}
		if text.Line(shown) != shown || !utf8.ValidString(shown) {
			t.Fatalf("%q shows as %q", key, shown)
		}
		if shown[0] == '/' && strings.Contains(shown, "  ") {
			t.Fatalf("%q shows as %q", key, shown)
		}
	})
}

func TestName(t *testing.T) {
	for key, want := range map[string]string{
		"/project/db": "project/db", "/port": "port", "/note/user/m-1": "note/user/m-1",
		"/m-4": "/m-4", "/u-4": "/u-4", "/dec_01J": "/dec_01J", "/a-b/c": "a-b/c", "/-x": "/-x",
		"/-x/y": "/-x/y", "/42": "/42", "/4/2": "4/2",
		"/C:/x": "/C:/x", `/"/x`: `/"/x`, `/"x"`: `"x"`, "/(web) k": "(web) k",
		"/kb\u200b/x": `"/kb\u200b/x"`, "/牙科": "牙科",
	} {
		if got := keypath.Name(key); got != want {
			t.Errorf("%q is named %s, want %s", key, got, want)
		}
	}
	if got := keypath.Quote(`/a, "b"`); got != `"/a, \"b\""` {
		t.Error(got)
	}
}

// Whatever a key is, its name and its text in quotes are read back as it.
func TestNamesAreReadBack(t *testing.T) {
	chars := rapid.SampledFrom([]rune("a/ b\"\\-_:(),4mu\u200b\u200c\ufe0f☕\u3000" +
		"\ue000中\u0301"))
	rapid.Check(t, func(t *rapid.T) {
		key, err := keypath.Parse("/" + rapid.StringOf(chars).Draw(t, "key"))
		if err != nil {
			return
		}
		for _, name := range []string{keypath.Name(key.String()), keypath.Quote(key.String())} {
			if again, err := keypath.ParseName(name); err != nil || again != key {
				t.Fatalf("%q is named %s, which is %q, %v", key, name, again, err)
			}
			if text.Line(name) != name || name[0] == '-' {
				t.Fatalf("%q is named %q", key, name)
			}
		}
	})
}
