package parcel

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"pgregory.net/rapid"
)

// A parcel opens with its key at its place, and with one bit changed nowhere.
func TestSealed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		key, plain := New(), rapid.SliceOf(rapid.Byte()).Draw(rt, "plain")
		sealed, err := key.Seal("here", plain)
		if err != nil {
			rt.Fatal(err)
		}
		if got, err := key.Open("here", sealed); err != nil || string(got) != string(plain) {
			rt.Errorf("%q, %v", got, err)
		}
		if _, err := key.Open("there", sealed); !errors.Is(err, ErrSealed) {
			rt.Errorf("at another place: %v", err)
		}
		if _, err := New().Open("here", sealed); !errors.Is(err, ErrSealed) {
			rt.Errorf("with another key: %v", err)
		}
		bit := rapid.IntRange(0, 8*len(sealed)-1).Draw(rt, "bit")
		sealed[bit/8] ^= 1 << (bit % 8)
		if _, err := key.Open("here", sealed); !errors.Is(err, ErrSealed) {
			rt.Errorf("changed: %v", err)
		}
		sealed[bit/8] ^= 1 << (bit % 8)
		cut := sealed[:rapid.IntRange(0, len(sealed)-1).Draw(rt, "cut")]
		if _, err := key.Open("here", cut); !errors.Is(err, ErrSealed) {
			rt.Errorf("cut: %v", err)
		}
	})
}

// A key is read as people type it, and with one character changed not at all.
func TestKeyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		key := New()
		text := key.String()
		for _, typed := range []string{text, strings.ToUpper(text) + "\n", " " + text[9:],
			strings.ReplaceAll(text[9:], "-", ""), strings.ReplaceAll(text[9:], "-", " "),
			strings.ReplaceAll(text, "-", " ")} {
			if got, err := Parse(typed); err != nil || got != key {
				rt.Errorf("%q: %v", typed, err)
			}
		}
		at := rapid.IntRange(len(prefix), len(text)-1).Draw(rt, "at")
		other := byte('a')
		if text[at] == other {
			other = 'b'
		}
		if text[at] != '-' {
			if _, err := Parse(text[:at] + string(other) + text[at+1:]); !errors.Is(err, ErrKey) {
				rt.Errorf("changed: %v", err)
			}
		}
		if _, err := Parse(text[:at]); !errors.Is(err, ErrKey) {
			rt.Errorf("cut: %v", err)
		}
	})
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "key")
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without one: %v", err)
	}
	for _, keys := range [][]Key{{New()}, {New(), New()}} {
		if err := Save(path, keys); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(path); err != nil || !slices.Equal(got, keys) {
			t.Error(err)
		}
	}
	if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, ErrKey) {
		t.Errorf("no key: %v", err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, ErrOpen) {
		t.Errorf("open to others: %v", err)
	}
}
