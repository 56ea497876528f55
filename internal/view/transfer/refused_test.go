package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/transfer"
)

// What no import reads is refused by its name, and not taken for something else.
func TestImportRefusesWhatItCannotRead(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		indented := "{\n \"version\": \"1\",\n \"sessions\": [\n {\"id\":\"s\"}]}"
		for text, want := range map[string]error{
			indented: foreign.ErrUnknownFormat,
			`{"sessions":[{"id":"s","project":"p"}],"observations":[]}`: foreign.ErrUnknownFormat,
			`{"sessions":[{"metadata":{}}]}`:                            foreign.ErrUnknownFormat,
			`{"sessions":[]}`:                                           foreign.ErrUnknownFormat,
		} {
			_, err := f.imports(transfer.Incoming{Stream: strings.NewReader(text)},
				transfer.ImportOptions{})
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", text, err, want)
			}
		}
		f.Put("/a", `{"text":"one"}`)
		var page bytes.Buffer
		_, err := f.export(&page, transfer.ExportOptions{Format: foreign.MemoryMD})
		f.Must(err)
		text := page.String()
		for name, text := range map[string]string{"MEMORY.md": text, "page.md": text,
			"mark.md": "\ufeff" + text, "lines.md": strings.ReplaceAll(text, "\n", "\r\n")} {
			path := filepath.Join(t.TempDir(), name)
			f.Must(os.WriteFile(path, []byte(text), 0o600))
			_, err := f.imports(transfer.Incoming{Path: path}, transfer.ImportOptions{})
			if mem.KindOf(err) != mem.KindInput ||
				!strings.Contains(err.Error(), "page for a prompt") ||
				!strings.Contains(fmt.Sprint(mem.AdviceOf(err)), "export --format jsonl") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
