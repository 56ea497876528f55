package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// daemon is a memd that serves the spaces of the database.
type daemon struct {
	process *exec.Cmd
	client  *http.Client
	said    bytes.Buffer
}

// startDaemon starts a memd of a name on the database, which has a socket and copies of its own,
// and waits for its first answer.
func (l *lab) startDaemon(ctx context.Context, name string) (*daemon, error) {
	return l.startOn(ctx, name, l.url())
}

// startOn is startDaemon on any root.
func (l *lab) startOn(ctx context.Context, name, root string) (*daemon, error) {
	dir := l.path(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "s")
	d := &daemon{process: exec.CommandContext(ctx, l.memd, "serve", "--root", root,
		"--socket", socket, "--log-level", "warn")}
	d.process.Env = append(cleanEnv(), "XDG_RUNTIME_DIR="+dir, "XDG_CACHE_HOME="+dir)
	d.process.Stderr = &d.said
	d.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
	if err := d.process.Start(); err != nil {
		return nil, err
	}
	for range 2000 {
		res, err := d.client.Get("http://memd/healthz")
		if err == nil {
			res.Body.Close()
			return d, nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("memd does not answer: "+d.said.String()), d.stop())
}

func (d *daemon) stop() error {
	d.client.CloseIdleConnections()
	if err := d.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return d.process.Wait()
}

// post sends a request and returns how long its answer took.
func (d *daemon) post(ctx context.Context, path, body string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://memd/api/v1/"+path,
		strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	begin := time.Now()
	res, err := d.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	took := time.Since(begin)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s: %.300s", path, res.Status, text)
	}
	return took, err
}

// record stores one event in a space.
func (d *daemon) record(ctx context.Context, space string, i, n int) error {
	_, err := d.post(ctx, "events", fmt.Sprintf(`{"tenant_id":%q,%s}`, space,
		eventMembers(i, n)))
	return err
}

// ping asks for what costs nothing but the request.
func (d *daemon) ping(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://memd/healthz", nil)
	if err != nil {
		return err
	}
	res, err := d.client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return errors.Join(err, res.Body.Close())
}

// build asks for a bundle of the memory.
func (d *daemon) build(ctx context.Context, agent, i int, query string) (time.Duration, error) {
	return d.post(ctx, "acb/build", fmt.Sprintf(`{"tenant_id":%q,"session_id":"s%d",`+
		`"agent_id":"a%d","query_text":%q}`, memory, i%sessions, agent, query))
}
