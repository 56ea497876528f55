package remote

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/wire"
)

// clientOf returns a client of a tenant of a test server.
func clientOf(t *testing.T, s *httptest.Server) *Client {
	t.Helper()
	at, err := wire.Parse(s.URL + "/t1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(at, Login{Token: "secret"}, "", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNoTokenAfterRedirect(t *testing.T) {
	t.Parallel()
	var seen atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		seen.Add(1)
	}))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	_, err := clientOf(t, first).Run(t.Context(), &wire.Request{})
	if mem.KindOf(err) != mem.KindRefused || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("got %v, want a refusal", err)
	}
	if seen.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	defer s.Close()
	_, err := clientOf(t, s).Run(t.Context(), &wire.Request{})
	if mem.KindOf(err) != mem.KindRefused || asked.Load() != 0 {
		t.Errorf("got %v after %d requests, want a refusal before any", err, asked.Load())
	}
	_, err = NewClient(wire.Address{}, Login{CA: "none"}, "", time.Now)
	if !errors.Is(err, errCA) {
		t.Errorf("got %v for a file without a certificate", err)
	}
}

func TestLostAnswerIsNotRunAgain(t *testing.T) {
	t.Parallel()
	var runs, sent atomic.Int32
	kept := newOnce(time.Now)
	kept.began = time.Now().Add(-keepFor)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply, ok := kept.run(r.Header.Get(keyHeader), r.Header.Get(retryHeader) > "0",
			func() wire.Reply { runs.Add(1); return wire.Reply{Exit: 7} })
		if sent.Add(1) == 1 {
			panic(http.ErrAbortHandler) // the answer is lost
		}
		if !ok {
			t.Error("the answer to the first try was forgotten")
		}
		_ = json.NewEncoder(w).Encode(reply)
	}))
	defer s.Close()
	reply, err := clientOf(t, s).Run(t.Context(), &wire.Request{})
	if err != nil || reply.Exit != 7 || runs.Load() != 1 || sent.Load() != 2 {
		t.Errorf("got %v, %v after %d runs of %d", reply, err, runs.Load(), sent.Load())
	}
}

func TestRetryAfterRestartIsUnknown(t *testing.T) {
	t.Parallel()
	kept := newOnce(time.Now)
	run := func() wire.Reply { return wire.Reply{Exit: 3} }
	if reply, ok := kept.run("k", true, run); ok || reply.Exit != 0 {
		t.Error("a request from before the start was run")
	}
	if _, ok := kept.run("k", false, run); !ok {
		t.Error("a first try was not run")
	}
}

func TestOnceForgets(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	kept := newOnce(func() time.Time { return now })
	runs := 0
	run := func() wire.Reply { runs++; return wire.Reply{} }
	kept.run("a", false, run)
	kept.run("a", false, run)
	now = now.Add(keepFor)
	kept.run("a", false, run)
	if runs != 2 || len(kept.byKey) != 1 {
		t.Errorf("%d runs and %d answers, want 2 and 1", runs, len(kept.byKey))
	}
}

func TestServerThatIsGone(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	c := clientOf(t, s)
	s.Close()
	if _, err := c.Run(t.Context(), &wire.Request{}); mem.KindOf(err) != mem.KindIO {
		t.Errorf("got %v of kind %s, want io: nothing was sent", err, mem.KindOf(err))
	}
}

func TestLogins(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	file := filepath.Join(t.TempDir(), "tokens")
	l := LoginsIn(dir, func(string) string { return "" })
	for _, one := range []Login{{Origin: "https://a", Token: "1"},
		{Origin: "https://b", Token: "2"}, {Origin: "https://a", Token: "3"}} {
		if err := l.Put(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	fi, err := os.Stat(l.Path())
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want mode 0600", fi, err)
	}
	text := "# team\nhttps://B:443 4\nhttp://127.0.0.1:80 5\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	with := LoginsIn(dir, func(string) string { return file })
	for _, c := range []struct {
		in     *Logins
		origin string
		want   string
	}{{l, "https://a", "3"}, {l, "https://b", "2"}, {l, "http://a", ""}, {l, "https://a:8443", ""},
		{with, "https://b", "4"}, {with, "https://a", "3"}, {with, "http://127.0.0.1", "5"}} {
		if got, err := c.in.Of(c.origin); err != nil || got.Token != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.origin, got.Token, err, c.want)
		}
	}
	if was, err := l.Remove(t.Context(), "https://a"); !was || err != nil {
		t.Errorf("got %t, %v", was, err)
	}
	if err := os.WriteFile(file, []byte("https://a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := with.Of("https://a"); err == nil {
		t.Error("a line without a token is no error")
	}
}

func TestAskedFiles(t *testing.T) {
	t.Parallel()
	r := &wire.Request{Args: wire.Bytes([]string{"set", "/k", "@a.json", "--source=@b", "c"})}
	for name, want := range map[string]bool{"a.json": true, "b": true, "c": true, "-": true,
		"/etc/passwd": false, "json": false, "": false} {
		if got := r.Names(name); got != want {
			t.Errorf("%q: got %t", name, got)
		}
	}
	long := io.LimitReader(zeros{}, wire.MaxInput+1)
	if err := r.Add("c", long); !errors.Is(err, wire.ErrTooLong) {
		t.Errorf("got %v for a file that is too long", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
