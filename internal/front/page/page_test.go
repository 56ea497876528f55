package page_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/page"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

const (
	host  = "127.0.0.1:8700"
	start = "2026-02-22T10:00:00Z"
)

// site is a page of a user's store and a project's, and a browser that was let in.
type one struct {
	t      *testing.T
	page   *page.Page
	base   string // of the session's paths
	home   string
	now    atomic.Int64 // ns since 1970; readers run beside each other
	cookie *http.Cookie
	token  string
	layers *layers.Layers // of the test
	inbox  *inbox.Inbox
}

func newSite(t *testing.T) *one {
	t.Helper()
	now, err := time.Parse(time.RFC3339, start)
	s := &one{t: t, home: t.TempDir()}
	s.now.Store(now.UnixNano())
	s.must(err)
	t.Setenv("HOME", s.home)
	s.must(os.MkdirAll(filepath.Join(s.home, "shop", ".git"), 0o700))
	s.must(os.WriteFile(filepath.Join(s.home, "shop", ".git", "HEAD"), []byte("ref: x\n"), 0o600))
	s.layers = s.find()
	s.inbox = inbox.In(filepath.Join(s.home, "state", "mem"), s.clock)
	s.page, err = page.New(page.Options{
		Find: func() (*layers.Layers, error) { return s.find(), nil }, Now: s.clock, Clock: s.clock,
		Health: s.health, Inbox: s.inbox,
		IsKnown: func(name string) bool { return name == host },
		Caller:  mem.Caller{Channel: "page"}, Log: slog.New(slog.DiscardHandler),
	})
	s.must(err)
	t.Cleanup(s.close)
	s.enter()
	return s
}

// enter lets the browser in, as its user does who opens the URL.
func (s *one) enter() {
	s.t.Helper()
	s.cookie = nil
	path, once, _ := strings.Cut(s.page.Invite(), "/enter")
	s.base = path
	in := s.ask("GET", "/enter"+once, nil)
	if in.Code != http.StatusOK || in.Header().Get("Refresh") != "0; url="+path+"/" {
		s.t.Fatalf("the invitation: %d to %q", in.Code, in.Header().Get("Refresh"))
	}
	s.cookie = in.Result().Cookies()[0]
	s.token = regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(s.get("/"))[1]
}

// close ends with a full check of both stores.
func (s *one) close() {
	s.must(s.page.Close())
	for _, site := range s.layers.Sites.List() {
		store := s.store(site.Layer)
		if !store.Exists() {
			continue
		}
		rep, err := store.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
		if err != nil || len(rep.Found) > 0 {
			s.t.Errorf("fsck of %s: %v, %+v", site.Layer, err, rep.Found)
		}
	}
	s.must(s.layers.Close())
}

// clock is later at each call, as a clock is.
func (s *one) clock() time.Time {
	return time.Unix(0, s.now.Add(int64(time.Millisecond))).UTC()
}

// health says how the project's store is.
func (s *one) health(context.Context) []doctor.Check {
	return doctor.Diagnose(s.store(site.Project).Path(), mem.Options{Now: s.clock})
}

func (s *one) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *one) find() *layers.Layers {
	getenv := func(name string) string {
		return map[string]string{"XDG_DATA_HOME": s.home + "/data",
			"XDG_STATE_HOME": s.home + "/state"}[name]
	}
	sites, err := site.Find("", filepath.Join(s.home, "shop"), getenv)
	s.must(err)
	return layers.New(sites, func(*site.Site) mem.Options { return mem.Options{Now: s.clock} })
}

// store returns the store of a layer, as somebody else has it open.
func (s *one) store(name string) *mem.Store {
	s.t.Helper()
	at, err := s.layers.Site(name)
	s.must(err)
	store, err := s.layers.Open(at)
	s.must(err)
	return store
}

// put stores a memory in a layer, and returns its ts.
func (s *one) put(name, key, content, source string, o mem.SetOptions) log.Stamp {
	s.t.Helper()
	out, err := s.store(name).Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse(key),
		Content: []byte(content), Source: []byte(source)}, o)
	s.must(err)
	return out.TS
}

const someone = `{"kind":"agent","name":"codex","locator":{"url":"https://x.example/doc"},"retrieved_at":"2026-02-22"}`

func (s *one) set(key, content string) log.Stamp {
	s.t.Helper()
	return s.put(site.Project, key, content, someone, mem.SetOptions{})
}

func (s *one) content(name, key string) string {
	s.t.Helper()
	rec, err := s.store(name).Get(ctx, mem.Caller{}, s.named(name, key), true)
	if err != nil {
		return ""
	}
	return string(rec.Content)
}

// named returns the key of a memory, or of the note that a short id means; that of a memory of no
// such id where there is none.
func (s *one) named(name, key string) keypath.Key {
	found, err := note.Resolve(ctx, s.store(name), mem.Caller{}, key)
	if err != nil {
		return keypath.MustParse("/" + key)
	}
	return found
}

// ask sends a request as the browser does; change makes it another one.
func (s *one) ask(method, path string, form url.Values,
	change ...func(*http.Request)) *httptest.ResponseRecorder {
	s.t.Helper()
	path = s.base + strings.TrimPrefix(path, s.base)
	r := httptest.NewRequest(method, "http://"+host+path, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+host)
	}
	if s.cookie != nil {
		r.AddCookie(s.cookie)
	}
	for _, fn := range change {
		fn(r)
	}
	w := httptest.NewRecorder()
	s.page.ServeHTTP(w, r)
	return w
}

