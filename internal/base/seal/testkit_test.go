package seal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.FixedZone("", 3600))

// must ends a test whose setup failed.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newFile makes a key file and returns its path.
func newFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.txt")
	must(t, Create(path, now))
	return path
}

func load(t testing.TB, path string) *Keys {
	t.Helper()
	keys, err := Load(path)
	must(t, err)
	return keys
}

func newKeys(t testing.TB) *Keys {
	t.Helper()
	return load(t, newFile(t))
}

func sealed(t testing.TB, k *Keys, plain string) []byte {
	t.Helper()
	text, err := k.Seal([]byte(plain))
	must(t, err)
	return text
}

func textOf(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

// identities returns the lines of identities in a text.
func identities(text string) (list []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "AGE-SECRET-KEY-") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// openAll opens a stream and reads it to its end.
func openAll(k *Keys, r io.Reader) (string, error) {
	plain, err := k.OpenFrom(r)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(plain)
	return string(text), err
}

// isOneOf reports whether an error is one of these.
func isOneOf(err error, list ...error) bool {
	for _, want := range list {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}
