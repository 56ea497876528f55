package transfer_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/transfer"
)

// The file of another tool is known by its head, and read once; what it has deleted is left out.
func TestImportOfEngram(t *testing.T) { onEach(t, testImportOfEngram) }

func testImportOfEngram(t *testing.T, f *fixture) {
	file := `{
  "version": "0.1.0",
  "exported_at": "2026-02-22 10:00:00",
  "sessions": [{"id": "s", "project": "p", "directory": "/p", "started_at": "x"}],
  "observations": [
    {"id": 1, "sync_id": "obs-1", "session_id": "s", "type": "decision", "title": "Auth",
     "content": "JWT", "project": "p", "scope": "project", "topic_key": "auth/model",
     "revision_count": 1, "created_at": "2026-02-22 09:00:00", "updated_at": "x"},
    {"id": 2, "sync_id": "", "session_id": "s", "type": "manual", "title": "", "content": "tea",
     "scope": "personal", "created_at": "?"},
    {"id": 3, "content": "gone", "scope": "project", "deleted_at": "2026-02-22 09:30:00"}
  ],
  "prompts": [{"id": 1, "content": "hello"}]
}`
	f.takes("first", file, transfer.ImportOptions{}, transfer.ImportReport{New: 2})
	f.takes("again", file, transfer.ImportOptions{}, transfer.ImportReport{Unchanged: 2})
	want := map[string]string{"/engram/project/obs-1": `{"type":"decision","title":"Auth",` +
		`"text":"JWT","topic":"auth/model","project":"p","session_id":"s",` +
		`"created_at":"2026-02-22T09:00:00.000000Z"}`,
		"/engram/personal/2": `{"type":"manual","text":"tea","session_id":"s"}`}
	if got := f.All(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	for _, bad := range []string{`{"observations":[{"id":null,"content":"x"}]}`,
		`{"observations":[{"id":{},"content":"x"}]}`, `{"observations":[{"id":[1],"content":"x"}]}`,
		`{"observations":[{"id":"","content":"x"}]}`, `{"observations":[{"id":true,"content":"x"}]}`,
		`{"observations":[{"id":1}]}`, `{"observations":[7]}`, `{}`, `{`,
		`{"observations":"x"}`, `{"observations":[["a"]]}`, `{"observations":[{"id":1,` +
			`"content":{"a":1}}]}`} {
		_, err := f.imports(transfer.Incoming{Stream: strings.NewReader(bad)},
			transfer.ImportOptions{Format: foreign.Engram})
		if mem.KindOf(err) != mem.KindInput && !errors.Is(err, foreign.ErrFormat) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if got := f.All(); !reflect.DeepEqual(got, want) {
		t.Errorf("after bad files: %v", got)
	}
}
