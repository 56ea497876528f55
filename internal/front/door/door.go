package door

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"html"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// How long what lets somebody in is good.
const (
	InviteTime  = 10 * time.Minute
	SessionTime = 12 * time.Hour // since the last request
)

// maxIssued is how many invitations are open, and sessions: the oldest gives way.
const maxIssued = 64

// policyText is what a browser may do with a page: show it, with its stylesheet, and send its forms
// back.
const policyText = "default-src 'none'; style-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Protect sets what every answer says to the browser. Referrer-Policy is not no-referrer, for then
// forms would be sent with the Origin null.
func Protect(h http.Header) {
	h.Set("Content-Security-Policy", policyText)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// Foreign returns whether another site makes a browser ask: its Origin is not where the request
// went.
func Foreign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host
}

// Owns reports whether a form is one that the guest was sent.
func (s *Guest) Owns(r *http.Request) bool {
	token := r.PostForm.Get("token")
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1
}

// Guest is a browser that was let in.
type Guest struct {
	Token string // what its forms bring
	until time.Time

	mu     sync.Mutex
	notice string // what its next page says
}

// Say keeps a notice for the next page.
func (s *Guest) Say(notice string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice = notice
}

// Said returns the notice, once.
func (s *Guest) Said() (notice string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	notice, s.notice = s.notice, ""
	return notice
}

// sum is what is kept of a secret.
type sum [sha256.Size]byte

// Door keeps who was let in, and who may be.
type Door struct {
	now func() time.Time

	mu       sync.Mutex
	invites  map[sum]time.Time // good until
	sessions map[sum]*Guest
}

// New returns a door with nobody behind it, which goes by a clock.
func New(now func() time.Time) *Door {
	return &Door{now: now, invites: map[sum]time.Time{}, sessions: map[sum]*Guest{}}
}

// secret returns 256 random bits as text.
func secret() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// Invite returns what is good for one session.
func (d *Door) Invite() string {
	text := secret()
	d.mu.Lock()
	defer d.mu.Unlock()
	dropOldest(d.invites, func(until time.Time) time.Time { return until })
	d.invites[sha256.Sum256([]byte(text))] = d.now().Add(InviteTime)
	return text
}

// open exchanges an invitation for a session, and returns the secret that names it; false where it
// was used, is over, or never was one.
func (d *Door) open(invitation string) (name string, ok bool) {
	of := sum(sha256.Sum256([]byte(invitation)))
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.invites[of]
	delete(d.invites, of)
	if !ok || !d.now().Before(until) {
		return "", false
	}
	dropOldest(d.sessions, func(s *Guest) time.Time { return s.until })
	name = secret()
	d.sessions[sha256.Sum256([]byte(name))] = &Guest{Token: secret(),
		until: d.now().Add(SessionTime)}
	return name, true
}

// dropOldest makes room for one more.
func dropOldest[T any](all map[sum]T, until func(T) time.Time) {
	for len(all) >= maxIssued {
		var oldest sum
		var at time.Time
		for name, one := range all {
			if at.IsZero() || until(one).Before(at) {
				oldest, at = name, until(one)
			}
		}
		delete(all, oldest)
	}
}

// Guest returns the session of a request; nil where it has none that is good.
func (d *Door) Guest(r *http.Request) *Guest {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return nil
	}
	name := sum(sha256.Sum256([]byte(cookie.Value)))
	d.mu.Lock()
	defer d.mu.Unlock()
	s, now := d.sessions[name], d.now()
	if s == nil || !now.Before(s.until) {
		delete(d.sessions, name)
		return nil
	}
	s.until = now.Add(SessionTime)
	return s
}

// Enter lets in who brings an invitation, with a cookie for a path, and leads on to that, as who is
// in already. It returns false where the invitation was used, is over, or never was one. What only
// looks what there is (HEAD) uses up none.
func (d *Door) Enter(w http.ResponseWriter, r *http.Request, is *Guest, path string) bool {
	if is == nil {
		if r.Method != http.MethodGet {
			return false
		}
		name, ok := d.open(r.URL.Query().Get("once"))
		if !ok {
			return false
		}
		http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: name, Path: path,
			HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	}
	// A redirect would be a part of what led here, which may be a page from elsewhere, and then the
	// browser sends no strict cookie. This page leads on by itself.
	w.Header().Set("Refresh", "0; url="+path)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>mem</title><p><a href="`+
		html.EscapeString(path)+`">Continue</a>`) // nobody is there who would be told
	return true
}

// Leave ends a session.
func (d *Door) Leave(w http.ResponseWriter, r *http.Request, gone *Guest, path string) {
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: path, MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	d.close(gone)
}

func (d *Door) close(gone *Guest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, s := range d.sessions {
		if s == gone {
			delete(d.sessions, name)
		}
	}
}

// cookieName names the port: browsers send what one port of an address has set to all others.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "mem_page_" + port
}
