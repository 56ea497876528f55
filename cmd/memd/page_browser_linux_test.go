package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/set-memory/mem/internal/test/testkit"
)

// visited are all pages that can be looked at.
var visited = []string{"/", "/memories", "/memories?prefix=/project", "/memories?q=port&why=1",
	"/memories?q=nowhere", "/memories/deleted", "/memories?prefix=%00",
	"/memory?key=/project/db/port", "/memory?key=/project/facts/a0",
	"/memories/new", "/memory?key=/project/long", "/memory/edit?key=/project/db/port",
	"/memory/edit?key=/project/db/port&json=1", "/memory/purge?key=/project/db/port", "/review",
	"/review/audit", "/review/trust", "/injected", "/agents", "/agents/iris", "/agents/nobody",
	"/health", "/memory?key=/no/such"}

// axe returns the text of axe-core, which scripts/page/install.sh puts into the cache.
func axe(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	text, err := os.ReadFile(filepath.Join(cache, "mem-page", "node_modules", "axe-core",
		"axe.min.js"))
	testkit.NeedInFull(t, err == nil, "axe-core is not installed: scripts/page/install.sh does")
	return string(text)
}

// violation is what axe-core has found.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML string }
}

// Nothing that axe-core calls serious or critical, light and dark, wide and narrow.
func TestPagesAreAccessible(t *testing.T) {
	script := axe(t)
	d := newDesk(t)
	d.furnish()
	b := window(t, chromium(t), d.serve())
	for _, path := range visited {
		for _, width := range []int64{1280, 360} {
			b.size(width, width == 360)
			b.open(path)
			var found []violation
			b.run(chromedp.Evaluate(script+";0", nil), chromedp.Evaluate(
				`axe.run().then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact, Help: v.help,
				Nodes: v.nodes.map(n => ({HTML: n.html}))})))`, &found, awaited))
			for _, v := range found {
				if v.Impact == "serious" || v.Impact == "critical" {
					t.Errorf("%s at %d: %s (%s): %s", path, width, v.ID, v.Impact, v.Help)
					for _, n := range v.Nodes[:min(3, len(v.Nodes))] {
						t.Log(n.HTML)
					}
				}
			}
		}
	}
}

