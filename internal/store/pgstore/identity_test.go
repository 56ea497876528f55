package pgstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
)

// A space has one identity, by whatever address it is reached, and no other space has it.
func TestIdentity(t *testing.T) {
	url, link := database(t), filepath.Join(t.TempDir(), "by-link")
	must(t, os.Symlink(pgtest.Shared(t).Dir, link))
	one := newPlace(t, url)
	again, err := pgstore.ParseURL(strings.Replace(url, pgtest.Shared(t).Dir, link, 1) +
		"&connect_timeout=3&space=" + one.Space)
	must(t, err)
	name := otherDatabase(t)
	_, err = pgstore.AddSpace(ctx, name, one.Space, nil)
	must(t, err)
	elsewhere, err := pgstore.ParseURL(name + "&space=" + one.Space)
	must(t, err)
	want, err := follow(t, one, t.TempDir()).Identity(ctx)
	must(t, err)
	for place, same := range map[*pgstore.Address]bool{
		again: true, newPlace(t, url): false, elsewhere: false} {
		got, err := follow(t, place, t.TempDir()).Identity(ctx)
		if err != nil || (got == want) != same {
			t.Errorf("%s: %s, that of %s is %s: %v", place, got, one, want, err)
		}
	}
}
