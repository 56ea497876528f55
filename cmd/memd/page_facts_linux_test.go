package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A person refuses one fact that hooks propose, stores another one in other words, and in a
// terminal sees the same. With MEM_SHOTS=DIR it leaves pictures of both.
func TestFactsOnThePage(t *testing.T) {
	d := newDesk(t)
	d.captures()
	shown := d.onTerminal(t, "approve")
	for _, text := range []string{"run make fmt", "uv run pytest -q", "saw: "} {
		if !strings.Contains(shown, text) {
			t.Errorf("mem approve does not say %q:\n%s", text, shown)
		}
	}
	b := window(t, chromium(t), d.serve())
	b.says("Overview", "2 proposed facts wait for you")
	b.press("2 proposed facts wait for you")
	b.says("Facts from your work", "uv run pytest -q", "run make fmt", "Evidence", "Store all")
	for _, width := range []int64{360, 1280} {
		b.size(width, false)
		var over bool
		b.run(chromedp.Evaluate(`document.documentElement.scrollWidth > innerWidth`, &over))
		if over {
			t.Errorf("it is too wide for %d pixels", width)
		}
	}
	if dir := os.Getenv("MEM_SHOTS"); dir != "" {
		var picture []byte
		b.run(chromedp.FullScreenshot(&picture, 100))
		d.must(os.WriteFile(filepath.Join(dir, "facts.png"), picture, 0o644))
		d.must(os.WriteFile(filepath.Join(dir, "approve.html"), []byte(shown), 0o644))
	}
	b.press("Reject Always run make fmt")
	b.says("Rejected. It is not proposed again.", "uv run pytest -q")
	b.fill("t0", "Run the tests with uv run pytest -q")
	b.press("Store `uv run")
	b.says("Stored: 1 memory", "No write waits for you")
	if got := d.mem("notes"); !strings.Contains(got, "Run the tests with uv run pytest -q") ||
		strings.Contains(got, "make fmt") {
		t.Errorf("the notes are %s", got)
	}
}
