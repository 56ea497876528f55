package harness

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Daemon is a memd that runs.
type Daemon struct {
	Process *exec.Cmd
	client  *http.Client
	stderr  bytes.Buffer
}

// StartDaemon starts a memd that listens on a socket, and waits for its first answer.
func StartDaemon(ctx context.Context, process *exec.Cmd, socket string) *Daemon {
	d := &Daemon{Process: process}
	process.Stderr = &d.stderr
	d.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
	Check(process.Start())
	for range 2000 {
		if d.Ping(ctx) == nil {
			return d
		}
		time.Sleep(5 * time.Millisecond)
	}
	d.Stop()
	Failf("memd does not answer: %s", d.stderr.String())
	return nil
}

// Stop ends the memd.
func (d *Daemon) Stop() {
	d.client.CloseIdleConnections()
	Check(d.Process.Process.Signal(os.Interrupt))
	Check(d.Process.Wait())
}

// Post sends a request and returns how long its answer took.
func (d *Daemon) Post(ctx context.Context, path, body string) time.Duration {
	req := Must(http.NewRequestWithContext(ctx, http.MethodPost, "http://memd/api/v1/"+path,
		strings.NewReader(body)))
	req.Header.Set("Content-Type", "application/json")
	begin := time.Now()
	res := Must(d.client.Do(req))
	defer res.Body.Close()
	text := Must(io.ReadAll(res.Body))
	took := time.Since(begin)
	if res.StatusCode >= 300 {
		Failf("%s: %s: %.300s", path, res.Status, text)
	}
	return took
}

// Ping sends the request that costs least.
func (d *Daemon) Ping(ctx context.Context) error {
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
