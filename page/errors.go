package page

import (
	"errors"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/logline"
)

// fault is an error of this front, with its status.
type fault struct {
	status     int
	what, hint string
}

func (e *fault) Error() string { return e.what }

// Hint returns what to do.
func (e *fault) Hint() string { return e.hint }

// What is refused before a store is asked.
var (
	errHost = &fault{http.StatusForbidden, "This name is not that of the page.",
		"Open the URL as it was printed."}
	errOrigin = &fault{http.StatusForbidden, "Another site asked for this.", ""}
	errForged = &fault{http.StatusForbidden, "This form is not of your session.",
		"Go back, reload the page, and send it again."}
	errForm      = &fault{http.StatusBadRequest, "The form did not come as a whole.", ""}
	errSignedOut = &fault{http.StatusUnauthorized, "You are signed out.",
		"mem page prints a URL that lets you in; for the page of a server, " +
			"memd page --root ROOT --tenant ID does."}
	errInvite = &fault{http.StatusUnauthorized, "This URL was used, or its time is over.",
		"mem page prints a new one."}
	errNoEntry = &fault{http.StatusNotFound, "This agent has no such memory.", ""}
	errNoPage  = &fault{http.StatusNotFound, "There is no such page.", ""}
	errNoStore = &fault{http.StatusNotFound, "There is no such store here.",
		"Overview lists those there are."}
)

// statusOf returns the status of an error.
func statusOf(err error) int {
	var own *fault
	if errors.As(err, &own) {
		return own.status
	}
	switch mem.KindOf(err) {
	case mem.KindNo:
		return http.StatusNotFound
	case mem.KindInput:
		return http.StatusBadRequest
	case mem.KindRefused:
		return http.StatusUnprocessableEntity
	case mem.KindConflict:
		return http.StatusConflict
	case mem.KindLocked:
		return http.StatusLocked
	}
	return http.StatusInternalServerError
}

// failure is what is shown of an error.
type failure struct {
	Status        int
	Message, Hint string
}

func failureOf(err error) failure {
	return failure{statusOf(err), mem.Message(err), mem.Shown(mem.Hint(err))}
}

// fail answers with an error.
func (v *visit) fail(err error) {
	f := failureOf(err)
	if f.Status == http.StatusInternalServerError {
		v.o.Log.Error("page failed", logline.Component, "page", "error", f.Message)
	}
	v.send(f.Status, "error", "Not done", f)
}

// plain answers who may not even ask with an error.
func (p *Page) plain(w http.ResponseWriter, r *http.Request, err error) {
	(&visit{Page: p, w: w, r: r}).fail(err)
}
