package page

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// clock is a clock that a test sets.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// exchange brings an invitation, and returns the cookie that it was exchanged for.
func exchange(t *testing.T, d *door, invitation string) *http.Cookie {
	t.Helper()
	w, r := httptest.NewRecorder(), request("GET", "")
	r.URL.RawQuery = url.Values{"once": {invitation}}.Encode()
	looks := request("HEAD", "")
	looks.URL.RawQuery = r.URL.RawQuery
	if d.enter(w, looks, nil, "/page/") {
		t.Error("who only looks is let in")
	}
	if !d.enter(w, r, nil, "/page/") {
		return nil
	}
	if w.Header().Get("Refresh") != "0; url=/page/" {
		t.Errorf("it leads on to %q", w.Header().Get("Refresh"))
	}
	return w.Result().Cookies()[0]
}

func request(method, token string) *http.Request {
	body := url.Values{"token": {token}}.Encode()
	r := httptest.NewRequest(method, "http://127.0.0.1:8080/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func with(r *http.Request, c *http.Cookie) *http.Request {
	r.AddCookie(c)
	return r
}

func TestAnInvitationIsGoodOnceAndForSomeTime(t *testing.T) {
	c := &clock{time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)}
	d := newDoor(c.Now)
	first, second := d.invite(""), d.invite("")
	if first == second || len(first) < 40 {
		t.Fatalf("invitations %q, %q", first, second)
	}
	cookie := exchange(t, d, first)
	if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode ||
		cookie.Path != "/page/" || cookie.Name != cookieName {
		t.Fatalf("cookie %v", cookie)
	}
	if strings.Contains(cookie.Value, first) {
		t.Error("the cookie says the invitation")
	}
	for _, bad := range []string{first, "", "x", second[1:]} {
		if exchange(t, d, bad) != nil {
			t.Errorf("%q lets in", bad)
		}
	}
	c.now = c.now.Add(inviteTime)
	if exchange(t, d, second) != nil {
		t.Error("an invitation whose time is over lets in")
	}
}

func TestASessionEnds(t *testing.T) {
	for name, end := range map[string]func(*door, *clock, *http.Cookie){
		"nothing was asked for": func(_ *door, c *clock, _ *http.Cookie) {
			c.now = c.now.Add(sessionTime)
		},
		"the guest left": func(d *door, _ *clock, cookie *http.Cookie) {
			r := with(request("POST", ""), cookie)
			d.leave(httptest.NewRecorder(), r, d.guest(r), "/")
		},
		"many came later": func(d *door, c *clock, _ *http.Cookie) {
			for range 64 {
				c.now = c.now.Add(time.Second)
				exchange(t, d, d.invite(""))
			}
		},
	} {
		c := &clock{time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)}
		d := newDoor(c.Now)
		cookie := exchange(t, d, d.invite(""))
		c.now = c.now.Add(sessionTime - 1)
		if d.guest(with(request("GET", ""), cookie)) == nil {
			t.Fatal("the session has ended too early")
		}
		end(d, c, cookie)
		if d.guest(with(request("GET", ""), cookie)) != nil {
			t.Errorf("%s, and the session is there", name)
		}
	}
}

func TestNobodyIsAGuestWithoutTheCookie(t *testing.T) {
	d := newDoor(time.Now)
	cookie := exchange(t, d, d.invite(""))
	other := *cookie
	other.Value = cookie.Value[:len(cookie.Value)-1] + "_"
	if d.guest(request("GET", "")) != nil || d.guest(with(request("GET", ""), &other)) != nil {
		t.Error("somebody is a guest")
	}
}

func TestAFormIsOfItsSession(t *testing.T) {
	d := newDoor(time.Now)
	one := d.guest(with(request("GET", ""), exchange(t, d, d.invite(""))))
	two := d.guest(with(request("GET", ""), exchange(t, d, d.invite(""))))
	for token, want := range map[string]bool{one.token: true, two.token: false, "": false} {
		r := request("POST", token)
		if err := r.ParseForm(); err != nil {
			t.Fatal(err)
		}
		if one.owns(r) != want {
			t.Errorf("token %q: %v", token, !want)
		}
	}
	one.say("done", &action{id: "7"})
	for _, tc := range []struct {
		of                *guest
		wantSaid, wantFor string
	}{{two, "", ""}, {one, "done", "7"}, {one, "", ""}} {
		if said, undo := tc.of.takeNotice(); said != tc.wantSaid || undo != tc.wantFor {
			t.Errorf("said %q of %q, want %q of %q", said, undo, tc.wantSaid, tc.wantFor)
		}
	}
	if one.take("6") != nil || two.take("7") != nil ||
		one.take("7") == nil || one.take("7") != nil {
		t.Error("an action is undone by another, or twice")
	}
}

func TestForeignOrigins(t *testing.T) {
	for origin, want := range map[string]bool{"": false, "http://127.0.0.1:8080": false,
		"http://127.0.0.1:8081": true, "http://evil.example": true, "null": true,
		"http://127.0.0.1:8080.evil.example": true} {
		r := request("POST", "")
		r.Header.Set("Origin", origin)
		if isForeign(r) != want {
			t.Errorf("Origin %q: foreign %v", origin, !want)
		}
	}
}
