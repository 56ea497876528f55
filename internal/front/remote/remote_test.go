package remote

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/site"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
)

// clientOf returns a client of a tenant of a test server.
func clientOf(t *testing.T, s *httptest.Server) *Client {
	t.Helper()
	return clientAt(t, s.URL+"/t1")
}

func clientAt(t *testing.T, url string) *Client {
	t.Helper()
	at, err := site.ParseAddress(url)
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
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	named := clientOf(t, s)
	named, err = NewClient(site.Address{Tenant: "t1",
		Origin: strings.Replace(named.at.Origin, "127.0.0.1", "localhost", 1)},
		Login{Token: "secret", CA: string(authority)}, "", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, err = named.Run(t.Context(), &wire.Request{})
	if mem.KindOf(err) != mem.KindRefused || !strings.Contains(err.Error(), "for another name") {
		t.Errorf("got %v for a certificate of another name", err)
	}
	_, err = NewClient(site.Address{}, Login{CA: "none"}, "", time.Now)
	if !errors.Is(err, errCA) {
		t.Errorf("got %v for a file without a certificate", err)
	}
}

// What a person can do about a refusal is in its hint, and a command that was not sent is not
// "unknown".
func TestRefusalsNameTheRemedy(t *testing.T) {
	t.Parallel()
	answer := func(status int, message string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"code":"refused","message":%q}}`, message)
		}))
		t.Cleanup(s.Close)
		return s
	}
	plain := clientOf(t, answer(http.StatusOK, ""))
	plain.at.Origin = strings.Replace(plain.at.Origin, "http:", "https:", 1)
	stale := answer(http.StatusUnauthorized, "no")
	other := answer(http.StatusForbidden, "tenant_id: no")
	for _, c := range []struct {
		client    *Client
		why, hint string
	}{
		{plain, "it speaks http", "--tls-cert"},
		{clientOf(t, stale), "not valid", "token add t1 --agent NAME --root DIR"},
		{clientOf(t, stale).As("p"), "not valid", "token add t1 --person --root DIR"},
		{clientOf(t, other), "for another tenant", "token add t1 --agent NAME --root DIR"},
	} {
		_, err := c.client.Run(t.Context(), &wire.Request{})
		hint := mem.AdviceOf(err).String()
		if mem.KindOf(err) != mem.KindRefused || !strings.Contains(err.Error(), c.why) ||
			!strings.Contains(hint, c.hint) {
			t.Errorf("got %v, hint %q, want %q and %q", err, hint, c.why, c.hint)
		}
	}
}

func TestLostAnswerIsNotRunAgain(t *testing.T) {
	t.Parallel()
	var runs, sent atomic.Int32
	kept := newOnce(time.Now)
	kept.began = time.Now().Add(-tryFor)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply, err := kept.run("t", r.Header.Get(keyHeader), nil, r.Header.Get(retryHeader) > "0",
			func() (wire.Reply, error) { runs.Add(1); return wire.Reply{Exit: 7}, nil })
		if sent.Add(1) == 1 {
			panic(http.ErrAbortHandler) // the answer is lost
		}
		if err != nil {
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

func TestOnce(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	kept := newOnce(func() time.Time { return now })
	runs := 0
	run := func() (wire.Reply, error) { runs++; return wire.Reply{Exit: 3}, io.ErrUnexpectedEOF }
	if _, err := kept.run("t", "k", nil, true, run); !errors.Is(err, errLost) || runs != 0 {
		t.Errorf("got %v after %d runs for a request from before the start", err, runs)
	}
	for range 2 { // an error is an answer too
		reply, err := kept.run("t", "k", nil, false, run)
		if reply.Exit != 3 || !errors.Is(err, io.ErrUnexpectedEOF) || runs != 1 {
			t.Errorf("got %v, %v after %d runs", reply, err, runs)
		}
	}
	if _, err := kept.run("t", "k", []byte("x"), false, run); !errors.Is(err, errKey) || runs != 1 {
		t.Errorf("got %v after %d runs for another request", err, runs)
	}
	large := func() (wire.Reply, error) {
		return wire.Reply{Printed: []wire.Piece{{Text: make([]byte, keepOne-100)}}}, nil
	}
	_, _ = kept.run("t", "first", nil, false, large)
	for i := range keepBytes/keepOne + 2 {
		_, _ = kept.run("another", strconv.Itoa(i), nil, false, large)
	}
	for _, key := range []string{"k", "first"} {
		if _, err := kept.run("t", key, nil, true, run); errors.Is(err, errLost) || runs != 1 {
			t.Errorf("got %v after %d runs beside answers of another tenant", err, runs)
		}
	}
	for i := range keepBytes/keepOne + 2 {
		_, _ = kept.run("t", strconv.Itoa(i), nil, false, large)
	}
	if _, err := kept.run("t", "k", nil, true, run); !errors.Is(err, errLost) || runs != 1 {
		t.Errorf("got %v after %d runs for an answer that gave way", err, runs)
	}
	now = now.Add(tryFor)
	if _, _ = kept.run("t", "k", nil, true, run); runs != 2 || len(kept.byKey) != 1 {
		t.Errorf("%d runs and %d answers, want 2 and 1", runs, len(kept.byKey))
	}
}

func TestAnswersOfOthers(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]mem.Kind{"{}": mem.KindIO, "null": mem.KindIO,
		"\n\n" + `{"error":{"code":"locked","message":"busy"}}`: mem.KindLocked,
		// A code that no error has, or none of this version, is no success and no bug of mem.
		`{"error":{"code":"done","message":"x"}}`:  mem.KindIO,
		`{"error":{"code":"newer","message":"x"}}`: mem.KindIO,
		`{"exit":256}`: mem.KindIO, "<html>": mem.KindIO, `{"exit":0}`: mem.KindDone} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, text)
		}))
		if _, err := clientOf(t, s).Run(t.Context(), &wire.Request{}); mem.KindOf(err) != kind {
			t.Errorf("%s: got %v, want %s", text, err, kind)
		}
		s.Close()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer s.Close()
	_, err := clientOf(t, s).Run(t.Context(), &wire.Request{})
	if mem.KindOf(err) != mem.KindUnknown {
		t.Errorf("got %v of a balancer, want unknown", err)
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
	address := func(url string) site.Address {
		at, err := site.ParseAddress(url)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	l := LoginsIn(dir, func(string) string { return "" })
	for _, one := range []struct{ url, token, ca string }{{"https://a/t1", "1", ""},
		{"https://b/t1", "2", "pem"}, {"https://b/t2", "3", ""}, {"https://a/t1", "4", ""}} {
		at := address(one.url)
		err := l.Put(t.Context(), Login{URL: at.URL(), Origin: at.Origin, Token: one.token,
			CA: one.ca})
		if err != nil {
			t.Fatal(err)
		}
	}
	fi, err := os.Stat(l.Path())
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want mode 0600", fi, err)
	}
	text := "# team\nhttps://B:443 5\nhttp://127.0.0.1:80 6\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	with := LoginsIn(dir, func(string) string { return file })
	for _, c := range []struct {
		in             *Logins
		url, token, ca string
	}{{l, "https://a/t1", "4", ""}, {l, "https://b/t1", "2", "pem"},
		{l, "https://b/t2", "3", "pem"},
		{l, "https://b/t3", "", "pem"}, {l, "https://a:8443/t1", "", ""},
		{with, "https://b/t1", "5", "pem"}, {with, "https://a/t1", "4", ""},
		{with, "http://127.0.0.1/t1", "6", ""}} {
		got, err := c.in.Of(address(c.url))
		if err != nil || got.Token != c.token || got.CA != c.ca {
			t.Errorf("%s: got %+v, %v, want %q", c.url, got, err, c.token)
		}
	}
	if was, err := l.Remove(t.Context(), address("https://a/t1")); !was || err != nil {
		t.Errorf("got %t, %v", was, err)
	}
	if err := os.WriteFile(file, []byte("https://a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := with.Of(address("https://a/t1")); err == nil {
		t.Error("a line without a token is no error")
	}
}

func TestLongFile(t *testing.T) {
	t.Parallel()
	r := &wire.Request{}
	long := io.LimitReader(zeros{}, wire.MaxInput+1)
	if err := r.Add("c", long); !errors.Is(err, wire.ErrTooLong) {
		t.Errorf("got %v for a file that is too long", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
