package page

import (
	"net/http"

	"github.com/set-memory/mem/door"
)

// maxBody is how many bytes a form may have: content has at most 1 MiB, and is sent with escapes.
const maxBody = 4 << 20

// admit refuses what another site makes a browser ask.
func (p *Page) admit(r *http.Request) error {
	switch {
	case !p.o.IsKnown(r.Host):
		return errHost
	case door.Foreign(r):
		return errOrigin
	}
	return nil
}

// check refuses who did not come in, and a form that is not of this session.
func (v *visit) check(rt route) error {
	switch {
	case rt.isOpen:
		return nil
	case v.guest == nil:
		return errSignedOut
	case v.r.Method != http.MethodPost:
		return nil
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxBody)
	if err := v.r.ParseForm(); err != nil {
		return errForm
	}
	if !v.guest.Owns(v.r) {
		return errForged
	}
	return nil
}

// enter exchanges an invitation for a cookie, and goes on to a URL without it.
func enter(v *visit) error {
	once := v.r.URL.Query().Get("once")
	if v.guest == nil && !v.door.Enter(v.w, v.r, once, v.o.Base+"/") {
		return errInvite
	}
	http.Redirect(v.w, v.r, v.o.Base+"/", http.StatusSeeOther)
	return nil
}

// leave ends the session.
func leave(v *visit) error {
	v.door.Leave(v.w, v.r, v.guest, v.o.Base+"/")
	v.guest = nil
	return errSignedOut
}
