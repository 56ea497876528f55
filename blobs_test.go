package mem_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/internal/test/storetest"
)

// What a store keeps for artifacts is counted, returned, and read from the first of two stores that
// has it; nothing is written to two.
func TestBlobs(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, user *storetest.Store) {
		project := storetest.NewStore(t, storetest.Files)
		all := mem.JoinStores(mem.Options{Now: user.Now},
			mem.LayerMember{Store: project.Store, Layer: "project"},
			mem.LayerMember{Store: user.Store, Layer: "user"})
		b, err := user.Store.PutBlob(ctx, strings.NewReader("printed"), 7)
		user.Must(err)
		user.Import(storetest.ArtifactKey(1), storetest.ArtifactOf("printed"))
		for _, s := range []*mem.Store{user.Store, all} {
			if text, err := storetest.Blob(s, b.Sum); text != "printed" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			if _, err := storetest.Blob(s, "printed"); mem.KindOf(err) != mem.KindInput {
				t.Errorf("no sum: %v", err)
			}
			_, err := storetest.Blob(s, strings.Repeat("0", 64))
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a sum of nothing: %v", err)
			}
		}
		if st, err := user.Stat(ctx, mem.Caller{}); err != nil ||
			user.Path() != "" && (st.Artifacts != 1 || st.BlobBytes != 7) {
			t.Errorf("%+v, %v", st, err)
		}
		_, err = user.Store.PutBlob(ctx, strings.NewReader("printed"), 6)
		if !errors.Is(err, backend.ErrTooLarge) || mem.KindOf(err) != mem.KindRefused {
			t.Errorf("too large: %v", err)
		}
		if _, err := all.PutBlob(ctx, strings.NewReader("x"), 6); !errors.Is(err,
			union.ErrReadOnly) {
			t.Errorf("to two stores: %v", err)
		}
	})
}

// A damaged file in one store does not hide the sound one in another, and is never returned.
func TestBlobsOfTwoStores(t *testing.T) {
	var members []mem.LayerMember
	var b mem.Blob
	for _, layer := range []string{"project", "user"} {
		s := storetest.NewStore(t, storetest.Files)
		var err error
		b, err = s.Store.PutBlob(ctx, strings.NewReader("printed"), 7)
		s.Must(err)
		s.Import(storetest.ArtifactKey(1), storetest.ArtifactOf("printed"))
		members = append(members, mem.LayerMember{Store: s.Store, Layer: layer})
	}
	all := mem.JoinStores(mem.Options{}, members...)
	damage := func(m mem.LayerMember, text string) {
		file := filepath.Join(m.Store.Path(), "artifacts", b.Sum)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage(members[0], "painted")
	if text, err := storetest.Blob(all, b.Sum); text != "printed" || err != nil {
		t.Errorf("one of two: %q, %v", text, err)
	}
	damage(members[1], "pointed")
	if text, err := storetest.Blob(all, b.Sum); !errors.Is(err, backend.ErrDamaged) ||
		mem.KindOf(err) != mem.KindIO {
		t.Errorf("both: %q, %v", text, err)
	}
	for _, m := range members {
		damage(m, "printed")
	}
}