// get returns a page, which must be there.
func (s *one) get(path string) string {
	s.t.Helper()
	w := s.ask("GET", path, nil)
	if w.Code != http.StatusOK {
		s.t.Fatalf("GET %s: %d: %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// post sends a form of names and values, and returns the answer.
func (s *one) post(path string, pairs ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	form := url.Values{"token": {s.token}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return s.ask("POST", path, form)
}

// done sends a form that must be accepted, and returns the page that follows.
func (s *one) done(path string, pairs ...string) string {
	s.t.Helper()
	w := s.post(path, pairs...)
	if w.Code != http.StatusSeeOther {
		s.t.Fatalf("POST %s %q: %d: %s", path, pairs, w.Code, w.Body)
	}
	return s.get(w.Header().Get("Location"))
}

// has fails unless a page has each text.
func (s *one) has(doc string, texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if !strings.Contains(doc, text) {
			s.t.Errorf("no %q in:\n%s", text, doc)
		}
	}
}

func TestWhatEveryAnswerSays(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/style.css", "/nothing", "/memory?key=x"} {
		h := s.ask("GET", path, nil).Header()
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; " +
				"script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
			"Cache-Control": "no-store",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
}

// A store in use that cannot be opened is why there is no page, and not a page of nothing.
func TestStoreThatCannotBeOpened(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "log")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sites := site.Sites{One: &site.Site{Root: file}}
	_, err := page.New(page.Options{Find: func() (*layers.Layers, error) {
		return layers.New(sites, func(*site.Site) mem.Options { return mem.Options{} }), nil
	}, Now: time.Now, Clock: time.Now})
	if err == nil {
		t.Error("it shows a store that is none")
	}
}

func TestWhoComesIn(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"text":"zanzibar"}`)
	form := url.Values{"token": {s.token}, "key": {"/project/a"}}
	for name, tc := range map[string]struct {
		method, path string
		form         url.Values
		change       func(*http.Request)
		want         int
	}{
		"no cookie": {"GET", "/", nil, func(r *http.Request) { r.Header.Del("Cookie") }, 401},
		"another cookie": {"GET", "/memory?key=/project/a", nil, func(r *http.Request) {
			r.Header.Set("Cookie", "mem_page=abc")
		}, 401},
		"another host": {"GET", "/", nil, func(r *http.Request) { r.Host = "evil.example:8700" },
			403},
		"another port": {"GET", "/", nil, func(r *http.Request) { r.Host = "127.0.0.1:1" }, 403},
		"another origin": {"POST", "/memory/forget", form,
			func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		"origin null": {"POST", "/memory/forget", form,
			func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"no token": {"POST", "/memory/forget", url.Values{"key": {"/project/a"}}, nil, 403},
		"token in the query": {"POST", "/memory/forget?token=" + s.token,
			url.Values{"key": {"/project/a"}}, nil, 403},
		"GET of what writes": {"GET", "/memory/forget?key=/project/a", nil, nil, 404},
		"a used invitation": {"GET", "/enter?once=" + strings.Repeat("x", 43), nil,
			func(r *http.Request) { r.Header.Del("Cookie") }, 401},
		"not a form": {"POST", "/memory/forget", form,
			func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 403},
	} {
		change := tc.change
		if change == nil {
			change = func(*http.Request) {}
		}
		w := s.ask(tc.method, tc.path, tc.form, change)
		if w.Code != tc.want || strings.Contains(w.Body.String(), "zanzibar") {
			t.Errorf("%s: %d, want %d: %s", name, w.Code, tc.want, w.Body)
		}
	}
	if s.content("project", "/project/a") == "" {
		t.Error("it was forgotten all the same")
	}
}

// Browsers send a cookie to every port of an address, where another user of the machine may listen.
func TestCookieStaysOnItsPort(t *testing.T) {
	s := newSite(t)
	jar, err := cookiejar.New(nil)
	s.must(err)
	at := func(port, path string) *url.URL {
		return &url.URL{Scheme: "http", Host: "127.0.0.1:" + port, Path: path}
	}
	jar.SetCookies(at("8700", s.base+"/enter"), []*http.Cookie{s.cookie})
	if len(jar.Cookies(at("8700", s.base+"/memories"))) != 1 {
		t.Error("the page gets no cookie")
	}
	for _, path := range []string{"/", "/enter", "/memories", "/style.css"} {
		if got := jar.Cookies(at("8701", path)); len(got) > 0 {
			t.Errorf("another port gets %v for %s", got, path)
		}
		r := httptest.NewRequest("GET", at("8700", path).String(), nil)
		r.AddCookie(s.cookie)
		w := httptest.NewRecorder()
		s.page.ServeHTTP(w, r)
		if strings.Contains(w.Body.String(), s.base) || w.Code == http.StatusOK &&
			path != "/style.css" {
			t.Errorf("%s without the secret path: %d: %s", path, w.Code, w.Body)
		}
	}
}

func TestSignOut(t *testing.T) {
	s := newSite(t)
	if w := s.post("/leave"); w.Code != http.StatusUnauthorized {
		t.Fatalf("leave: %d", w.Code)
	}
	if w := s.ask("GET", "/", nil); w.Code != http.StatusUnauthorized {
		t.Errorf("after leaving: %d", w.Code)
	}
}

// own is the script of the page.
var own = regexp.MustCompile(`<script src="/script\.js\?v=[0-9a-f]+" defer></script>`)

// Whatever stands in a memory, it is text.
func TestScriptInEveryFieldIsText(t *testing.T) {
	s := newSite(t)
	const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	quoted := `"\u003cscript>alert(1)</script>\"'><img src=x onerror=alert(1)>"`
	content := `{"type":` + quoted + `,"summary":` + quoted + `,"text":` + quoted + `,"tags":[` +
		quoted + `],"superseded_by":` + quoted + `,` + quoted + `:1}`
	source := `{"kind":"agent","name":` + quoted +
		`,"locator":{"url":"https://x.example/doc?<script>"},` +
		`"note":` + quoted + `,"retrieved_at":"2026-02-22"}`
	key := "/kb/" + strings.ReplaceAll(evil, "/", "")
	s.put("project", key, content, source, mem.SetOptions{})
	s.put("project", "/kb/b", content, `{"kind":"agent","name":`+quoted+`}`,
		mem.SetOptions{Quarantine: true})
	s.put("project", "/kb/b", content, source, mem.SetOptions{})
	s.put("project", "/project/twin", `{"text":`+quoted+`}`, source, mem.SetOptions{})
	s.put("project", "/project/twin2", `{"text":`+quoted+`}`, source, mem.SetOptions{})
	_, err := journal.Save(ctx, s.store("user"), mem.Caller{}, journal.Core, evil,
		journal.Options{Agent: "ada"})
	s.must(err)
	_, err = proposal.Add(ctx, s.store("user"), mem.Caller{Client: evil, Session: evil},
		proposal.Change{Verb: evil, Key: keypath.MustParse("/rules/" + key[4:]),
			Content: []byte(content)})
	s.must(err)
	q := url.QueryEscape
	at := "?in=project&key=" + q(key)
	s.has(s.done("/memory/edit", "in", "project", "key", key, "ts", s.ts(key), "json",
		strings.Replace(content, `"type"`, `"kind"`, 1)), "Memory saved")
	paths := []string{"/", "/memories", "/memories?why=1&q=" + q("alert "+evil),
		"/memories?prefix=" + q("/kb"), "/memory" + at, "/memory/edit" + at, "/memory/purge" + at,
		"/memory/diff" + at + "&from=" + q(s.ts(key)) + "&to=" + q(s.ts(key)), "/review",
		"/review/audit", "/review/trust", "/injected?conversation=" + q(evil),
		"/agents", "/agents/ada",
		"/agents/" + url.PathEscape(evil), "/health", "/memory?key=" + q(evil), "/memories?q=" +
			q(`"`+evil)}
	for _, path := range paths {
		doc := own.ReplaceAllString(s.ask("GET", path, nil).Body.String(), "")
		if strings.Contains(doc, "<script") || strings.Contains(doc, "<img") ||
			strings.Contains(doc, "onerror=alert(1)>\"") {
			t.Errorf("%s has an element of a memory:\n%s", path, doc)
		}
	}
	s.has(html.UnescapeString(s.get("/memory"+at)), evil)
	w := s.post("/memory/purge", "in", "project", "key", key, "reason", "asked <script>")
	if strings.Contains(own.ReplaceAllString(w.Body.String(), ""), "<script") ||
		w.Code != http.StatusOK {
		t.Errorf("purged: %d: %s", w.Code, w.Body)
	}
}

// ts returns the ts of the newest version of a key of the project.
func (s *one) ts(key string) string {
	s.t.Helper()
	rec, err := s.store("project").Get(ctx, mem.Caller{}, keypath.MustParse(key), true)
	s.must(err)
	return rec.TS.String()
}

func TestOverview(t *testing.T) {
	s := newSite(t)
	s.has(s.get("/"), "0 memories", "Nothing is stored yet", "No hook has injected")
	s.set("/project/a", `{"type":"decision","summary":"PostgreSQL","tags":["db"]}`)
	s.set("/project/b", `"eins"`)
	s.put("user", "/user/style", `{"text":"kurz"}`, `{"kind":"user","name":"x"}`, mem.SetOptions{})
	s.put("project", "/kb/x", `"?"`, `"hearsay"`, mem.SetOptions{Quarantine: true})
	s.has(s.get("/"), "3 memories", "1 untrusted write waits for you", `<p class="big">2</p>`, "PostgreSQL", "codex",
		"/memories?prefix=%2Fproject", "3 memories in 30 days, most on 2026-02-22: 3.",
		`role="img"`, "1 untrusted")
}

func TestBrowseAndSearch(t *testing.T) {
	s := newSite(t)
	s.set("/project/db/port", `{"type":"decision","summary":"The port is 5432","tags":["db"]}`)
	s.set("/project/db/host", `{"type":"finding","summary":"The host is larch"}`)
	s.put("user", "/user/语言", `{"summary":"用中文回答"}`, `{"kind":"user","name":"x"}`, mem.SetOptions{})
	s.has(s.get("/memories"), `>project <span>2</span>`, `>user <span>1</span>`)
	s.has(s.get("/memories?prefix=/project"), `>db <span>2</span>`, "The port is 5432")
	s.has(s.get("/memories?q=port&why=1"), "1 memory found", "word port",
		"/memory?in=project&amp;key=%2Fproject%2Fdb%2Fport")
	s.has(s.get("/memories?q="+url.QueryEscape("中文")), "用中文回答")
	s.has(s.get("/memories?tag=db"), "1 memory found")
	s.has(s.get("/memories?type=finding&in=project"), "larch")
	s.has(s.get("/memories?q=nowhere"), "Nothing found")
	s.has(s.get("/memories?prefix=project/db"), `value="/project/db"`, "The port is 5432")
	for path, want := range map[string]int{"/memories?q=kept&prefix=a//..": 400,
		"/memories?q=kept&in=nobody": 404, "/memories?q=kept&prefix=/a%00": 400} {
		w := s.ask("GET", path, nil)
		if w.Code != want {
			t.Errorf("%s: %d: %s", path, w.Code, w.Body)
		}
		s.has(w.Body.String(), `role="alert"`, `name="q" value="kept"`)
	}
}

func TestEditIsCompareAndSet(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"n":1}`)
	ts := s.ts("/project/a")
	s.has(s.get("/memory/edit?key=/project/a"), "says that it is from you", `value="`+ts+`"`, "&#34;n&#34;: 1")
	s.has(s.done("/memory/edit", "key", "/project/a", "ts", ts, "json", "{\"n\": 1}\r\n"),
		"Nothing changed")
	s.has(s.done("/memory/edit", "key", "/project/a", "ts", ts, "json", `{"n":2}`), "Memory saved")
	w := s.post("/memory/edit", "key", "/project/a", "ts", ts, "json", `{"n":3}`)
	if w.Code != http.StatusConflict {
		t.Fatalf("the second edit of one version: %d", w.Code)
	}
	s.has(html.UnescapeString(w.Body.String()), "Changed meanwhile", `"n": 2`,
		`{"n":3}</textarea>`,
		`+{"n":3}`, `value="`+s.ts("/project/a")+`"`)
	for text, want := range map[string]int{"": 400, "{": 400, `{"token":"ghp_` +
		strings.Repeat("a1B2", 9) + `"}`: 422} {
		w := s.post("/memory/edit", "key", "/project/a", "ts", s.ts("/project/a"), "json", text)
		if strings.Contains(w.Body.String(), "--") ||
			want == 422 && !strings.Contains(w.Body.String(), "store its place") {
			t.Errorf("%q: the hint is for a command line: %s", text, w.Body)
		}
		if w.Code != want || !strings.Contains(html.UnescapeString(w.Body.String()),
			text+"</textarea>") {
			t.Errorf("%q: %d: %s", text, w.Code, w.Body)
		}
	}
	if got := s.content("project", "/project/a"); got != `{"n":2}` {
		t.Errorf("content %s", got)
	}
	deleted := s.ts("/project/a")
	s.done("/memory/forget", "key", "/project/a")
	w = s.post("/memory/edit", "key", "/project/a", "in", "project", "ts", deleted, "json",
		`{"n":4}`)
	s.has(html.UnescapeString(w.Body.String()), "It was deleted while you typed",
		`{"n":4}</textarea>`)
}

