package page

import (
	"net/http"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/view/intake"
)

// findFacts finds the facts that hooks propose for the stores in use.
func (v *visit) findFacts() {
	if v.o.Inbox != nil {
		v.facts, _, _ = intake.Here(v.layers, v.o.Inbox) // an inbox that cannot be read has none
	}
}

// decideFact stores or refuses the proposed facts that are named.
func decideFact(v *visit) error {
	form := v.r.PostForm
	text := strings.TrimSpace(strings.ReplaceAll(form.Get("text"), "\r\n", "\n"))
	var parts []writes
	for _, id := range form["id"] {
		p, err := v.fact(id)
		if err != nil {
			return err
		}
		if form.Get("do") == "approve" && form.Has("text") && text == "" {
			return v.sendQueue(http.StatusBadRequest, "The text is empty")
		}
		if form.Get("do") == "approve" {
			var stored intake.Stored
			stored, err = intake.Approve(v.ctx(), v.layers, v.caller, v.o.Inbox, p, text)
			if err == nil && !stored.Known {
				parts = append(parts, v.writesTo(stored))
			}
		} else {
			err = v.o.Inbox.Decide(id)
		}
		if err != nil {
			v.findFacts()
			return v.sendQueue(http.StatusConflict, mem.Message(err))
		}
	}
	if form.Get("do") != "approve" {
		return v.redirect("/review", "Rejected. It is not proposed again.")
	}
	return v.did("/review", "Stored: "+plural(len(form["id"]), "memory", "memories"), parts...)
}

// writesTo returns the write of an approved fact, for its undo.
func (v *visit) writesTo(s intake.Stored) (w writes) {
	i := slices.IndexFunc(v.shelves, func(sh *shelf) bool { return sh.site == s.Site })
	if i < 0 {
		return w
	}
	return writes{v.shelves[i], []mem.Outcome{s.Outcome}}
}

// fact returns a proposed fact that the person was shown: its id names its text.
func (v *visit) fact(id string) (p inbox.Proposal, err error) {
	for _, p := range v.facts {
		if p.ID == id {
			return p, nil
		}
	}
	return p, errDecided
}

// errDecided is returned for a proposed fact that waits no more.
var errDecided = &fault{http.StatusConflict, "This proposal waits no more.", ""}
