package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/set-memory/mem/internal/test/testkit"
)

// desk is a person's machine: a home, a project in it, and what is typed there.
type desk struct {
	t    *testing.T
	home string
	bin  string
	now  string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir(), bin: programs(t), now: "2026-02-22T10:00:00Z"}
	d.must(os.MkdirAll(d.project(), 0o700))
	git := exec.Command("git", "init", "-q", d.project())
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git: %v: %s", err, out)
	}
	return d
}

func (d *desk) project() string { return filepath.Join(d.home, "src", "shop") }

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// command returns a call of a program at this desk, in the project.
func (d *desk) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(d.bin, program), args...)
	cmd.Dir = d.project()
	cmd.Env = []string{"HOME=" + d.home, "PATH=" + d.bin + ":/usr/bin:/bin", "MEM_NOW=" + d.now,
		"MEM_HOOK_DEADLINE=10s"}
	return cmd
}

// mem runs mem, and returns what it printed.
func (d *desk) mem(args ...string) string {
	d.t.Helper()
	out, err := d.command("mem", args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("mem %q: %v: %s", args, err, out)
	}
	return string(out)
}

// set stores a memory at a time, as of somebody.
func (d *desk) set(at, key, content string, source ...string) {
	d.t.Helper()
	d.now = at
	if source == nil {
		source = []string{"--kind", "user", "--name", "chat"}
	}
	d.mem(append([]string{"set", key, content, "-q"}, source...)...)
}

// hook tells a client's conversation what its hook tells it.
func (d *desk) hook(at, client, event, conversation, prompt string) {
	d.t.Helper()
	d.now = at
	cmd := d.command("mem", "hook", client)
	in, err := json.Marshal(map[string]string{"hook_event_name": event, "cwd": d.project(),
		"session_id": conversation, "prompt": prompt, "source": "startup"})
	d.must(err)
	cmd.Stdin = strings.NewReader(string(in))
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("hook: %v: %s", err, out)
	}
}

// serve starts a page, and returns its one-time URL. It ends with the test.
func (d *desk) serve(args ...string) string {
	d.t.Helper()
	cmd := d.command("memd", append([]string{"page", "--yes", "--no-open"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	d.must(err)
	d.must(cmd.Start())
	d.t.Cleanup(func() {
		d.must(cmd.Process.Signal(syscall.SIGTERM))
		if err := cmd.Wait(); err != nil {
			d.t.Errorf("memd page: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	d.must(err)
	return strings.TrimSpace(line)
}

// browser is a window of Chromium, with cookies of its own.
type browser struct {
	t    *testing.T
	ctx  context.Context
	host string // with its scheme
	base string // and the secret part of the path

	mu    sync.Mutex
	asked []string // URLs that it asked for
	said  []string // what it wrote to the console, and what went wrong
}

// chromium starts one for all windows of a test.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	testkit.NeedInFull(t, err == nil, "chromium is not installed: scripts/page/install.sh does")
	flags := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.NoSandbox,
		chromedp.ExecPath(path), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), flags...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// window opens a window that comes in by a one-time URL.
func window(t *testing.T, of context.Context, invitation string) *browser {
	t.Helper()
	var tab target.ID
	open := func(ctx context.Context) error {
		whole := cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser)
		cookies, err := target.CreateBrowserContext().Do(whole)
		if err != nil {
			return err
		}
		tab, err = target.CreateTarget("about:blank").WithBrowserContextID(cookies).
			WithNewWindow(true).Do(whole)
		return err
	}
	if err := chromedp.Run(of, chromedp.ActionFunc(open)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := chromedp.NewContext(of, chromedp.WithTargetID(tab))
	t.Cleanup(stop)
	u, err := url.Parse(invitation)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, ctx: ctx, host: u.Scheme + "://" + u.Host}
	b.base, _, _ = strings.Cut(invitation, "/enter")
	chromedp.ListenTarget(ctx, b.heard)
	if err := chromedp.Run(ctx); err != nil { // the window lives as long as this context
		t.Fatal(err)
	}
	b.run(network.Enable(), runtime.Enable(), chromedp.EmulateViewport(1280, 900),
		chromedp.Navigate(invitation))
	if u.Query().Has("once") { // it leads on by itself
		b.run(chromedp.WaitReady("main", chromedp.ByQuery))
	}
	return b
}

// heard keeps what the browser asks for and says.
func (b *browser) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprint(e.Args))
	}
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 2*time.Minute) // or a bug would hang
	defer stop()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.t.Fatalf("at %s: %v", b.at(), err)
	}
}