// The name of a page is no class, which a part of a page may have: each would look like that part.
func TestBodyHasNoClass(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `1`)
	s.has(s.get("/memory/edit?key=/project/a"), "<body>", `class="edit"`)
}

func TestForgetUndoDiff(t *testing.T) {
	s := newSite(t)
	first := s.set("/project/a", `{"text":"larch"}`)
	s.set("/project/a", `{"text":"spruce"}`)
	doc := s.get("/memory?key=/project/a")
	s.has(doc, "2 versions", "agent codex", "What changed", "Restore", "<dt>Time<",
		"<dt>Stored<", "2026-02-22 10:00 UTC")
	if strings.Contains(doc, "Importance") {
		t.Error("an importance is shown that nobody has set")
	}
	diff := s.get("/memory/diff?key=/project/a&from=" + first.String() + "&to=" +
		s.ts("/project/a"))
	s.has(html.UnescapeString(diff), `<del>-  "text": "larch"</del>`,
		`<ins>+  "text": "spruce"</ins>`)
	s.has(s.done("/memory/forget", "key", "/project/a"), "Forgotten", "<em>Deleted</em>", "Undo")
	s.has(s.done("/memory/undo", "in", "project", "key", "/project/a"), "Restored", "spruce")
	s.has(s.done("/memory/undo", "key", "/project/a", "to", first.String()), "larch")
	for _, form := range [][]string{{"key", "/project/none"}, {"key", "/project/a", "to",
		"2026-01-01T00:00:00Z"}} {
		if w := s.post("/memory/undo", form...); w.Code != http.StatusNotFound {
			t.Errorf("undo %q: %d", form, w.Code)
		}
	}
	if w := s.post("/memory/forget", "key", "no key"); w.Code != http.StatusBadRequest {
		t.Errorf("forget of no key: %d", w.Code)
	}
}

// A purge takes a memory out of the store that a move took it from, too.
func TestPurgeOfWhatWasMoved(t *testing.T) {
	s := newSite(t)
	s.set("/project/m", `{"text":"zanzibar moved"}`)
	from, to := s.store("project"), s.store("user")
	key := keypath.MustParse("/project/m")
	_, err := transfer.Move(ctx, mem.Caller{}, transfer.MoveJob{From: from, To: to, Place: "there",
		Keys: []keypath.Key{key}, User: true, Beside: true, Follows: true})
	s.must(err)
	if w := s.post("/memory/purge", "key", "/project/m", "in", "user"); w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	for _, store := range []*mem.Store{from, to} {
		text, err := os.ReadFile(filepath.Join(store.Path(), log.File))
		if s.must(err); strings.Contains(string(text), "zanzibar") {
			t.Errorf("%s has it", store.Path())
		}
	}
}

