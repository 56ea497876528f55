package secret

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// What agents noted in a month of work, and what people asked, holds no secret.
func TestMonthOfWorkPasses(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "scripts", "recall", "testdata", "daily")
	checked := 0
	for _, name := range []string{"notes", "prompts", "off", "facts"} {
		f, err := os.Open(filepath.Join(dir, name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); checked++ {
			var line json.RawMessage
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			for _, found := range ScanNote("content", line) {
				t.Errorf("%s: %s: %s", name, found.Rule, line)
			}
		}
	}
	if checked < 350 {
		t.Errorf("%d lines", checked)
	}
}
