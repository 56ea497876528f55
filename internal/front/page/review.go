package page

import (
	"errors"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/audit"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// How much is shown at once.
const maxQueue, maxFound = 20, 50

func showQueue(v *visit) error { return v.sendQueue(http.StatusOK, "") }

// sendQueue answers with the queue; lost says why a proposal was not approved, in sentences.
func (v *visit) sendQueue(status int, lost string) error {
	var all []waiting
	for _, sh := range v.used() {
		list, err := waitingIn(v.ctx(), sh.store, v.caller)
		if err != nil {
			return err
		}
		for _, w := range list {
			w.place = place{sh, w.Rec.Key}
			all = append(all, w)
		}
	}
	shown := min(len(all), maxQueue)
	v.send(status, "review", "Review", struct {
		Queue []waiting
		More  int
		Lost  string
	}{all[:shown], len(all) - shown, lost})
	return nil
}

// shown returns what the person has seen of a decision, as its form says.
func (v *visit) shown(key keypath.Key) (s mem.Shown, err error) {
	s.Key = key
	if s.TS, err = v.stamp("ts"); err == nil && v.r.PostForm.Get("over") != "" {
		s.Over, err = v.stamp("over")
	}
	return s, err
}

func approve(v *visit, at place) error {
	shown, err := v.shown(at.Key)
	if err != nil {
		return err
	}
	out, err := queue.Approve(v.ctx(), at.store, v.caller, shown, mem.ApproveOptions{Force: true})
	if policy.IsProposal(at.Key) && errors.Is(err, mem.ErrConflict) {
		v.findProposals()
		return v.sendQueue(http.StatusConflict, mem.Message(err)+
			". Nothing was stored. Below is the rule as it is now.")
	}
	if err != nil {
		return err
	}
	return v.did("/review", "Approved: "+out.Key.Shown(), writes{at.shelf, []mem.Outcome{out}})
}

func reject(v *visit, at place) error {
	shown, err := v.shown(at.Key)
	if err != nil {
		return err
	}
	out, err := at.store.Reject(v.ctx(), v.caller, shown)
	if err != nil {
		return err
	}
	if policy.IsProposal(at.Key) {
		return v.did("/review", "Rejected. The rule stays as it is.",
			writes{at.shelf, []mem.Outcome{out}})
	}
	return v.redirect("/review", "Rejected. The history keeps it.")
}

func showTrust(v *visit) error {
	return v.show("trust", "Stores that ask for trust",
		storesAsking(v.ctx(), v.layers, v.caller, v.sites()))
}

// letIn lets a store in, and finds the stores anew.
func letIn(v *visit) error {
	form := v.r.PostForm
	v.mu.Lock()
	err := letInShown(v.ctx(), v.layers, v.caller, v.sites(), form.Get("root"),
		form.Get("seen"))
	v.mu.Unlock()
	if err == nil {
		err = v.find()
	}
	if err != nil {
		return err
	}
	return v.redirect("/review/trust", "Trusted: "+form.Get("root"))
}

// finding is what audit has found, with what its memories say.
type finding struct {
	audit.Finding
	*shelf
	Newest, Rest []listed
}

// CanSettle reports whether the first may take the place of the others.
func (f finding) CanSettle() bool { return f.Check == audit.Duplicates }

type auditData struct {
	Found         []finding
	Counts        []folder // by check
	More, Scanned int
}

var checks = []string{audit.Duplicates, audit.Dangling, audit.Expired}

func showAudit(v *visit) error {
	data, all := auditData{}, map[string][]finding{}
	for _, sh := range v.used() {
		o := audit.Options{Duplicates: true, Dangling: true, Expired: true}
		for _, other := range v.used() {
			if other != sh && other.ID == site.User {
				o.Others = append(o.Others, other.store)
			}
		}
		rep, err := audit.Run(v.ctx(), sh.store, v.caller, o)
		if err != nil {
			return err
		}
		data.Scanned += rep.Scanned
		for _, f := range rep.Found {
			all[f.Check] = append(all[f.Check], finding{Finding: f, shelf: sh})
		}
	}
	for _, check := range checks {
		data.Counts = append(data.Counts, folder{Name: check, Count: len(all[check])})
		data.Found = append(data.Found, all[check]...)
	}
	shown := min(len(data.Found), maxFound)
	data.More, data.Found = len(data.Found)-shown, data.Found[:shown]
	for i, f := range data.Found {
		data.Found[i].Newest = v.listKeys(f.shelf, f.Key)
		data.Found[i].Rest = v.listKeys(f.shelf, f.Others...)
	}
	return v.show("audit", "Duplicates and dangling references", data)
}

// listKeys returns the memories of some keys; it omits those that are deleted by now.
func (v *visit) listKeys(sh *shelf, keys ...keypath.Key) (list []listed) {
	for _, key := range keys {
		if rec, err := sh.store.Get(v.ctx(), v.caller, key, true); err == nil {
			list = append(list, v.newListed(sh.ID, rec))
		}
	}
	return list
}

// supersede marks a memory as replaced by another.
func supersede(v *visit, at place) error {
	by, err := keypath.Parse(v.r.PostForm.Get("by"))
	if err != nil {
		return err
	}
	done, err := edit.Supersede(v.ctx(), at.store, v.all, v.caller, at.Key, by, edit.Author{})
	if err != nil {
		return err
	}
	return v.edited(at, "/review/audit",
		at.Key.Shown()+" is superseded by "+by.Shown(), done.Result)
}

func agents(v *visit) error {
	list, err := journal.Agents(v.ctx(), v.all, v.caller)
	if err != nil {
		return err
	}
	return v.show("agents", "Agents", list)
}

// cardData has the memories that one agent keeps, and the words of its card.
type cardData struct {
	Agent, Title, Text, Empty string
	Entries                   []journal.Listed
	Total                     int
}

func agentCard(v *visit) error {
	agent := v.r.PathValue("agent")
	newest, total, err := journal.List(v.ctx(), v.all, v.caller, agent, journal.Listing)
	if err != nil {
		return err
	}
	return v.show("agent", agent, cardData{agent, journal.CardTitle, journal.CardText,
		journal.NoMemories, journal.NewListed(newest, log.StampOf(v.all.Now())), total})
}

func askDelete(v *visit) error {
	agent, id := v.r.PathValue("agent"), v.r.PathValue("id")
	list, _, err := journal.List(v.ctx(), v.all, v.caller, agent, 0)
	if err != nil {
		return err
	}
	for _, entry := range journal.NewListed(list, log.StampOf(v.all.Now())) {
		if entry.ID == id {
			return v.show("ask", journal.DeleteQuestion, cardData{Agent: agent,
				Title: journal.DeleteQuestion, Entries: []journal.Listed{entry}})
		}
	}
	return errNoEntry
}

// deleteEntry takes an entry out for good, where it is found among that agent's.
func deleteEntry(v *visit) (err error) {
	agent, id := v.r.PathValue("agent"), v.r.PathValue("id")
	for _, sh := range v.used() {
		if err = sh.err; err != nil {
			return err
		}
		var notice string
		notice, err = journal.Delete(v.ctx(), sh.store, v.caller, agent, id)
		if err == nil {
			return v.redirect("/agents/"+agent, notice)
		}
		if !errors.Is(err, mem.ErrNotFound) {
			return err
		}
	}
	return err
}
