package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/set-memory/mem/internal/test/testkit"
)

// keys presses keys of the keyboard, and waits for the page if they lead to another one.
func (b *browser) keys(text string, leads bool) {
	b.t.Helper()
	b.run(chromedp.Evaluate(`window.old = true`, nil), chromedp.KeyEvent(text))
	if leads {
		b.settle("the page after " + text)
	}
}

// focused returns the text of what has the focus, or its id if it is a field.
func (b *browser) focused() (text string) {
	b.t.Helper()
	b.run(chromedp.Evaluate(`document.activeElement.id || document.activeElement.textContent`, &text))
	return text
}

// The keys of the keyboard: / searches, j and k walk, x selects, e edits, and all of them are
// letters where somebody types.
func TestKeys(t *testing.T) {
	d := newDesk(t)
	for i, name := range []string{"fir", "spruce", "larch"} {
		d.set(fmt.Sprintf("2026-02-0%dT09:00:00Z", 2+i), "/project/"+name,
			fmt.Sprintf(`{"text":%q}`, name))
	}
	d.now = "2026-02-22T10:00:00Z"
	b := window(t, chromium(t), d.serve())
	b.open("/health")
	b.keys("/", true)
	for _, step := range []struct{ keys, focus string }{{"", "q"}, {"jke/x", "q"}, {kb.Escape, ""},
		{"k", "larch"}, {"j", "spruce"}, {"jj", "fir"}, {"k", "spruce"}, {"x", "spruce"},
		{"/", "q"}, {"j", "q"}} {
		b.keys(step.keys, false)
		if at := b.focused(); step.focus != "" && at != step.focus {
			t.Errorf("after %q the focus is on %q, want %q", step.keys, at, step.focus)
		}
	}
	var picked []string
	b.run(chromedp.Evaluate(`[...document.querySelectorAll("[name=at]:checked")].map(e => e.value)`,
		&picked))
	if fmt.Sprint(picked) != "[project /project/spruce]" {
		t.Errorf("selected are %q", picked)
	}
	b.keys(kb.Escape, false)
	b.keys("jj", false)
	b.keys("e", true)
	if at := b.at(); !strings.HasPrefix(at, "/memory/edit?") || !strings.Contains(at, "spruce") {
		t.Errorf("e leads to %s", at)
	}
	b.run(chromedp.Focus("#text", chromedp.ByQuery))
	b.keys(" and e", false)
	b.keys(kb.Tab+"tree"+kb.Tab+"wood, tall"+kb.Tab+"8", false)
	b.keys(kb.Enter, true)
	b.says("Memory saved", "tree", "tall", "8 of 10")
	got := d.mem("get", "/project/spruce", "--jq", ".content.text")
	if !strings.Contains(got, "and e") {
		t.Errorf("the text is %q", got)
	}
	b.keys("e", true)
	b.says("Edit")
	b.open("/memories/new")
	testkit.WaitFor(t, "the focus", func() bool { return b.focused() == "text" })
	b.keys("A first note"+kb.Tab, false)
	b.keys(kb.Enter, true)
	b.says("Memory added", "A first note")
}