func TestPurge(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"text":"zanzibar lies in the sea"}`)
	s.set("/project/a", `{"text":"zanzibar is an island"}`)
	s.set("/project/b", `{"text":"spruce"}`)
	s.has(s.get("/memory/purge?key=/project/a"), "Delete this memory permanently?", "2 versions")
	w := s.post("/memory/purge", "key", "/project/a", "reason", "asked to")
	if w.Code != http.StatusOK {
		t.Fatalf("purge: %d: %s", w.Code, w.Body)
	}
	s.has(w.Body.String(), "2 versions purged", "proved")
	text, err := os.ReadFile(filepath.Join(s.store("project").Path(), log.File))
	s.must(err)
	if strings.Contains(string(text), "zanzibar") || !strings.Contains(string(text), "asked to") {
		t.Errorf("the log has %s", text)
	}
	for _, path := range []string{"/project/none", "/project/a"} {
		w := s.post("/memory/purge", "key", path, "in", "project")
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if text, err = os.ReadFile(filepath.Join(s.store("project").Path(), log.File)); err != nil ||
		!strings.Contains(string(text), "asked to") {
		t.Errorf("the reason is gone, %v", err)
	}
}

func TestReview(t *testing.T) {
	s := newSite(t)
	s.has(s.get("/review"), "No write waits for you")
	hearsay := mem.SetOptions{Quarantine: true}
	s.set("/kb/a", `{"text":"old"}`)
	s.put("project", "/kb/a", `{"text":"new"}`, `"hearsay"`, hearsay)
	s.put("project", "/kb/b", `{"text":"other"}`, `"hearsay"`, hearsay)
	doc := html.UnescapeString(s.get("/review"))
	s.has(doc, "the source is only a string", `<pre tabindex="0" aria-label="Source">"hearsay"</pre>`)
	if strings.Contains(doc, "without a word") {
		t.Error("it says that there is no source")
	}
	s.has(doc, `"text": "new"`, "Would replace", `"text": "old"`, "No current content")
	ts := s.ts("/untrusted/kb/a")
	s.put("project", "/kb/a", `{"text":"swapped"}`, `"hearsay"`, hearsay)
	w := s.post("/review/approve", "in", "project", "key", "/untrusted/kb/a", "ts", ts, "over",
		s.ts("/kb/a"))
	if w.Code != http.StatusConflict || s.content("project", "/kb/a") != `{"text":"old"}` {
		t.Errorf("what was not shown was approved: %d", w.Code)
	}
	over := s.ts("/kb/a")
	s.set("/kb/a", `{"text":"unseen"}`)
	s.put("project", "/kb/a", `{"text":"swapped"}`, `"hearsay"`, hearsay)
	w = s.post("/review/approve", "in", "project", "key", "/untrusted/kb/a", "ts",
		s.ts("/untrusted/kb/a"), "over", over)
	if w.Code != http.StatusConflict || s.content("project", "/kb/a") != `{"text":"unseen"}` {
		t.Errorf("approved in the place of what was not shown: %d", w.Code)
	}
	s.has(html.UnescapeString(s.get("/review")), `name="over" value="`+s.ts("/kb/a")+`"`)
	s.has(s.done("/review/approve", "in", "project", "key", "/untrusted/kb/a", "ts",
		s.ts("/untrusted/kb/a"), "over", s.ts("/kb/a")), "Approved: /kb/a")
	s.has(s.done("/review/reject", "in", "project", "key", "/untrusted/kb/b", "ts",
		s.ts("/untrusted/kb/b")), "Rejected")
	if got := s.content("project", "/kb/a"); !strings.HasPrefix(got, `{"text":"swapped"`) {
		t.Errorf("approved: %s", got)
	}
	s.put("project", "/kb/c", `{"text":"mine"}`, `"hearsay"`, hearsay)
	s.set("/kb/c", `{"text":"newer"}`)
	ts = s.ts("/untrusted/kb/c")
	s.has(s.get("/review"), "over the newer", `name="over"`)
	if w := s.post("/review/approve", "in", "project", "key", "/untrusted/kb/c", "ts",
		ts); w.Code != http.StatusConflict {
		t.Errorf("approved over what is newer: %d", w.Code)
	}
	s.done("/review/approve", "in", "project", "key", "/untrusted/kb/c", "ts", ts, "over",
		s.ts("/kb/c"))
}

// propose has an agent ask for a change of a rule of the user, and returns the fields of its form.
// No other proposal is open.
func (s *one) propose(verb, key, content string) []string {
	s.t.Helper()
	_, err := proposal.Add(ctx, s.store("user"), mem.Caller{Client: "codex", Session: "s-7"},
		proposal.Change{Verb: verb, Key: keypath.MustParse(key), Content: []byte(content)})
	s.must(err)
	list, err := proposal.List(ctx, s.store("user"), mem.Caller{})
	if err != nil || len(list) != 1 {
		s.t.Fatalf("%d proposals: %v", len(list), err)
	}
	form := []string{"in", "user", "key", list[0].Place().String(), "ts", list[0].At.String()}
	if over := list[0].Shown().Over; over != 0 {
		form = append(form, "over", over.String())
	}
	return form
}

const rule, byUser = `{"type":"preference","text":"indent with tabs"}`, `{"kind":"user","name":"x"}`

// A proposed change of a rule waits apart from quarantined writes, with the difference.
func TestProposals(t *testing.T) {
	s := newSite(t)
	if doc := s.get("/"); strings.Contains(doc, "proposed") {
		t.Errorf("a proposal that nobody made:\n%s", doc)
	}
	s.put("user", "/user/style", rule, byUser, mem.SetOptions{})
	s.put("project", "/kb/b", `{"text":"other"}`, `"hearsay"`, mem.SetOptions{Quarantine: true})
	form := s.propose("set", "/user/style", `{"type":"preference","text":"spaces"}`)
	doc := html.UnescapeString(s.get("/review"))
	s.has(doc, "Proposed changes of your rules", ">set</span>", "<code>/user/style</code>",
		"<span>codex</span>", "<code>s-7</code>", "Approve<", "Reject<",
		`<del>-  "text": "indent with tabs"</del>`, `<ins>+  "text": "spaces"</ins>`)
	if strings.Contains(doc, "<code>/proposal/") || strings.Count(doc, "Claimed source") != 1 {
		t.Errorf("it is listed as a quarantined write:\n%s", doc)
	}
	s.has(s.get("/"), "1 proposed change of your rules waits", "1 untrusted write waits")
	s.has(s.get("/health"), "1 proposed change of your rules waits")
	for _, path := range []string{"/", "/memories", "/memories?q=spaces", "/memories/deleted",
		"/memories?prefix=/untrusted", "/memories?prefix=/untrusted/proposal", "/review/audit",
		"/memories?prefix=/untrusted&q=spaces", "/memories?prefix=/untrusted&type=proposal",
		"/injected", "/agents", "/health"} {
		doc := s.get(path)
		s.has(doc, `1<span class="unseen"> proposed</span>`)
		if strings.Contains(doc, "/p-") || strings.Contains(doc, ">proposal <span>") ||
			strings.Contains(doc, ">spaces") {
			t.Errorf("%s shows the proposal:\n%s", path, doc)
		}
	}
	doc = s.done("/review/reject", form...)
	s.has(doc, "Rejected", "No agent sees one before you approve it")
	if strings.Contains(doc, "Proposed") || strings.Contains(s.get("/memories/deleted"), "/p-") {
		t.Errorf("it is there yet:\n%s", doc)
	}
	doc = s.done("/undo", "action", undoable(doc))
	s.has(doc, "Undone", "codex", `&#34;spaces&#34;</ins>`)
	if doc = s.done("/undo", "action", undoable(doc)); strings.Contains(doc, "Proposed") {
		t.Errorf("it is there again:\n%s", doc)
	}
}

