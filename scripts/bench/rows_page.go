package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// visitor is a browser that was let into a page.
type visitor struct {
	process *exec.Cmd
	client  *http.Client
	host    string // with its scheme
	base    string // and the secret part of the path
}

// pageRows measures the page of a store of many memories: the overview, browsing and a search, from
// the first byte of the request to the last of the answer, and how much is sent.
func pageRows(ctx context.Context, l *lab) {
	if l.memd == "" {
		l.add(row{what: "not measured: there is no memd beside mem"})
		return
	}
	root := l.store(ctx, l.sizes.large)
	v := l.visit(ctx, root)
	defer v.stop()
	// The overview, and what a browser loads with it.
	first, style := v.get(ctx, v.base+"/"), v.get(ctx, v.host+"/style.css")
	what := ", " + records(l.sizes.large)
	l.add(row{what: "the first view right after the start" + what,
		mem:  sample{{wall: first.took}},
		note: fmt.Sprintf("%d bytes sent, stylesheet included", first.bytes+style.bytes)})
	for _, page := range []struct{ name, path string }{
		{"overview", "/"}, {"newest memories", "/memories"},
		{"search, two words", "/memories?q=deploy+database"},
		{"search, with why", "/memories?why=1&q=deploy+database"}, {"injected", "/injected"},
	} {
		l.add(v.row(ctx, page.name+what, page.path, l.sizes.reps))
	}
}

// visit starts the page of a store, and is let in. The page ends with ctx if it is not.
func (l *lab) visit(ctx context.Context, root string) *visitor {
	v := &visitor{process: exec.CommandContext(ctx, l.memd, "page", "--yes", "--no-open", "--root", root)}
	v.process.Env = cleanEnv(os.Environ())
	out := harness.Must(v.process.StdoutPipe())
	harness.Check(v.process.Start())
	line := harness.Must(bufio.NewReader(out).ReadString('\n'))
	invitation := harness.Must(url.Parse(strings.TrimSpace(line)))
	v.host = "http://" + invitation.Host
	v.base, _, _ = strings.Cut(invitation.String(), "/enter")
	jar := harness.Must(cookiejar.New(nil))
	v.client = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	v.get(ctx, invitation.String())
	return v
}

func (v *visitor) stop() {
	harness.Check(v.process.Process.Signal(os.Interrupt))
	harness.Check(v.process.Wait())
}

// viewed is an answer: how long it took, and how many bytes its body had as it was sent.
type viewed struct {
	took  time.Duration
	bytes int64
}

// get asks for a page as a browser does, compressed.
func (v *visitor) get(ctx context.Context, from string) (seen viewed) {
	req := harness.Must(http.NewRequestWithContext(ctx, http.MethodGet, from, nil))
	req.Header.Set("Accept-Encoding", "gzip") // then the client leaves it as it comes
	began := time.Now()
	res := harness.Must(v.client.Do(req))
	defer res.Body.Close()
	seen.bytes = harness.Must(io.Copy(io.Discard, res.Body))
	seen.took = time.Since(began)
	if res.StatusCode >= http.StatusBadRequest {
		harness.Failf("%s: %s", from, res.Status)
	}
	return seen
}

// row measures one page many times.
func (v *visitor) row(ctx context.Context, what, path string, n int) row {
	r := row{what: what}
	for range n {
		seen := v.get(ctx, v.base+path)
		r.mem = append(r.mem, timing{wall: seen.took})
		r.note = fmt.Sprintf("%d bytes sent", seen.bytes)
	}
	return r
}
