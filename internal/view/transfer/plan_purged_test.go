package transfer_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/log"
)

// An old copy brings no purged memory back under another name: neither a note, nor a key that was
// used again, and what was written since the purge stays.
func TestImportGivesNoPurgedMemoryBack(t *testing.T) {
	onEach(t, testImportGivesNoPurgedMemoryBack)
}

func testImportGivesNoPurgedMemoryBack(t *testing.T, f *fixture) {
	const early, mark, late = "2026-02-22T10:00:00Z", "2026-02-22T11:00:00Z", noon
	f.has(line("/note/user/u-1-abcdef", `null`, purgedSource, mark),
		line("/note/user/u-2", `null`, strings.Replace(purgedSource, "}",
			`,"seen":"2026-02-22T10:00:00.000000Z"}`, 1), mark),
		line("/user/once", `null`, purgedSource, mark),
		line("/user/twice", `null`, purgedSource, mark),
		line("/user/twice", `"a new start"`, byUser, late))
	want := f.All()
	file := func(list ...log.Envelope) (text string) {
		for _, e := range list {
			text += string(e.Line()) + "\n"
		}
		return text
	}
	old := file(line("/note/user/u-1-abcdef", `{"text":"zebra"}`, byUser, early),
		line("/note/user/u-2", `{"text":"zebra"}`, byUser, early),
		line("/user/once", `"zebra"`, byUser, early),
		line("/user/twice", `"zebra 0"`, byUser, "2026-02-22T09:00:00Z"),
		line("/user/twice", `"zebra"`, byUser, early))
	for _, o := range []transfer.ImportOptions{{}, {Mine: true}, {DryRun: true}} {
		rep := transfer.ImportReport{Stale: 5, Purged: 5, DryRun: o.DryRun}
		f.takes("an old copy", old, o, rep)
	}
	f.takes("a copy of now", f.exports("")+file(line("/user/twice", `"zebra"`, byUser, early)),
		transfer.ImportOptions{Mine: true},
		transfer.ImportReport{Unchanged: 1, Stale: 1, Purged: 1})
	f.takes("a later version", file(line("/user/once", `"again"`, byUser, late)),
		transfer.ImportOptions{}, transfer.ImportReport{New: 1})
	got := f.All()
	if len(got) != len(want)+1 || strings.Contains(f.Logged(), "zebra") {
		t.Errorf("%v, want one more than %v", got, want)
	}
}

// The bytes of a purged artifact stay away with its record; those of another one come back.
func TestImportGivesNoPurgedBytesBack(t *testing.T) {
	onEach(t, testImportGivesNoPurgedBytesBack)
}

func testImportGivesNoPurgedBytesBack(t *testing.T, f *fixture) {
	from := f.another(t)
	purged, kept := artifact(from.Store, 1, "zebra"), artifact(from.Store, 2, "lion")
	f.has(line(storetest.ArtifactKey(1), `null`, purgedSource, "2030-01-01T00:00:00Z"))
	rep := f.restores(from.backup(), transfer.ImportOptions{Mine: true})
	if got := bytesOf(f.Store, purged) + bytesOf(f.Store, kept); got != "(none)lion" ||
		rep.Purged != 1 || rep.New != 1 {
		t.Errorf("%s: %+v", got, rep)
	}
}
