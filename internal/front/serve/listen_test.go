//go:build unix

package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/log"
)

// A socket that a dead process has left is replaced, one that somebody serves is not.
func TestSocketsThatAreThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memd.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	first := &Listeners{}
	if err := first.ListenUnix(path, time.Now()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	err = new(Listeners).ListenUnix(path, time.Now())
	if !errors.Is(err, log.ErrLocked) || !strings.Contains(err.Error(), "already served by pid ") {
		t.Errorf("%v", err)
	}
	if _, err := net.Dial("unix", path); err != nil {
		t.Errorf("the first one is gone: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestSocketsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("of value"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign, err := net.Listen("unix", filepath.Join(dir, "foreign"))
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	for path, kind := range map[string]mem.Kind{
		file:                            mem.KindInput,
		filepath.Join(dir, "foreign"):   mem.KindLocked,
		filepath.Join(dir, "none", "s"): mem.KindIO,
		filepath.Join(dir, strings.Repeat("s", 120)): mem.KindInput,
	} {
		l := &Listeners{}
		if err := l.ListenUnix(path, time.Now()); mem.KindOf(err) != kind {
			t.Errorf("%s: %v, want %s", path, err, kind)
		}
		if !l.Empty() || l.Close() != nil {
			t.Errorf("%s: something is open", path)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "of value" {
		t.Errorf("%q, %v", text, err)
	}
	if err := new(Listeners).Listen("nonsense"); mem.KindOf(err) != mem.KindInput {
		t.Errorf("%v", err)
	}
}

// A server that is stopped finishes what runs, and takes nothing more.
func TestStopFinishesWhatRuns(t *testing.T) {
	s := newTestServer(t)
	started, finish := make(chan bool), make(chan bool)
	s.mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-finish
		w.WriteHeader(http.StatusOK)
	})
	l := &Listeners{}
	path := filepath.Join(t.TempDir(), "s")
	if err := l.ListenUnix(path, time.Now()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, l) }()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
	got := make(chan int, 1)
	go func() {
		res, err := client.Get("http://mem/slow")
		if err != nil {
			t.Error(err)
			got <- 0
			return
		}
		res.Body.Close()
		got <- res.StatusCode
	}()
	<-started
	stop()
	for {
		if c, err := net.Dial("unix", path); err != nil {
			break
		} else {
			c.Close()
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("it ended before the request: %v", err)
	default:
	}
	close(finish)
	if status := <-got; status != 200 {
		t.Errorf("status %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The URL of a page begins with the scheme that the server speaks there, and with TLS with a name
// that its certificate may have.
func TestOriginOfAServer(t *testing.T) {
	for _, c := range []struct {
		listen    string
		encrypted bool
		want      string // before the port
	}{
		{"localhost:0", false, "http://127.0.0.1"},
		{"localhost:0", true, "https://localhost"},
		{"127.0.0.1:0", true, "https://127.0.0.1"},
		{":0", true, "https://localhost"},
		{"0.0.0.0:0", false, "http://localhost"},
	} {
		l := &Listeners{}
		if l.Origin() != "" {
			t.Errorf("without an address: %s", l.Origin())
		}
		if c.encrypted {
			l.tls = &tls.Config{}
		}
		if err := l.Listen(c.listen); err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(l.all[0].Addr().String())
		if got := l.Origin(); got != c.want+":"+port {
			t.Errorf("%s, encrypted %v: %s", c.listen, c.encrypted, got)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
