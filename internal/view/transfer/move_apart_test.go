package transfer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
)

// A store that a link leads to is the store itself, and one that lies in another is no target:
// what the move brought there it would delete.
func TestMoveRefusesOneStoreByTwoNames(t *testing.T) {
	from := storetest.NewStore(t, storetest.Files)
	from.Put("/a", `1`)
	link := filepath.Join(t.TempDir(), "link")
	from.Must(os.Symlink(filepath.Dir(from.Root), link))
	name := filepath.Base(from.Root)
	for path, why := range map[string]string{
		from.Root:                 "move: from and to are the same store",
		filepath.Join(link, name): "move: from and to are the same store",
		link + "/" + name + "/in": "move: one of the stores would be inside the other",
		filepath.Dir(from.Root):   "move: one of the stores would be inside the other",
	} {
		to, err := mem.Open(path, mem.Options{})
		from.Must(err)
		for _, keys := range [][]keypath.Key{nil, {keypath.MustParse("/a")}} {
			for _, dry := range []bool{false, true} {
				_, err = transfer.Move(context.Background(), mem.Caller{}, transfer.MoveJob{
					From: from.Store, To: to, Keys: keys, History: true, DryRun: dry})
				if err == nil || !strings.HasPrefix(err.Error(), why) ||
					mem.KindOf(err) != mem.KindInput {
					t.Errorf("%s: %v, want %s", path, err, why)
				}
			}
		}
		from.Must(to.Close())
	}
	one := storetest.NewStore(t, storetest.Memory)
	one.Put("/a", `1`)
	_, err := transfer.Move(context.Background(), mem.Caller{}, transfer.MoveJob{
		From: one.Store, To: one.Store, History: true})
	if mem.KindOf(err) != mem.KindInput || one.Content("/a") != "1" || from.Content("/a") != "1" {
		t.Errorf("%v", err)
	}
}