// An approval makes the change, and one button takes it back.
func TestApprovalOfProposals(t *testing.T) {
	s := newSite(t)
	const style, fresh = "/user/style", `{"type":"preference","text":"answer briefly"}`
	for _, c := range []struct{ verb, key, was, content, says string }{
		{"forget", style, rule, "null", "Deletes the rule"},
		{"set", style, rule, `{"type":"preference","text":"spaces"}`, "From the rule now to"},
		{"set", "/user/new", "", fresh, "New content"},
		{"note", "/rules/user/r", "", `{"text":"reply in Chinese"}`, "New content"},
	} {
		if c.was != "" {
			s.put("user", c.key, c.was, byUser, mem.SetOptions{})
		}
		form := s.propose(c.verb, c.key, c.content)
		doc := s.get("/review")
		s.has(doc, ">"+c.verb+"</span>", c.says)
		if strings.Contains(doc, "<ins>&#43;</ins>") || strings.Contains(doc, "<del>-</del>") {
			t.Errorf("a line of nothing differs:\n%s", doc)
		}
		doc = s.done("/review/approve", form...)
		s.has(doc, "Approved: "+c.key)
		if got := s.content("user", c.key); got != strings.TrimPrefix(c.content, "null") {
			t.Errorf("%s %s: approved it is %q", c.verb, c.key, got)
		}
		s.has(s.done("/undo", "action", undoable(doc)), "Undone")
		if got := unaged(s.content("user", c.key)); got != c.was {
			t.Errorf("%s %s: undone it is %q", c.verb, c.key, got)
		}
		s.done("/review/reject", s.propose(c.verb, c.key, c.content)...) // of a rule, as before
	}
	if w := s.post("/review/approve", "in", "user", "key", "/untrusted/proposal/p-000000", "ts",
		start); w.Code != http.StatusNotFound {
		t.Errorf("no proposal: %d", w.Code)
	}
}

// Where the rule was written since, nothing is stored, and the page shows the newer rule.
func TestProposalsLoseAgainstNewerRules(t *testing.T) {
	s := newSite(t)
	const newer = `{"type":"preference","text":"eight columns"}`
	s.put("user", "/user/style", rule, byUser, mem.SetOptions{})
	form := s.propose("forget", "/user/style", "null")
	s.put("user", "/user/style", newer, byUser, mem.SetOptions{})
	for range 2 {
		w := s.post("/review/approve", form...)
		if w.Code != http.StatusConflict || s.content("user", "/user/style") != newer {
			t.Errorf("%d, and the rule is %s", w.Code, s.content("user", "/user/style"))
		}
		s.has(html.UnescapeString(w.Body.String()), `role="alert"`, "Nothing was stored",
			"cannot be approved", `"text": "eight columns"`, ">Reject<")
		if strings.Contains(w.Body.String(), ">Approve<") {
			t.Error("what cannot be approved has a button that approves it")
		}
	}
	s.done("/memory/forget", "in", "user", "key", "/user/style")
	s.has(s.get("/review"), "It is deleted")
	w := s.post("/review/approve", form...)
	if w.Code != http.StatusConflict {
		t.Errorf("of a rule that is gone: %d", w.Code)
	}
	s.done("/review/reject", form...)
	if w := s.post("/review/reject", form...); w.Code != http.StatusNotFound {
		t.Errorf("rejected twice: %d", w.Code)
	}
}

func TestAuditAndSupersede(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"text":"Reviews need two approvals"}`)
	s.set("/project/b", `{"text":"reviews need two approvals."}`)
	s.set("/team/a", `{"text":"x","superseded_by":"/gone"}`)
	doc := s.get("/review/audit")
	s.has(doc, "duplicates 1, dangling 1", "Replace with the first")
	if strings.Index(doc, ">duplicates<") > strings.Index(doc, ">dangling<") {
		t.Error("dangling references come before duplicates")
	}
	s.has(s.done("/review/supersede", "in", "project", "key", "/project/a", "by", "/project/b"),
		"is superseded by")
	s.has(s.get("/memory?key=/project/a"), "superseded by")
	if w := s.post("/review/supersede", "in", "project", "key", "/project/b", "by",
		"/project/a"); w.Code < 400 {
		t.Errorf("a cycle: %d", w.Code)
	}
}

// What was deleted can be found, and brought back.
func TestDeleted(t *testing.T) {
	s := newSite(t)
	s.has(s.get("/memories/deleted"), "Nothing to restore")
	s.set("/project/a", `{"text":"larch"}`)
	s.set("/project/b", `{"text":"fir"}`)
	s.done("/memory/forget", "key", "/project/a")
	s.done("/memory/forget", "key", "/project/b")
	s.has(s.get("/memories/deleted"), "/project/a", "/project/b", "Undo")
	s.done("/memory/undo", "in", "project", "key", "/project/a")
	s.post("/memory/purge", "in", "project", "key", "/project/b")
	if doc := s.get("/memories/deleted"); strings.Contains(doc, "/project/") {
		t.Errorf("what is back or purged is listed:\n%s", doc)
	}
}

// Of a long list each page shows 50.
func TestNextPage(t *testing.T) {
	s := newSite(t)
	for i := range 51 {
		s.set(fmt.Sprintf("/project/n%02d", i), `{"text":"larch"}`)
	}
	for _, path := range []string{"/memories", "/memories?q=larch"} {
		doc := s.get(path)
		next := regexp.MustCompile(`href="([^"]+)">Next 50`).FindStringSubmatch(doc)
		if len(next) == 0 || strings.Count(doc, `class="title"`) != 50 {
			t.Fatalf("%s: no next page:\n%s", path, doc)
		}
		doc = s.get(html.UnescapeString(next[1]))
		if strings.Count(doc, `class="title"`) != 1 || strings.Contains(doc, "Next 50") {
			t.Errorf("%s: the last page:\n%s", next[1], doc)
		}
	}
	if w := s.ask("GET", "/memories?from=-7", nil); w.Code != http.StatusOK {
		t.Errorf("from -7: %d", w.Code)
	}
}