// No request leaves the machine (Chromium draws its own fields with data:), and no page writes to
// the console.
func TestNothingLeavesTheMachine(t *testing.T) {
	d := newDesk(t)
	d.furnish()
	b := window(t, chromium(t), d.serve())
	for _, path := range visited {
		b.open(path)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, asked := range b.asked {
		if !strings.HasPrefix(asked, b.host+"/") && !strings.HasPrefix(asked, "data:") {
			t.Errorf("it asks for %s", asked)
		}
	}
	if len(b.asked) < len(visited) || len(b.said) > 0 {
		t.Errorf("%d requests; the console says %q", len(b.asked), b.said)
	}
}

// A walk over every button that there is.
func TestEveryButton(t *testing.T) {
	d := newDesk(t)
	d.furnish()
	b := window(t, chromium(t), d.serve())

	b.says("Overview", "untrusted writes wait for you")
	b.fill("q", "port")
	b.press("Search")
	b.says("found", "The port is 5433")
	b.press("The port is 5433")
	b.says("/project/db/port", "2 versions", "codex")

	b.press("What changed")
	b.says(`"summary": "The port is 5432"`, `"summary": "The port is 5433"`)
	b.press("/project/db/port")
	b.press("Edit")
	b.press("Cancel")
	b.press("Edit")
	b.press("Edit as JSON")
	b.press("Edit in fields")
	b.press("Edit as JSON")
	b.fill("text", `{"summary":"The port is 5434"}`)
	b.press("Save")
	b.says("Memory saved", "The port is 5434", "3 versions")
	b.press("Restore")
	b.says("Restored", "The port is 5433")
	b.press("Undo the last write")
	b.says("The port is 5434")
	b.press("Forget")
	b.says("Forgotten", "Deleted")
	b.press("Undo the last write")
	b.says("The port is 5434")
	b.press("Delete permanently")
	b.says("Delete this memory permanently?", "versions of it are removed")
	b.press("Cancel")
	b.press("Delete permanently")
	b.fill("reason", "a test")
	b.press("Delete permanently")
	b.says("Deleted for good", "proved", "versions purged")
	b.press("Back to the memories")

	b.press("Review")
	b.says("Proposed changes of your rules", "codex", "conversation s-7",
		`-  "summary": "Indent with tabs`, `+  "summary": "Indent with two spaces`, "Deletes the rule")
	b.press("Reject")
	b.says("Rejected")
	b.press("Undo")
	b.says("Undone", "Deletes the rule")
	b.press("Approve")
	b.says("Approved")
	b.press("Approve")
	b.says("Approved", "Untrusted writes")
	b.press("Undo")
	b.says("Undone")
	b.says("Orders over 5,000", "Would replace", "Orders over 500 need")
	b.press("Approve")
	b.says("Approved")
	b.press("Reject /kb/")
	b.says("Rejected", "No write waits for you")
	b.press("Duplicates and dangling references")
	b.says("duplicates", "Reviews need two approvals")
	b.press("Replace with the first")
	b.says("is superseded by")
	b.press("Stores that ask for trust")
	b.says("No store asks for trust")

	b.press("Injected")
	b.says("claude-code", "tokens")
	b.press("Agents")
	b.press("iris")
	b.says("Agent Memory", "CORE", "JOURNAL", "expired", "我用用户的语言回答。")
	b.press("Delete")
	b.says("Delete this memory permanently?")
	b.press("Cancel")
	b.press("Delete")
	b.press("Delete permanently")
	b.says("Memory deleted")
	d.mem("set", "/project/loose", `"larch"`, "--kind", "user", "--name", "chat", "--layer", "user")
	b.press("Health")
	b.says("log", "Stores", "this PATH finds this mem",
		"of no project, which hooks do not inject here")
	b.press("mem")
	b.press("Sign out")
	b.says("You are signed out")
	b.open("/memories")
	b.says("You are signed out")
}

// Two browsers have one memory open: the second to save is told what it has lost against, keeps its
// text, and can go on.
func TestTwoBrowsersAtOneMemory(t *testing.T) {
	d := newDesk(t)
	d.set(d.now, "/project/a", `{"text":"larch"}`)
	invitation := d.serve()
	all := chromium(t)
	one := window(t, all, invitation)
	late := window(t, all, invitation)
	late.says("This URL was used")
	two := window(t, all, d.serve())
	for _, b := range []*browser{one, two} {
		b.open("/memory/edit?key=/project/a")
	}
	one.fill("text", "spruce")
	one.press("Save")
	one.says("Memory saved")
	two.fill("text", "fir")
	two.press("Save")
	two.says("Changed meanwhile", "spruce", `+  "text": "fir"`)
	var typed string
	two.run(chromedp.Value("#text", &typed, chromedp.ByQuery))
	if typed != "fir" {
		t.Errorf("what was typed is %q", typed)
	}
	two.press("Save")
	two.says("Memory saved", "fir", "3 versions")
}

// Script in a memory is never run.
func TestNoScriptOfAMemoryRuns(t *testing.T) {
	d := newDesk(t)
	evil := `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">` +
		`</textarea><svg onload="document.title='owned'">`
	quoted, err := json.Marshal(evil)
	d.must(err)
	text := string(quoted)
	d.set(d.now, "/project/a", `{"type":`+text+`,"summary":`+text+`,"text":`+text+`,"tags":[`+text+
		`]}`, "--kind", "agent", "--name", evil, "--locator", `{"hash":`+text+`}`)
	key := "/project/" + strings.NewReplacer("/", "", "=x", "=y").Replace(evil)
	d.set(d.now, key, text)
	d.mem("core", evil, "--agent", "iris")
	d.hook(d.now, "claude-code", "UserPromptSubmit", evil, "owned document title")
	b := window(t, chromium(t), d.serve())
	q := url.QueryEscape
	for _, path := range []string{"/", "/memories?q=" + q(evil), "/memories?q=owned&why=1",
		"/memory?key=/project/a", "/memory?key=" + q(key), "/memory/edit?key=/project/a",
		"/memory/purge?key=" + q(key), "/review/audit", "/agents/iris", "/injected",
		"/memories/new", "/memories/deleted"} {
		b.open(path)
		var title string
		var scripts int
		b.run(chromedp.Title(&title), chromedp.Evaluate(
			`document.querySelectorAll("script:not([src^='/script.js?']), main script, img, `+
				`main svg[onload]").length`, &scripts))
		if strings.Contains(title, "owned'") && !strings.Contains(title, "<script>") ||
			title == "owned" || scripts > 0 {
			t.Errorf("%s: title %q, %d elements of a memory", path, title, scripts)
		}
	}
}

// All can be reached by the keyboard, and is seen where it is: the first stop skips to the content,
// every other shows a focus.
func TestKeyboard(t *testing.T) {
	d := newDesk(t)
	d.furnish()
	b := window(t, chromium(t), d.serve())
	b.open("/memory?key=/project/db/port")
	var stops []string
	for range 12 {
		var stop string
		b.run(chromedp.KeyEvent("\t"), chromedp.Evaluate(`(() => {
			const e = document.activeElement, s = getComputedStyle(e);
			return e.textContent.trim() + "|" + (s.outlineStyle !== "none") })()`, &stop))
		stops = append(stops, stop)
	}
	if stops[0] != "Skip to content|true" ||
		slices.ContainsFunc(stops, func(s string) bool { return !strings.HasSuffix(s, "|true") }) ||
		!slices.Contains(stops, "Edit|true") {
		t.Errorf("the stops are %q", stops)
	}
}

// A tenant is made by its first write: before it there is nothing to look at.
func TestPageOfNoTenant(t *testing.T) {
	d := newDesk(t)
	root := filepath.Join(d.home, "r")
	_ = d.command("mem", "set", "--root", filepath.Join(root, "tenants", "t1"), "/project/a",
		`"larch"`, "--source", "me").Run()
	d.start("serve", "--root", root, "--listen", freePort(t), "--log-level", "warn")
	d.tenant("t1")
	for tenant, want := range map[string]struct {
		code int
		says string
	}{"nope": {1, "nope: no such tenant"}, "a b": {2, "want 1 to 64 letters"}} {
		cmd := d.command("mem", "page", "--yes", "--root", root, "--tenant", tenant, "--no-open")
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want.code ||
			!strings.Contains(string(out), want.says) || strings.Contains(string(out), "http://") {
			t.Errorf("%s: exit %d: %s", tenant, got, out)
		}
	}
}

// The page of a tenant comes from the server, and only whoever owns the socket gets in.
func TestPageOfATenant(t *testing.T) {
	path := chromium(t) // before a server is started
	d := newDesk(t)
	d.command("mem", "set", "--root", filepath.Join(d.home, "r", "tenants", "t1"), "/project/a",
		`"larch"`, "--source", "me").Run()
	address := freePort(t)
	d.start("serve", "--root", filepath.Join(d.home, "r"), "--listen", address,
		"--log-level", "warn")
	b := window(t, path, d.tenant("t1"))
	b.says("Overview", "1 memory", "t1")
	if at := b.at(); at != "/" || !strings.HasPrefix(b.base, b.host+"/page/t1/") {
		t.Errorf("it is at %s below %s", at, b.base)
	}
	b.press("Memories")
	b.press("larch")
	b.press("Forget")
	b.says("Forgotten")
	for _, path := range []string{"/", "/agents", "/health"} {
		b.open(path)
		var said string
		b.run(chromedp.Evaluate(`document.body.innerText`, &said))
		for _, verb := range []string{"mem note", "mem journal", "mem setup", "mem doctor"} {
			if strings.Contains(said, verb) {
				t.Errorf("%s names %s, which goes to the person's own store", path, verb)
			}
		}
	}
	other := window(t, chromium(t), fmt.Sprintf("http://%s/page/t2/", address))
	var said string
	other.run(chromedp.Evaluate(`document.body.innerText`, &said))
	if !strings.Contains(said, "signed out") {
		t.Errorf("another tenant's page says %q", said)
	}
}
