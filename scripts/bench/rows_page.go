package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
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
func pageRows(ctx context.Context, l *lab) (rows []row, err error) {
	if l.memd == "" {
		return []row{{what: "not measured: there is no memd beside mem"}}, nil
	}
	root, err := l.store(ctx, l.sizes.large)
	if err != nil {
		return nil, err
	}
	v, err := l.visit(ctx, root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.stop()) }()
	first, style, err := v.firstView(ctx)
	if err != nil {
		return nil, err
	}
	what := ", " + records(l.sizes.large)
	rows = append(rows, row{what: "the first view right after the start" + what,
		mem:  sample{{wall: first.took}},
		note: fmt.Sprintf("%d bytes sent, stylesheet included", first.bytes+style.bytes)})
	for _, page := range []struct{ name, path string }{
		{"overview", "/"}, {"newest memories", "/memories"},
		{"search, two words", "/memories?q=deploy+database"},
		{"search, with why", "/memories?why=1&q=deploy+database"}, {"injected", "/injected"},
	} {
		r, err := v.row(ctx, page.name+what, page.path, l.sizes.reps)
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// visit starts the page of a store, and is let in.
func (l *lab) visit(ctx context.Context, root string) (*visitor, error) {
	v := &visitor{process: exec.CommandContext(ctx, l.memd, "page", "--yes", "--no-open", "--root", root)}
	v.process.Env = cleanEnv(os.Environ())
	out, err := v.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.process.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, v.stop())
	}
	invitation, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		return nil, errors.Join(err, v.stop())
	}
	v.host = "http://" + invitation.Host
	v.base, _, _ = strings.Cut(invitation.String(), "/enter")
	jar, err := cookiejar.New(nil)
	v.client = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	if err == nil {
		_, err = v.get(ctx, invitation.String())
	}
	if err != nil {
		return nil, errors.Join(err, v.stop())
	}
	return v, nil
}

func (v *visitor) stop() error {
	if err := v.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return v.process.Wait()
}

// viewed is an answer: how long it took, and how many bytes its body had as it was sent.
type viewed struct {
	took  time.Duration
	bytes int64
}

// get asks for a page as a browser does, compressed.
func (v *visitor) get(ctx context.Context, from string) (seen viewed, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return seen, err
	}
	req.Header.Set("Accept-Encoding", "gzip") // then the client leaves it as it comes
	began := time.Now()
	res, err := v.client.Do(req)
	if err != nil {
		return seen, err
	}
	defer res.Body.Close()
	seen.bytes, err = io.Copy(io.Discard, res.Body)
	seen.took = time.Since(began)
	if res.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s: %s", from, res.Status)
	}
	return seen, err
}

// firstView is the overview and what a browser loads with it.
func (v *visitor) firstView(ctx context.Context) (page, style viewed, err error) {
	if page, err = v.get(ctx, v.base+"/"); err == nil {
		style, err = v.get(ctx, v.host+"/style.css")
	}
	return page, style, err
}

// row measures one page many times.
func (v *visitor) row(ctx context.Context, what, path string, n int) (row, error) {
	r := row{what: what}
	for range n {
		seen, err := v.get(ctx, v.base+path)
		if err != nil {
			return r, err
		}
		r.mem = append(r.mem, timing{wall: seen.took})
		r.note = fmt.Sprintf("%d bytes sent", seen.bytes)
	}
	return r, nil
}