// What a person cannot see, or what turns the text around it, is shown as its escape.
func TestHiddenCharactersShow(t *testing.T) {
	s := newSite(t)
	s.put("project", "/kb/a", `{"text":"pay\u202eruo\u200byes"}`, `"here\u202e"`,
		mem.SetOptions{Quarantine: true})
	s.set("/project/a", "{\"text\":\"one\u202eeno\"}")
	s.propose("set", "/rules/user/a", "{\"text\":\"rule\u202eelur\"}")
	s.has(s.get("/review"), `rule\u202eelur`)
	for path, want := range map[string]string{"/review": `pay\u202eruo\u200byes`,
		"/memory?key=/project/a": `one\u202eeno`, "/memory/edit?key=/project/a": `one\u202eeno`} {
		doc := s.get(path)
		s.has(doc, want)
		if strings.ContainsAny(doc, "\u202e\u200b") {
			t.Errorf("%s turns around:\n%q", path, doc)
		}
	}
}

// J-25 to J-30.
func TestAgentCard(t *testing.T) {
	s := newSite(t)
	user := s.store("user")
	save := func(agent string, level journal.Level, text, at string) journal.Memory {
		ts, err := log.ParseTime(at)
		s.must(err)
		m, err := journal.Save(ctx, user, mem.Caller{Now: ts}, level, text,
			journal.Options{Agent: agent})
		s.must(err)
		return m
	}
	s.has(s.get("/agents"), "No agent has")
	s.has(s.get("/agents/nobody"), journal.CardTitle, "save_to_journal", "save_to_core")
	old := save("ada", journal.Journal, "long ago", "2026-02-01T08:30:00Z")
	core := save("ada", journal.Core, "first\n  second", "2026-02-20T09:05:00Z")
	bob := save("bob", journal.Core, "bob's", "2026-02-20T09:05:00Z")
	doc := s.get("/agents/ada")
	s.has(doc, ">Agent Memory</h2>", "journal entries fade after a week", "2026-02-01 08:30",
		"2026-02-20 09:05",
		`<li class="journal expired">`, `<span class="badge">expired</span>`, "first\n  second",
		"/agents/ada/memories/"+core.ID+"/delete")
	if strings.Index(doc, core.ID) > strings.Index(doc, old.ID) {
		t.Error("the oldest comes first")
	}
	s.has(s.get("/agents/ada/memories/"+old.ID+"/delete"), "Delete this memory permanently?",
		"long ago")
	for _, path := range []string{"/agents/ada/memories/" + bob.ID + "/delete",
		"/agents/ada/memories/1/delete"} {
		if w := s.post(path); w.Code != http.StatusNotFound {
			t.Errorf("POST %s: %d", path, w.Code)
		}
		if w := s.ask("GET", path, nil); w.Code != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, w.Code)
		}
	}
	doc = s.done("/agents/ada/memories/" + old.ID + "/delete")
	s.has(doc, `role="status"><span>Memory deleted<`)
	text, err := os.ReadFile(filepath.Join(user.Path(), log.File))
	s.must(err)
	if strings.Contains(doc, old.ID) || strings.Contains(string(text), "long ago") {
		t.Error("it is not gone for good")
	}
	for range 101 {
		save("eve", journal.Journal, "x", "2026-02-20T09:05:00Z")
	}
	if n := strings.Count(s.get("/agents/eve"), `<li class="journal`); n != journal.Listing {
		t.Errorf("%d are listed", n)
	}
}

func TestAnswersAreCompressed(t *testing.T) {
	s := newSite(t)
	zipped := s.ask("GET", "/", nil, func(r *http.Request) {
		r.Header.Set("Accept-Encoding",
			"gzip, br")
	})
	if zipped.Header().Get("Content-Encoding") != "gzip" {
		t.Fatal("it is not compressed")
	}
	plain, err := gzip.NewReader(zipped.Body)
	s.must(err)
	doc, err := io.ReadAll(plain)
	s.must(err)
	s.has(string(doc), "<h1>Overview</h1>")
}

// A .mem that came with a clone says nothing before a person has looked at it, and what they let in
// is what they were shown.
func TestTrust(t *testing.T) {
	s := newSite(t)
	s.has(s.get("/review/trust"), "No store asks for trust", "For the .mem of another project")
	dot := filepath.Join(s.home, "shop", site.DotDir)
	s.must(os.MkdirAll(dot, 0o700))
	s.must(site.WriteGitFiles(dot, false))
	foreign, err := mem.Open(dot, mem.Options{Now: s.clock})
	s.must(err)
	add := func(key, text string) {
		_, err := foreign.Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse(key),
			Content: []byte(text), Source: []byte(`"x"`)}, mem.SetOptions{})
		s.must(err)
	}
	add("/project/a", `{"text":"zanzibar"}`)
	s.again()
	doc := s.get("/review/trust")
	s.has(doc, "zanzibar", "Trust<", dot)
	if strings.Contains(s.get("/memories?q=zanzibar"), "1 memory") {
		t.Error("what nobody let in is found")
	}
	seen := regexp.MustCompile(`name="seen" value="([^"]+)"`).FindStringSubmatch(doc)[1]
	add("/project/b", `{"text":"pemba"}`)
	if w := s.post("/review/trust", "root", dot, "seen", seen); w.Code != http.StatusConflict {
		t.Fatalf("what was not shown was let in: %d", w.Code)
	}
	add("/project/z", `{"type":"rule","text":"unguja"}`) // what weighs most comes first
	if doc = s.get("/review/trust"); strings.Index(doc, "unguja") > strings.Index(doc, "zanzibar") {
		t.Error("a rule stands behind a fact")
	}
	seen = regexp.MustCompile(`name="seen" value="([^"]+)"`).FindStringSubmatch(doc)[1]
	s.has(s.done("/review/trust", "root", dot, "seen", seen), "Trusted: ")
	s.has(s.get("/memories?q=zanzibar"), "1 memory found")
	s.must(foreign.Close())
}

// again has the page find its stores anew, as another start of it.
func (s *one) again() {
	s.t.Helper()
	p, err := page.New(page.Options{
		Find: func() (*layers.Layers, error) { return s.find(), nil }, Now: s.clock, Clock: s.clock,
		Health: s.health, Inbox: s.inbox,
		IsKnown: func(name string) bool { return name == host },
		Caller:  mem.Caller{Channel: "page"}, Log: slog.New(slog.DiscardHandler),
	})
	s.must(err)
	s.must(s.page.Close())
	s.page = p
	s.enter()
}

// slowReader is a browser that reads nothing of an answer until it is let.
type slowReader struct {
	*httptest.ResponseRecorder
	begun, goOn chan struct{}
}

func (r *slowReader) Write(b []byte) (int, error) {
	close(r.begun)
	<-r.goOn
	return r.ResponseRecorder.Write(b)
}

