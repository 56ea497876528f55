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
		// An inbox that cannot be read has none.
		v.facts, _, _ = intake.Here(v.ctx(), v.layers, v.caller, v.o.Inbox)
	}
}

// decideFact stores or refuses the proposed facts that are named, or none where one waits no more.
func decideFact(v *visit) error {
	form := v.r.PostForm
	list, err := v.shownFacts(form["id"])
	if err != nil {
		return err
	}
	stores := form.Get("do") == "approve"
	if !stores && form.Get("do") != "reject" {
		return mem.ErrInput
	}
	text := strings.TrimSpace(strings.ReplaceAll(form.Get("text"), "\r\n", "\n"))
	if stores && form.Has("text") && text == "" {
		return v.sendQueue(http.StatusBadRequest, "The text is empty. Nothing was stored.")
	}
	var parts []writes
	for i, p := range list {
		var stored intake.Stored
		if stores {
			stored, err = intake.Approve(v.ctx(), v.layers, v.caller, v.o.Inbox, p, text)
		} else {
			err = intake.Reject(v.caller, v.o.Inbox, p)
		}
		if err != nil {
			v.findFacts()
			return v.sendQueue(http.StatusConflict, mem.Message(err)+". "+decided(i))
		}
		if stores && !stored.Known {
			parts = append(parts, v.writesTo(stored))
		}
	}
	if !stores {
		return v.redirect("/review", "Rejected. It is not proposed again.")
	}
	notice := "Stored: " + plural(len(list), "memory", "memories")
	if list[0].Class == inbox.Rule {
		notice = "A rule now: injected first in every conversation"
	}
	return v.did("/review", notice, parts...)
}

// writesTo returns the write of an approved fact, for its undo.
func (v *visit) writesTo(s intake.Stored) (w writes) {
	i := slices.IndexFunc(v.shelves, func(sh *shelf) bool { return sh.site == s.Site })
	if i < 0 {
		return w
	}
	return writes{v.shelves[i], []mem.Outcome{s.Outcome}}
}

// decided says how many facts were decided before one could not be.
func decided(n int) string {
	if n == 0 {
		return "Nothing was stored."
	}
	return plural(n, "fact before it is", "facts before it are") + " decided."
}

// shownFacts returns the proposed facts of some ids, that the person was shown: an id names a text.
func (v *visit) shownFacts(ids []string) (list []inbox.Proposal, err error) {
	for _, id := range ids {
		i := slices.IndexFunc(v.facts, func(p inbox.Proposal) bool { return p.ID == id })
		if i < 0 {
			return nil, errDecided
		}
		list = append(list, v.facts[i])
	}
	if len(list) == 0 {
		return nil, errDecided
	}
	return list, nil
}

// errDecided is returned for a proposed fact that waits no more.
var errDecided = &fault{http.StatusConflict, "This proposal waits no more.", ""}
