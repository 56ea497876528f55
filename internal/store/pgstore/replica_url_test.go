package pgstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/pgstore"
)

// read= names hosts; all else is as the URL has it, and the password as libpq finds it for them.
func TestURLOfReplicas(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pgpass")
	must(t, os.WriteFile(file, []byte("near:5433:db:ada:of-near\nfar:5432:db:ada:of-far\n"+
		"too:1:db:ada:of-near\nnear:5433:db:mem_b:of-b\n"), 0o600))
	t.Setenv("PGPASSFILE", file)
	const writing = "&target_session_attrs=read-write"
	for text, want := range map[string]string{
		"postgres://ada@far/db?space=s":                          "",
		"postgres://ada@far/db?space=s&read=near:5433" + writing: "ada:of-near@near:5433/db",
		"postgres://ada@far:6000/db?space=s&read=near":           "ada:@near:6000/db",
		"postgres://ada:x@far/db?space=s&read=near":              "ada:x@near:5432/db",
		"postgres://ada@far/db?space=s&read=near:5433,%5B::1%5D:7": "ada:@near:5433 " +
			"::1:7/db",
		"postgres://ada@far/db?space=s&read=near:5433,too:1": "ada:of-near@near:5433 too:1/db",
		"postgres://ada@far/db?space=s&read=/run/near":       "ada:@/run/near:5432/db",
	} {
		place, err := pgstore.ParseURL(text)
		must(t, err)
		again, err := pgstore.ParseURL(place.String())
		must(t, err)
		if got := place.Read(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if !strings.Contains(text, ":x@") && again.Read() != want {
			t.Errorf("%s: shown as %s, which is %q", text, place, again.Read())
		}
	}
	place, err := pgstore.ParseURL("postgres://ada:x@far/db?read=near:5433")
	must(t, err)
	if got := place.As("mem_b", "b").Read(); got != "mem_b:of-b@near:5433/db" {
		t.Errorf("another role: %s", got)
	}
	if text := place.As("mem_b", "b").String(); !strings.Contains(text, "read=near%3A5433") ||
		strings.Contains(text, "x@") {
		t.Errorf("another role: %s", text)
	}
	for _, bad := range []string{",", "near,", "near:0", "near:x", "near:99999",
		"postgres://near/db", "ada@near"} {
		_, err := pgstore.ParseURL("postgres://ada:hush@far/db?space=s&read=" + bad)
		if err == nil || strings.Contains(err.Error(), "hush") ||
			!strings.Contains(err.Error(), "read=") {
			t.Errorf("read=%s: %v", bad, err)
		}
	}
}

// A space that a request names goes into no statement as it is.
func TestOddSpaceIsNotOpened(t *testing.T) {
	place, err := pgstore.ParseURL("postgres://db.example/mem?space=one")
	must(t, err)
	for _, odd := range []string{"a' OR '1'='1", "a b", "..", "é"} {
		_, err := pgstore.Open(place.As("", odd), pgstore.Options{})
		if !errors.Is(err, pgstore.ErrURL) {
			t.Errorf("%q: %v", odd, err)
		}
	}
}