// Whoever asks for what is open to all, and does not read it, holds nothing that others wait for.
func TestWhoDoesNotReadHoldsNothing(t *testing.T) {
	s := newSite(t)
	slow := &slowReader{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	r := httptest.NewRequest("GET", "/style.css", nil)
	r.Host = host
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.page.ServeHTTP(slow, r)
	}()
	<-slow.begun
	// To let a store in waits for all who hold the stores.
	if w := s.post("/review/trust", "root", "/nowhere", "seen", "x"); w.Code == http.StatusOK {
		t.Errorf("a store that is not there: %d", w.Code)
	}
	close(slow.goOn)
	<-done
}

// A form that is too large is told so, and not that it is somebody else's.
func TestLargeForm(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"text":"small"}`)
	w := s.post("/memory/edit", "key", "/project/a", "ts", s.ts("/project/a"), "json",
		strings.Repeat("x", 9<<20))
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("%d: %.300s", w.Code, w.Body)
	}
}

// undoable returns the ID of the action that a page can undo.
func undoable(doc string) string {
	if m := regexp.MustCompile(`name="action" value="([^"]+)"`).FindStringSubmatch(doc); m != nil {
		return m[1]
	}
	return ""
}

func TestAddInFields(t *testing.T) {
	s := newSite(t)
	s.has(s.get("/memories/new"), "Add a memory", `<option value="user"`,
		`<option value="project" selected>`)
	fields := []string{"text", "The port is 5432\r\non larch", "type", "decision",
		"tags", "db, infra",
		"importance", "8", "expires", "2026-03-01T08:30", "pinned", "1"}
	doc := s.done("/memories/new", append(fields, "in", "project")...)
	s.has(doc, "Memory added", "The port is 5432", "decision", "infra", "pinned",
		"2026-03-01 08:30 UTC", "<dt>Author</dt><dd>you</dd>")
	if got := s.content("project", "m-1"); got != `{"type":"decision",`+
		`"text":"The port is 5432\non larch","importance":8,`+
		`"expired_at":"2026-03-01T08:30:00.000000Z","tags":["db","infra"],"pinned":true}` {
		t.Errorf("the note is %s", got)
	}
	s.has(s.done("/undo", "action", undoable(doc)), "Undone", ">Deleted<")
	s.done("/memories/new", "in", "user", "text", "I like tea")
	s.has(s.done("/memories/new", "in", "user", "text", "i like TEA"),
		"A note has this text already")
	if got := s.content("user", "u-1"); !strings.Contains(got, "I like tea") {
		t.Errorf("the user's note is %s", got)
	}
	s.done("/memories/new", append(fields, "in", "project", "key", "project/port")...)
	if got := s.content("project", "/project/port"); !strings.HasPrefix(got, `{"type":"decision"`) {
		t.Errorf("under a key: %s", got)
	}
	for what, tc := range map[string]struct {
		form []string
		want int
	}{
		"no text":     {[]string{"text", " "}, 400},
		"a long note": {[]string{"text", strings.Repeat("x", 501)}, 422},
		"a bad key":   {[]string{"text", "kept", "key", "a//.."}, 400},
		"a taken key": {[]string{"text", "kept", "key", "/project/port"}, 409},
		"reserved":    {[]string{"text", "kept", "key", "/untrusted/a"}, 422},
		"importance":  {[]string{"text", "kept", "importance", "11"}, 400},
		"expiry":      {[]string{"text", "kept", "expires", "soon"}, 400},
		"a secret":    {[]string{"text", "kept ghp_" + strings.Repeat("a1B2", 9)}, 422},
		"no store":    {[]string{"text", "kept", "in", "nope"}, 404},
	} {
		w := s.post("/memories/new", append([]string{"in", "project"}, tc.form...)...)
		if w.Code != tc.want {
			t.Errorf("%s: %d, want %d: %s", what, w.Code, tc.want, w.Body)
		}
		s.has(w.Body.String(), `role="alert"`, "Add a memory", tc.form[1])
	}
}

func TestEditInFields(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"x":1.0,"text":"larch","tags":["a,b"]}`)
	doc := s.get("/memory/edit?key=/project/a")
	s.has(doc, ">larch</textarea>", `value="a,b"`, "Edit as JSON", "&amp;json=1")
	s.has(s.get("/memory/edit?key=/project/a&json=1"), "&#34;x&#34;: 1.0", "Edit in fields")
	ts := s.ts("/project/a")
	form := func(ts string, more ...string) []string {
		return append([]string{"in", "project", "key", "/project/a", "ts", ts,
			"tags", "a,b"}, more...)
	}
	s.has(s.done("/memory/edit", form(ts, "text", "larch")...), "Nothing changed")
	doc = s.done("/memory/edit", form(ts, "text", "spruce", "pinned", "1")...)
	s.has(doc, "Memory saved", "<dd>you</dd>", ">Unpin<")
	w := s.post("/memory/edit", form(ts, "text", "fir", "importance", "7")...)
	if w.Code != http.StatusConflict {
		t.Fatalf("the second edit of one version: %d", w.Code)
	}
	s.has(html.UnescapeString(w.Body.String()), "Changed meanwhile", ">fir</textarea>",
		`-  "text": "spruce"`, `+  "text": "fir"`)
	s.has(s.done("/memory/edit", form(s.ts("/project/a"), "text", "fir", "importance", "7")...),
		"Memory saved")
	if got := s.content("project", "/project/a"); got !=
		`{"x":1.0,"text":"fir","tags":["a,b"],"importance":7}` {
		t.Errorf("it is %s", got)
	}
	w = s.post("/memory/edit", form(s.ts("/project/a"), "text", "kept", "importance", "high")...)
	s.has(w.Body.String(), `role="alert"`, "from 0 to 10", ">kept</textarea>")
}

// Each action can be undone at once, that undo too, and an older page undoes nothing.
func TestUndoAfterEachAction(t *testing.T) {
	s := newSite(t)
	const key, before = "/project/a", `{"text":"larch"}`
	s.set("/project/b", `{"text":"other"}`)
	s.set(key, before)
	at := []string{"in", "project", "key", key}
	for path, form := range map[string][]string{
		"/memory/edit":      {"json", `{"text":"fir"}`},
		"/memory/pin":       nil,
		"/memory/forget":    nil,
		"/memory/undo":      {"to", s.ts(key)},
		"/memories/several": {"do", "tag", "tag", "wood", "at", "project " + key},
		"/review/supersede": {"by", "/project/b"},
	} {
		was := s.content("project", key)
		if path == "/memory/undo" {
			s.set(key, `{"text":"newer"}`)
			was = `{"text":"newer"}`
		}
		doc := s.done(path, slices.Concat(at, []string{"ts", s.ts(key)}, form)...)
		did := s.content("project", key)
		if did == was || undoable(doc) == "" {
			t.Errorf("%s leaves %s, and can be undone: %q", path, did, undoable(doc))
			continue
		}
		undone := s.done("/undo", "action", undoable(doc))
		s.has(undone, "Undone")
		if got := s.content("project", key); unaged(got) != unaged(was) {
			t.Errorf("%s: undone it is %s, and was %s", path, got, was)
		}
		if w := s.post("/undo", "action", undoable(doc)); w.Code != http.StatusConflict {
			t.Errorf("%s: undone twice: %d", path, w.Code)
		}
		s.done("/undo", "action", undoable(undone))
		if got := s.content("project", key); unaged(got) != unaged(did) {
			t.Errorf("%s: done again it is %s, and was %s", path, got, did)
		}
		s.set(key, before)
	}
	doc := s.done("/memory/pin", at...)
	s.set(key, `{"text":"somebody else"}`)
	if w := s.post("/undo", "action", undoable(doc)); w.Code != http.StatusConflict ||
		s.content("project", key) != `{"text":"somebody else"}` {
		t.Errorf("another's write was undone: %d", w.Code)
	}
	if w := s.post("/undo"); w.Code != http.StatusConflict {
		t.Errorf("no action: %d", w.Code)
	}
}

// unaged returns content without the time that an edit keeps.
func unaged(text string) string {
	return regexp.MustCompile(`,"created_at":"[^"]*"`).ReplaceAllString(text, "")
}