// at returns where the window is, below the base.
func (b *browser) at() (path string) {
	_ = chromedp.Run(b.ctx, chromedp.Location(&path))
	return strings.TrimPrefix(path, b.base)
}

// open goes to a path.
func (b *browser) open(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.base + path))
}

// text returns what the page says, as it is seen.
func (b *browser) text() (text string) {
	b.t.Helper()
	b.run(chromedp.Evaluate(`document.querySelector("main").innerText`, &text))
	return text
}

// press clicks on what a text names, and waits for the page that follows.
func (b *browser) press(name string) {
	b.t.Helper()
	quoted, _ := json.Marshal(name)
	var found bool
	b.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		window.old = true;
		const all = [...document.querySelectorAll("button, a, summary")];
		const it = all.find(e => e.textContent.trim() === %[1]s) ||
			all.find(e => e.textContent.trim().startsWith(%[1]s));
		if (it) it.click();
		return !!it })()`, quoted), &found))
	if !found {
		b.t.Fatalf("at %s nothing is called %q:\n%s", b.at(), name, b.text())
	}
	b.settle("the page that follows " + name)
}

// settle waits for another page than the one that was marked as old.
func (b *browser) settle(what string) {
	b.t.Helper()
	testkit.WaitFor(b.t, what, func() bool {
		var there bool // while it comes there may be nobody to ask
		err := chromedp.Run(b.ctx, chromedp.Evaluate(
			`!window.old && document.readyState === "complete"`, &there))
		return err == nil && there
	})
}

// fill types a text into a field, in place of what stands there.
func (b *browser) fill(id, text string) {
	b.t.Helper()
	// By a script: the number of a node is stale where the browser has just drawn the page anew.
	quoted, _ := json.Marshal(text)
	b.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const it = document.getElementById(%q);
		it.value = %s;
		for (const name of ["input", "change"]) it.dispatchEvent(new Event(name, {bubbles: true}));
	})()`, id, quoted), nil))
}

// says fails unless the page has each text.
func (b *browser) says(texts ...string) {
	b.t.Helper()
	page := b.text()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			b.t.Errorf("%s does not say %q:\n%s", b.at(), text, page)
		}
	}
}

// size sets the size of the window, and whether it is dark.
func (b *browser) size(width int64, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.run(chromedp.EmulateViewport(width, 900), emulation.SetEmulatedMedia().WithFeatures(
		[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// awaited makes Evaluate wait for a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// start starts memd, which ends with the test.
func (d *desk) start(args ...string) {
	d.t.Helper()
	cmd := d.command("memd", args...)
	log, err := os.Create(filepath.Join(d.home, "memd.log"))
	d.must(err)
	cmd.Stderr = log
	d.must(cmd.Start())
	d.t.Cleanup(func() {
		d.must(cmd.Process.Signal(syscall.SIGTERM))
		if err := cmd.Wait(); err != nil {
			d.t.Errorf("memd: %v", err)
		}
	})
}

// tenant asks the server for a one-time URL, as soon as it answers, and adds the code from its log.
func (d *desk) tenant(id string) (invitation string) {
	d.t.Helper()
	testkit.WaitFor(d.t, "a server", func() bool {
		out, err := d.command("memd", "page", "--yes", "--root", filepath.Join(d.home, "r"),
			"--tenant", id, "--no-open").Output()
		invitation = strings.TrimSpace(string(out))
		return err == nil
	})
	log, err := os.ReadFile(filepath.Join(d.home, "memd.log"))
	d.must(err)
	return invitation + codeOf(d.t, string(log))
}
