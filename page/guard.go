package page

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
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

const (
	maxBody   = 4 << 20 // of a form: content has at most 1 MiB, and is sent with escapes
	maxIssued = 64      // invitations that are open, and sessions: the oldest gives way
)

// policyText is what a browser may do with a page: show it, with its stylesheet, and send its forms
// back.
const policyText = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'"

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

// admit refuses what another site makes a browser ask.
func (p *Page) admit(r *http.Request) error {
	if !p.o.IsKnown(r.Host) {
		return errHost
	}
	origin := r.Header.Get("Origin")
	if origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
		return errOrigin
	}
	return nil
}

// check refuses who did not come in, and a form that is not of this session.
func (v *visit) check(rt route) error {
	if rt.isOpen {
		return nil
	}
	if v.guest == nil {
		return errSignedOut
	}
	if v.r.Method != http.MethodPost {
		return nil
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxBody)
	if err := v.r.ParseForm(); err != nil {
		return errForm
	}
	if !same(v.r.PostForm.Get("token"), v.guest.csrf) {
		return errForged
	}
	return nil
}

// guest is a browser that was let in.
type guest struct {
	csrf  string // what its forms bring
	until time.Time

	mu     sync.Mutex
	notice string // what its next page says
}

// say keeps a notice for the next page.
func (s *guest) say(notice string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice = notice
}

// said returns the notice, once.
func (s *guest) said() (notice string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	notice, s.notice = s.notice, ""
	return notice
}

// sum is what is kept of a secret.
type sum [sha256.Size]byte

// door keeps who was let in, and who may be.
type door struct {
	now func() time.Time

	mu       sync.Mutex
	invites  map[sum]time.Time // good until
	sessions map[sum]*guest
}

func newDoor(now func() time.Time) *door {
	return &door{now: now, invites: map[sum]time.Time{}, sessions: map[sum]*guest{}}
}

// secret returns 256 random bits as text.
func secret() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// invite returns what is good for one session.
func (d *door) invite() string {
	text := secret()
	d.mu.Lock()
	defer d.mu.Unlock()
	dropOldest(d.invites, func(until time.Time) time.Time { return until })
	d.invites[sha256.Sum256([]byte(text))] = d.now().Add(InviteTime)
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
	d.sessions[sha256.Sum256([]byte(name))] = &guest{csrf: secret(),
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

// guest returns the session of a request; nil where it has none that is good.
func (d *door) guest(r *http.Request) *guest {
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

// close ends a session.
func (d *door) close(gone *guest) {
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

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// enter exchanges an invitation for a cookie, and goes on to a URL without it.
func enter(v *visit) error {
	if v.guest == nil {
		name, ok := v.door.open(v.r.URL.Query().Get("once"))
		if !ok {
			return errInvite
		}
		http.SetCookie(v.w, &http.Cookie{Name: cookieName(v.r), Value: name,
			Path: v.o.Base + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: v.r.TLS != nil})
	}
	http.Redirect(v.w, v.r, v.o.Base+"/", http.StatusSeeOther)
	return nil
}

// leave ends the session.
func leave(v *visit) error {
	v.door.close(v.guest)
	http.SetCookie(v.w, &http.Cookie{Name: cookieName(v.r), Path: v.o.Base + "/", MaxAge: -1,
		HttpOnly: true, SameSite: http.SameSiteStrictMode})
	v.guest = nil
	return errSignedOut
}
