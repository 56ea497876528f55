package harness

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
func StartDaemon(ctx context.Context, process *exec.Cmd, socket string) (*Daemon, error) {
	d := &Daemon{Process: process}
	process.Stderr = &d.stderr
	d.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
	if err := process.Start(); err != nil {
		return nil, err
	}
	for range 2000 {
		if d.Ping(ctx) == nil {
			return d, nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("memd does not answer: "+d.stderr.String()), d.Stop())
}

// Stop ends the memd.
func (d *Daemon) Stop() error {
	d.client.CloseIdleConnections()
	if err := d.Process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return d.Process.Wait()
}

// Post sends a request and returns how long its answer took.
func (d *Daemon) Post(ctx context.Context, path, body string) (time.Duration, error) {
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