// tap taps with a finger on what a text names, or a CSS selector finds.
func (b *browser) tap(name string) {
	b.t.Helper()
	var at []float64
	b.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		window.old = true
		const all = [...document.querySelectorAll("main button, a, summary")]
		const it = %[1]q.startsWith("#") ? document.querySelector(%[1]q.slice(1)) :
			all.find(e => e.textContent.trim().startsWith(%[1]q))
		if (!it) return []
		it.scrollIntoView({block: "center"})
		const r = it.getBoundingClientRect()
		return [r.x + r.width / 2, r.y + r.height / 2, r.width, r.height] })()`, name), &at))
	if len(at) == 0 {
		b.t.Fatalf("at %s nothing is called %q:\n%s", b.at(), name, b.text())
	}
	if at[2] < 24 || at[3] < 24 {
		b.t.Errorf("at %s a finger misses %q of %.0f by %.0f pixels", b.at(), name, at[2], at[3])
	}
	b.run(input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: at[0], Y: at[1]}}),
		input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
}

// A phone: fingers select two memories, tag them, forget them, and undo that.
func TestTouch(t *testing.T) {
	d := newDesk(t)
	d.furnish()
	b := window(t, chromium(t), d.serve())
	b.run(emulation.SetDeviceMetricsOverride(360, 740, 2, true),
		emulation.SetTouchEmulationEnabled(true))
	b.open("/memories?prefix=/project/db")
	lead := func(name string) {
		b.tap(name)
		b.settle("the page after a tap on " + name)
	}
	pick := func() {
		b.tap(`#label:has([value$="/project/db/port"])`)
		b.tap(`#label:has([value$="/project/db/mysql"])`)
	}
	pick()
	b.fill("bulk-tag", "sea")
	lead("Tag")
	b.says("2 memories changed", "sea")
	lead("Undo")
	b.says("Undone")
	pick()
	lead("Forget")
	b.says("2 memories changed", "Nothing is stored here")
	lead("Undo")
	b.says("Undone", "The port is 5433")
	lead("The port is 5433")
	lead("Pin")
	b.says("Pinned", "Unpin")
	lead("Undo")
	lead("Edit")
	b.says("Text", "Importance")
}

// wide is what can be moved sideways at this width, but for text that is kept as it is written.
const wide = `[document.documentElement, ...document.querySelectorAll("body *")].filter(e =>
	e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1 && !e.matches("pre, textarea, input, select") &&
	(e === document.documentElement || ["auto", "scroll"].includes(getComputedStyle(e).overflowX)))
	.map(e => e.tagName + "." + e.className + " " + e.scrollWidth + " > " + e.clientWidth)`

// broken are the words of tables, but for code, that stand on two lines.
const broken = `(() => {
	const found = [], all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	while (all.nextNode()) {
		const text = all.currentNode
		if (!text.parentElement.closest("td, th") || text.parentElement.closest("code, .long")) continue
		for (const word of text.data.matchAll(/\w+/g)) {
			const range = document.createRange()
			range.setStart(text, word.index)
			range.setEnd(text, word.index + word[0].length)
			if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(word[0])
		}
	}
	return found
})()`

// Nothing scrolls sideways on a phone, no table breaks a word, and the fields of a row stand at one
// height.
func TestNarrow(t *testing.T) {
	d := newDesk(t)
	d.furnish()
	other := filepath.Join(d.home, "src", "a-repository-that-moved")
	d.must(os.MkdirAll(filepath.Join(other, ".git"), 0o700))
	d.must(os.WriteFile(filepath.Join(other, ".git", "HEAD"), []byte("ref: x\n"), 0o600))
	note := d.command("mem", "note", "left behind", "-q")
	note.Dir = other
	d.must(note.Run())
	d.must(os.RemoveAll(other))
	b := window(t, chromium(t), d.serve())
	b.says("a-repository-that-moved gone")
	for _, width := range []int64{360, 1280} {
		b.size(width, false)
		for _, path := range slices.Concat(visited, []string{"/memories?q=long"}) {
			b.open(path)
			var found, words []string
			b.run(chromedp.Evaluate(wide, &found), chromedp.Evaluate(broken, &words))
			if found = append(found, words...); len(found) > 0 {
				t.Errorf("%s at %d: %q", path, width, found)
			}
		}
		b.open("/memories")
		var heights []float64
		b.run(chromedp.Evaluate(`[...document.querySelectorAll(".find select, .find .fields input`+
			`:not([type=checkbox])")].map(e => e.getBoundingClientRect().height)`, &heights))
		if len(slices.Compact(heights)) != 1 {
			t.Errorf("at %d the fields are %v pixels high", width, heights)
		}
		b.open("/memory?key=/project/long")
		var high float64
		b.run(chromedp.Evaluate(`document.querySelector("h1").getBoundingClientRect().height`, &high))
		if high > 150 {
			t.Errorf("at %d the heading is %.0f pixels high", width, high)
		}
	}
}