// Memories of two stores are forgotten and tagged at once, and one undo brings all back.
func TestSeveral(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"text":"larch one"}`)
	s.set("/project/b", `{"text":"larch two"}`)
	s.put("user", "/user/c", `{"text":"larch three"}`, `{"kind":"user","name":"x"}`, mem.SetOptions{})
	s.has(s.get("/memories?q=larch"), `name="at" value="project /project/a"`,
		`name="at" value="user /user/c"`, `name="asked" value="q=larch"`)
	send := func(do, tag string, at ...string) *httptest.ResponseRecorder {
		return s.ask("POST", "/memories/several", url.Values{"token": {s.token}, "do": {do},
			"tag": {tag}, "at": at, "asked": {"q=larch"}})
	}
	all := []string{"project /project/a", "user /user/c"}
	for _, tc := range []struct{ do, tag, says, a string }{
		{"tag", "wood", "2 memories changed", `{"text":"larch one","tags":["wood"]}`},
		{"tag", "-wood", "2 memories changed", `{"text":"larch one"}`},
		{"forget", "", "2 memories changed", ""},
	} {
		w := send(tc.do, tc.tag, all...)
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d: %s", tc.do, w.Code, w.Body)
		}
		doc := s.get(w.Header().Get("Location"))
		s.has(doc, tc.says, `name="q" value="larch"`)
		if got := unaged(s.content("project", "/project/a")); got != tc.a {
			t.Errorf("%s: %s", tc.do, got)
		}
		if tc.do == "forget" {
			s.has(s.done("/undo", "action", undoable(doc)), "Undone", "3 memories found")
		}
	}
	for what, tc := range map[string]struct {
		w    *httptest.ResponseRecorder
		want int
	}{"no tag": {send("tag", " ", all...), 400}, "no deed": {send("burn", "x", all...), 400},
		"no key":   {send("forget", "", "project nope"), 400},
		"no store": {send("forget", "", "nope /project/a"), 404},
		"nothing":  {send("forget", ""), 303}} {
		if tc.w.Code != tc.want {
			t.Errorf("%s: %d: %s", what, tc.w.Code, tc.w.Body)
		}
	}
}

// The text stands on the page once: its first line is the heading, unless it is long.
func TestTextStandsOnce(t *testing.T) {
	s := newSite(t)
	long := strings.TrimSpace(strings.Repeat("larch spruce ", 30))
	for key, c := range map[string][3]string{
		"a": {`{"text":"` + long + `"}`, "a", long},
		"b": {`{"summary":"` + long + `","text":"fir"}`, "b", long + "\n\nfir"},
		"c": {`{"text":"one\n\ntwo\nthree"}`, "one", "two\nthree"},
		"d": {`{"text":"fir"}`, "fir", ""},
		"e": {`{"summary":"a fir","text":"two"}`, "a fir", "two"},
		"f": {`{"port":5432}`, "port: 5432", ""},
	} {
		s.set("/project/"+key, c[0])
		doc := s.get("/memory?key=/project/" + key)
		s.has(doc, "<h1>"+c[1]+"</h1>")
		if c[2] != "" {
			s.has(doc, `<div class="prose">`+c[2]+`</div>`)
		} else if strings.Contains(doc, `class="prose"`) {
			t.Errorf("%s: the text stands twice", key)
		}
	}
}

// A refusal says in words what its rule finds.
func TestSecretRuleIsExplained(t *testing.T) {
	s := newSite(t)
	w := s.post("/memories/new", "in", "project", "key", "/project/a", "text", "password: hunter2")
	s.has(w.Body.String(), "credential-marker is a value after a word that names a password",
		"store its place")
}

// A form has the focus in its first field.
func TestFormsHaveFocus(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"text":"fir"}`)
	s.set("/project/b", `{"summary":"fir","text":"fir"}`)
	for path, field := range map[string]string{"/memories/new": "text",
		"/memory/edit?key=/project/a": "text", "/memory/edit?key=/project/b": "summary",
		"/memory/edit?json=1&key=/project/a": "text"} {
		got := regexp.MustCompile(`id="(\w+)"[^>]* autofocus`).FindAllStringSubmatch(s.get(path), -1)
		if len(got) != 1 || got[0][1] != field {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// An injected memory stands with its text, from the store of the conversation's project.
func TestInjectedTexts(t *testing.T) {
	s := newSite(t)
	s.set("/project/a", `{"text":"fir <b>"}`)
	name := s.layers.Sites.Name()
	record := func(at, project, key string) {
		stamp, err := log.ParseTime(at)
		s.must(err)
		inject.Record(s.store(site.User), inject.Injection{At: stamp, Client: "codex",
			Conversation: "c", Project: project, Event: "SessionStart", Tokens: 9,
			Memories: []inject.Injected{{Key: key, TS: stamp, Layer: site.Project}}})
	}
	s.put(site.User, "/user/a", `{"text":"larch"}`, `"chat"`, mem.SetOptions{})
	record("2026-02-21T10:00:00Z", name, "/project/a")
	record("2026-02-21T10:00:01Z", "elsewhere-01234567", "/project/a")
	record("2026-02-21T10:00:02Z", name, "/project/gone")
	doc := s.get("/injected")
	s.has(doc, `<code>/project/a</code></a> <span class="cut">fir &lt;b&gt;</span>`,
		`<code>/project/gone</code> <span class="warn">not there now`)
	if n := strings.Count(doc, "fir"); n != 1 {
		t.Errorf("the text of another project stands there, too: %d times", n)
	}
}

func TestAuthors(t *testing.T) {
	s := newSite(t)
	s.put("project", "/project/a", `{"text":"a"}`, `{"kind":"agent","name":"claude-code",`+
		`"locator":{"session":"s1"},"retrieved_at":"2026-02-22"}`, mem.SetOptions{})
	s.put("project", "/project/b", `{"text":"b"}`, `{"kind":"agent","name":"mem note",`+
		`"retrieved_at":"2026-02-22"}`, mem.SetOptions{})
	s.has(s.get("/"), `<th scope="row">claude-code</th>`, `<th scope="row">agent</th>`)
	s.has(s.get("/memories"), "<span>by claude-code</span>")
	s.has(s.get("/memory?key=/project/a"), "<dt>Author</dt><dd>claude-code</dd>")
}
