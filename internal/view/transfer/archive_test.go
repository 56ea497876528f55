package transfer_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/transfer"
)

// An archive gives empty stores all that others have, with the bytes of artifacts; and what an
// import brought there is no rule here, though the owner brings it back.
func TestArchiveIsAFullCopy(t *testing.T) { onEach(t, testArchiveIsAFullCopy) }

func testArchiveIsAFullCopy(t *testing.T, f *fixture) {
	project := f.another(t)
	f.has(line("/user/style", `{"type":"rule","text":"tabs"}`, byUser, "2026-02-22T10:00:00Z"))
	f.takes("import", string(line("/user/evil", `{"type":"rule","text":"evil"}`, byUser, noon).Line()),
		transfer.ImportOptions{}, transfer.ImportReport{New: 1})
	sum := artifact(project.Store, 1, "the bytes")
	var file bytes.Buffer
	rep, err := transfer.ExportArchive(ctx, mem.Caller{}, []transfer.Layer{
		{Name: "user", Store: f.Store.Store}, {Name: "project", Store: project.Store.Store}},
		&file, transfer.ExportOptions{All: true})
	f.Must(err)
	if rep.Memories != 3 || rep.Artifacts != 0 {
		t.Errorf("export: %+v", rep)
	}
	to := map[string]*fixture{"user": f.another(t), "project": f.another(t)}
	for i := range 2 {
		archive, _, err := transfer.OpenArchive(transfer.Incoming{
			Stream: bytes.NewReader(file.Bytes())})
		f.Must(err)
		o := transfer.ImportOptions{Mine: true}
		got, err := archive.Import(ctx, mem.Caller{}, o,
			func(layer string) (*mem.Store, transfer.ImportOptions, error) {
				return to[layer].Store.Store, o, nil
			})
		f.Must(err)
		if got.New != 3*(1-i) || got.Unchanged != 3*i || got.Absent != 0 {
			t.Errorf("import %d: %+v", i, got)
		}
	}
	if !maps.Equal(to["user"].All(), f.All()) || !maps.Equal(to["project"].All(), project.All()) ||
		bytesOf(to["project"].Store, sum) != "the bytes" {
		t.Errorf("%v and %v", to["user"].All(), to["project"].All())
	}
	if got := to["user"].marked(); !slices.Equal(got, []string{"/user/evil"}) {
		t.Errorf("marked: %v", got)
	}
	_, in, err := transfer.OpenArchive(transfer.Incoming{Stream: bytes.NewReader([]byte("{}"))})
	if err != nil || in.Stream == nil {
		t.Errorf("no archive: %v", err)
	}
}
