package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/test/storetest"
)

// testServer is a server with its own root, in this process. Its memories pass a full fsck at the
// end.
type testServer struct {
	*Server
	t      *testing.T
	web    *httptest.Server
	unix   *http.Client
	logged *buffer

	mu        sync.Mutex
	compacted []string
}

// buffer takes what goroutines write.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newTestServer(t *testing.T, change ...func(*Options)) *testServer {
	t.Helper()
	root, err := MakeRoot(filepath.Join(storetest.Dir(t), "root"))
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{t: t, logged: &buffer{}}
	o := Options{
		Clock: time.Now, Store: mem.Options{Now: time.Now, LockWait: mem.DefaultLockWait},
		Log: slog.New(logline.New(s.logged, logline.Options{Level: slog.LevelInfo, Now: time.Now})),
		Compact: func(_ context.Context, root string, _ bool) (bool, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.compacted = append(s.compacted, root)
			return false, nil
		},
	}
	for _, fn := range change {
		fn(&o)
	}
	s.Server = New(root, o)
	s.serve()
	return s
}

// serve serves over TCP and over a unix socket until the test ends.
func (s *testServer) serve() {
	s.web = httptest.NewUnstartedServer(nil)
	s.web.Config = s.httpServer()
	s.web.Start()
	l := &Listeners{}
	socket := filepath.Join(s.root.path, SocketFile)
	if err := l.ListenUnix(socket, time.Now()); err != nil {
		s.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, l) }()
	s.unix = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	s.t.Cleanup(func() {
		s.unix.CloseIdleConnections()
		s.web.Close()
		stop()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
		s.noTurns()
		s.check()
	})
}

// check is a full fsck of every memory.
func (s *testServer) check() {
	s.t.Helper()
	roots, err := filepath.Glob(filepath.Join(s.root.path, tenantsDir, "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, root := range roots {
		fsckAll(s.t, root)
	}
}

func fsckAll(t *testing.T, root string) {
	t.Helper()
	store, err := mem.Open(root, mem.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rep, err := store.Fsck(context.Background(), mem.Caller{}, mem.FsckOptions{})
	if err != nil || len(rep.Found) > 0 {
		t.Errorf("fsck of %s: %+v, %v", root, rep.Found, err)
	}
}

// answer is what a request got.
type answer struct {
	status int
	body   string
	header http.Header
}

// json returns the body as a value.
func (a answer) json(t *testing.T) (v object) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		t.Fatalf("%d %q: %v", a.status, a.body, err)
	}
	return v
}

// code returns the code of an error.
func (a answer) code(t *testing.T) string {
	t.Helper()
	failure, _ := a.json(t)["error"].(object)
	code, _ := failure["code"].(string)
	return code
}

// ask asks over the unix socket.
func (s *testServer) ask(method, path, body string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, "http://mem"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(s.unix, r)
}

// askTCP asks over TCP, with a token unless it is "". change may change the request.
func (s *testServer) askTCP(token, method, path, body string,
	change ...func(*http.Request)) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.web.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, fn := range change {
		fn(r)
	}
	return s.do(s.web.Client(), r)
}

func (s *testServer) do(c *http.Client, r *http.Request) answer {
	s.t.Helper()
	res, err := c.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, string(body), res.Header}
}

// token makes a token.
func (s *testServer) token(tenant string, agents ...string) (id, secret string) {
	s.t.Helper()
	token, secret, err := s.tokens.Add(s.t.Context(), Token{Tenant: tenant, Agents: agents})
	if err != nil {
		s.t.Fatal(err)
	}
	return token.ID, secret
}

const aMessage = `{"tenant_id":"t1","session_id":"s1","channel":"private","kind":"message",` +
	`"actor":{"type":"human","id":"ada"},"content":{"text":"the project is about dentists"}}`
