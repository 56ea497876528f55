package page

import (
	"errors"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/rule/policy"
)

// maxBody is how many bytes a form may have: content has at most 1 MiB, and is sent with escapes.
const maxBody = 8 << 20

// admit refuses what another site makes a browser ask.
func (p *Page) admit(r *http.Request) error {
	switch {
	case !p.o.IsKnown(r.Host):
		return errHost
	case isForeign(r):
		return errOrigin
	}
	return nil
}

// check refuses a request without a session, and a form of another session.
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
	switch err := v.r.ParseForm(); {
	case errors.As(err, new(*http.MaxBytesError)):
		return errLarge
	case err != nil || !v.guest.owns(v.r):
		return errForged
	}
	return nil
}

// enter exchanges an invitation for a cookie, and goes on to a URL without it. It asks for the code
// of an invitation that has one.
func enter(v *visit) error {
	if q := v.r.URL.Query(); v.guest == nil && q.Has("code") && q.Get("code") == "" {
		v.send(http.StatusOK, "code", "Sign in", q.Get("once"))
		return nil
	}
	if !v.door.enter(v.w, v.r, v.guest, v.base+"/") {
		return errInvite
	}
	return nil
}

// leave ends the session.
func leave(v *visit) error {
	v.door.leave(v.w, v.r, v.guest, v.base+"/")
	v.guest = nil
	return errSignedOut
}

type fault struct {
	status     int
	what, hint string
}

func (e *fault) Error() string { return e.what }

// Advice returns what to do.
func (e *fault) Advice() advice.List { return advice.Say(e.hint) }

// The errors of requests that reach no store.
var (
	errHost = &fault{http.StatusForbidden, "This host name is not that of the page.",
		"Open the URL as it was printed."}
	errOrigin = &fault{http.StatusForbidden, "Another site asked for this.", ""}
	errForged = &fault{http.StatusForbidden, "This form belongs to another session.",
		"Go back, reload the page, and send it again."}
	errLarge = &fault{http.StatusRequestEntityTooLarge, "The form is too large.",
		"Go back: the text is still there; make it shorter."}
	errSignedOut = &fault{http.StatusUnauthorized, "You are signed out.",
		"mem page prints a URL that signs you in; for the page of a server, " +
			"memd page --root ROOT --tenant ID does."}
	errInvite = &fault{http.StatusUnauthorized, "This URL was used already, or has expired, " +
		"or the code is wrong.", "mem page prints a new one."}
	errUndone = &fault{http.StatusConflict, "Something else was done since, or this was undone.",
		"Each memory’s own page can undo its last write."}
	errNoTag   = &fault{http.StatusBadRequest, "No tag was given.", "Go back and type one."}
	errNoEntry = &fault{http.StatusNotFound, "This agent has no such memory.", ""}
	errNoPage  = &fault{http.StatusNotFound, "There is no such page.", ""}
	errNoStore = &fault{http.StatusNotFound, "There is no such store here.",
		"Overview lists the stores."}
)

// statusOf returns the status of an error.
func statusOf(err error) int {
	var own *fault
	if errors.As(err, &own) {
		return own.status
	}
	if status, ok := statuses[mem.KindOf(err)]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// statuses are those of the kinds of errors, and of none; all others are the server's fault.
var statuses = map[mem.Kind]int{
	mem.KindDone: http.StatusOK,
	mem.KindNo:   http.StatusNotFound, mem.KindInput: http.StatusBadRequest,
	mem.KindRefused:  http.StatusUnprocessableEntity,
	mem.KindConflict: http.StatusConflict, mem.KindLocked: http.StatusLocked,
}

type failure struct {
	Status        int
	Message, Hint string
}

func failureOf(err error) failure {
	hint := mem.MaskSecrets(mem.AdviceOf(err).Plain())
	if found := (*policy.SecretError)(nil); errors.As(err, &found) && found.Explain() != "" {
		hint = found.Explain() + "; " + hint
	}
	return failure{statusOf(err), mem.Message(err), hint}
}

func (v *visit) fail(err error) {
	f := failureOf(err)
	if f.Status == http.StatusInternalServerError {
		v.o.Log.Error("page failed", logline.Component, "page", "error", f.Message)
	}
	v.send(f.Status, "error", "Not done", f)
}
