package page

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"html"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// How long what lets somebody in is good.
const (
	inviteTime  = 10 * time.Minute
	sessionTime = 12 * time.Hour // since the last request
)

// maxIssued is how many invitations are open, and sessions: the oldest gives way.
const maxIssued = 64

// cookieName names the cookie of a session. Browsers send a cookie of one port of an address to all
// others, so its path is below the secret part of Page.base, which no other server can name.
const cookieName = "mem_page"

// policyText is what a browser may do with a page: show it, with its stylesheet and its script, and
// send its forms back. Whatever a memory says, no answer but the script has the type of one.
const policyText = "default-src 'none'; style-src 'self'; img-src 'self'; " +
	"script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// protect sets what every answer says to the browser. Referrer-Policy is not no-referrer, for then
// forms would be sent with the Origin null.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policyText)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// isForeign reports whether another site makes a browser ask, by the Origin.
func isForeign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host
}

// owns reports whether a form is one that the guest was sent.
func (s *guest) owns(r *http.Request) bool {
	token := r.PostForm.Get("token")
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
}

// guest is a browser that was let in.
type guest struct {
	token string // what its forms bring
	until time.Time

	mu     sync.Mutex
	notice string  // what its next page says
	last   *action // that its next page can undo; nil: none
}

// say keeps a notice for the next page, and what that can undo.
func (s *guest) say(notice string, did *action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice, s.last = notice, did
}

// takeNotice returns the notice, once, and the ID of the action that it is about.
func (s *guest) takeNotice() (notice, undo string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	notice, s.notice = s.notice, ""
	if notice != "" && s.last != nil {
		undo = s.last.id
	}
	return notice, undo
}

// take returns the last action, once, if that is the one of the ID.
func (s *guest) take(id string) (did *action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.last.id == id {
		did, s.last = s.last, nil
	}
	return did
}

// sum is the hash of a secret: the secret itself is not stored.
type sum [sha256.Size]byte

// door keeps the sessions and the open invitations.
type door struct {
	now func() time.Time

	mu       sync.Mutex
	invites  map[sum]time.Time // good until
	sessions map[sum]*guest
}

// newDoor returns a door with nobody behind it, which goes by a clock.
func newDoor(now func() time.Time) *door {
	return &door{now: now, invites: map[sum]time.Time{}, sessions: map[sum]*guest{}}
}

// secret returns 260 random bits as letters and digits.
func secret() string { return rand.Text() + rand.Text() }

// invite returns an invitation, which is good for one session, with this code; "" is none.
func (d *door) invite(code string) string {
	text := secret()
	d.mu.Lock()
	defer d.mu.Unlock()
	dropOldest(d.invites, func(until time.Time) time.Time { return until })
	d.invites[sha256.Sum256([]byte(text+code))] = d.now().Add(inviteTime)
	return text
}

// open exchanges an invitation for a session, and returns the secret that names it; false where it
// was used, is over, or never was one.
func (d *door) open(invitation string) (name string, ok bool) {
	of := sum(sha256.Sum256([]byte(invitation)))
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.invites[of]
	delete(d.invites, of)
	if !ok || !d.now().Before(until) {
		return "", false
	}
	dropOldest(d.sessions, func(s *guest) time.Time { return s.until })
	name = secret()
	d.sessions[sha256.Sum256([]byte(name))] = &guest{token: secret(),
		until: d.now().Add(sessionTime)}
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

// guest returns the session of a request; nil where it has none that is good.
func (d *door) guest(r *http.Request) *guest {
	cookie, err := r.Cookie(cookieName)
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
	s.until = now.Add(sessionTime)
	return s
}

// enter exchanges the invitation of a request for a cookie for a path, and leads on to that path; a
// request that has a session needs no invitation. It returns false if the invitation was used, is
// over, or never was one. HEAD uses up no invitation.
func (d *door) enter(w http.ResponseWriter, r *http.Request, is *guest, path string) bool {
	if is == nil {
		if r.Method != http.MethodGet {
			return false
		}
		query := r.URL.Query()
		name, ok := d.open(query.Get("once") +
			strings.ToUpper(strings.TrimSpace(query.Get("code"))))
		if !ok {
			return false
		}
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: name, Path: path,
			HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	}
	// A redirect would be a part of what led here, which may be a page from elsewhere, and then the
	// browser sends no strict cookie. This page leads on by itself.
	w.Header().Set("Refresh", "0; url="+path)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>mem</title><p><a href="`+
		html.EscapeString(path)+`">Continue</a>`) // the browser has gone
	return true
}

// leave ends a session.
func (d *door) leave(w http.ResponseWriter, r *http.Request, gone *guest, path string) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: path, MaxAge: -1, HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	d.close(gone)
}

func (d *door) close(gone *guest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, s := range d.sessions {
		if s == gone {
			delete(d.sessions, name)
		}
	}
}
