package door_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/front/door"
)

// clock is a clock that a test sets.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// enter brings an invitation, and returns the cookie that it was exchanged for.
func enter(t *testing.T, d *door.Door, invitation string) *http.Cookie {
	t.Helper()
	w, r := httptest.NewRecorder(), request("GET", "")
	r.URL.RawQuery = url.Values{"once": {invitation}}.Encode()
	looks := request("HEAD", "")
	looks.URL.RawQuery = r.URL.RawQuery
	if d.Enter(w, looks, nil, "/page/") {
		t.Error("who only looks is let in")
	}
	if !d.Enter(w, r, nil, "/page/") {
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
	d := door.New(c.Now)
	first, second := d.Invite(), d.Invite()
	if first == second || len(first) < 40 {
		t.Fatalf("invitations %q, %q", first, second)
	}
	cookie := enter(t, d, first)
	if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode ||
		cookie.Path != "/page/" || cookie.Name != "mem_page_8080" {
		t.Fatalf("cookie %v", cookie)
	}
	if strings.Contains(cookie.Value, first) {
		t.Error("the cookie says the invitation")
	}
	for _, bad := range []string{first, "", "x", second[1:]} {
		if enter(t, d, bad) != nil {
			t.Errorf("%q lets in", bad)
		}
	}
	c.now = c.now.Add(door.InviteTime)
	if enter(t, d, second) != nil {
		t.Error("an invitation whose time is over lets in")
	}
}

func TestASessionEnds(t *testing.T) {
	for name, end := range map[string]func(*door.Door, *clock, *http.Cookie){
		"nothing was asked for": func(_ *door.Door, c *clock, _ *http.Cookie) {
			c.now = c.now.Add(door.SessionTime)
		},
		"the guest left": func(d *door.Door, _ *clock, cookie *http.Cookie) {
			r := with(request("POST", ""), cookie)
			d.Leave(httptest.NewRecorder(), r, d.Guest(r), "/")
		},
		"many came later": func(d *door.Door, c *clock, _ *http.Cookie) {
			for range 64 {
				c.now = c.now.Add(time.Second)
				enter(t, d, d.Invite())
			}
		},
	} {
		c := &clock{time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)}
		d := door.New(c.Now)
		cookie := enter(t, d, d.Invite())
		c.now = c.now.Add(door.SessionTime - 1)
		if d.Guest(with(request("GET", ""), cookie)) == nil {
			t.Fatal("the session has ended too early")
		}
		end(d, c, cookie)
		if d.Guest(with(request("GET", ""), cookie)) != nil {
			t.Errorf("%s, and the session is there", name)
		}
	}
}

func TestNobodyIsAGuestWithoutTheCookie(t *testing.T) {
	d := door.New(time.Now)
	cookie := enter(t, d, d.Invite())
	other := *cookie
	other.Value = cookie.Value[:len(cookie.Value)-1] + "_"
	named := *cookie
	named.Name = "mem_page_8081" // of another server of this address
	if d.Guest(request("GET", "")) != nil || d.Guest(with(request("GET", ""), &other)) != nil ||
		d.Guest(with(request("GET", ""), &named)) != nil {
		t.Error("somebody is a guest")
	}
}

func TestAFormIsOfItsSession(t *testing.T) {
	d := door.New(time.Now)
	one := d.Guest(with(request("GET", ""), enter(t, d, d.Invite())))
	two := d.Guest(with(request("GET", ""), enter(t, d, d.Invite())))
	for token, want := range map[string]bool{one.Token: true, two.Token: false, "": false} {
		r := request("POST", token)
		if err := r.ParseForm(); err != nil {
			t.Fatal(err)
		}
		if one.Owns(r) != want {
			t.Errorf("token %q: %v", token, !want)
		}
	}
	one.Say("done")
	if one.Said() != "done" || one.Said() != "" || two.Said() != "" {
		t.Error("a notice is said to another, or twice")
	}
}

func TestForeignOrigins(t *testing.T) {
	for origin, want := range map[string]bool{"": false, "http://127.0.0.1:8080": false,
		"http://127.0.0.1:8081": true, "http://evil.example": true, "null": true,
		"http://127.0.0.1:8080.evil.example": true} {
		r := request("POST", "")
		r.Header.Set("Origin", origin)
		if door.Foreign(r) != want {
			t.Errorf("Origin %q: foreign %v", origin, !want)
		}
	}
}
