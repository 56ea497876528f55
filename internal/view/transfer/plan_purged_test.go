package transfer_test

import (
	"strings"
	"testing"

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
