package main

import (
	"bytes"
	"fmt"
	"html"
	"image/png"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/set-memory/mem/internal/test/testkit"
)

// screens are the pictures in docs/terminal: what a person sees of these commands on 80 columns.
var screens = []struct {
	name     string
	commands []string
}{
	{"browse", []string{"ls /project --limit 8", "notes", "ls --pinned", "get /project/db/prot"}},
	{"search", []string{"search database port", "search --why database port --limit 2"}},
	{"history", []string{"history /project/db/port", "diff /project/db/port"}},
	{"told", []string{"injections --limit 2", "cost --by client"}},
	{"health", []string{"doctor"}},
}

// terminalPage shows a terminal: what was typed and answered, in the colours of most terminals.
const terminalPage = `<meta charset="utf-8"><style>
body { margin: 0; background: #1e1e1e }
pre { margin: 0; padding: 12px; width: 80ch; color: #d4d4d4; background: #1e1e1e;
	white-space: pre-wrap; word-break: break-all;
	font: 14px/18px "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace }
b { color: #fff } .s2 { color: #8a8a8a } .s31 { color: #f48771 } .s32 { color: #89d185 }
.s33 { color: #e2c08d } .s36 { color: #75beff } .s1 { font-weight: bold } .s4 { text-decoration: underline }
</style><pre>%s</pre>`

// Pictures are taken anew with MEM_SHOTS=DIR. Else it is only looked at whether they can be, and
// that nothing is wider than the terminal.
func TestTerminalShots(t *testing.T) {
	d := newDesk(t)
	d.furnish()
	d.mem("note", "Never push to main", "--pin")
	d.mem("note", "The staging port is 5435, behind the proxy of the office", "--tag", "infra")
	b := window(t, chromium(t), d.serve())
	for _, screen := range screens {
		var shown strings.Builder
		for _, command := range screen.commands {
			fmt.Fprintf(&shown, "<b>$ mem %s</b>\n%s", html.EscapeString(command),
				d.onTerminal(t, command))
		}
		b.size(720, false)
		var over bool
		var picture []byte
		b.run(chromedp.Navigate("data:text/html;charset=utf-8,"+
			url.PathEscape(fmt.Sprintf(terminalPage, shown.String()))),
			chromedp.Evaluate(fmt.Sprintf(hideHome, d.home), nil),
			chromedp.Evaluate(`document.documentElement.scrollWidth > innerWidth`, &over),
			chromedp.Screenshot("pre", &picture, chromedp.ByQuery))
		if _, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || over {
			t.Errorf("%s: %v, too wide: %v", screen.name, err, over)
		}
		if dir := os.Getenv("MEM_SHOTS"); dir != "" {
			d.must(os.WriteFile(filepath.Join(dir, screen.name+".png"), picture, 0o644))
		}
	}
}

// onTerminal returns what a terminal of 80 columns shows of a command, as HTML.
func (d *desk) onTerminal(t *testing.T, command string) string {
	master, slave := testkit.Terminal(t, 80)
	cmd := d.command("mem", strings.Fields(command)...)
	cmd.Env = append(cmd.Env, "TERM=xterm", "PAGER=cat", "TZ=UTC")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	d.must(cmd.Start())
	slave.Close()
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, master) // it ends in an error when nobody has the terminal any more
	_ = cmd.Wait()                 // what it exits with is another test's
	return asHTML(strings.ReplaceAll(shown.String(), "\r\n", "\n"))
}

// sgr is what sets the style of what follows on a terminal.
var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// asHTML returns a terminal's text with its styles as classes.
func asHTML(text string) string {
	var out strings.Builder
	open, at := false, 0
	for _, m := range sgr.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(html.EscapeString(text[at:m[0]]))
		if at = m[1]; open {
			out.WriteString("</span>")
		}
		style := text[m[2]:m[3]]
		if open = style != "" && style != "0"; open {
			out.WriteString(`<span class="s` + strings.ReplaceAll(style, ";", " s") + `">`)
		}
	}
	out.WriteString(html.EscapeString(text[at:]))
	if open {
		out.WriteString("</span>")
	}
	return out.String()
}
