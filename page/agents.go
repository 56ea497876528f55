package page

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/journal"
	"github.com/set-memory/mem/log"
)

func agents(v *visit) error {
	list, err := journal.Agents(v.ctx(), v.all, v.o.Caller)
	if err != nil {
		return err
	}
	return v.show("agents", "Agents", list)
}

// cardData is what one agent keeps, and the words of its card (J-30).
type cardData struct {
	Agent, Title, Text, Empty string
	Entries                   []journal.Listed
	Total                     int
}

func agentCard(v *visit) error {
	agent := v.r.PathValue("agent")
	newest, total, err := journal.List(v.ctx(), v.all, v.o.Caller, agent, journal.Listing)
	if err != nil {
		return err
	}
	return v.show("agent", agent, cardData{agent, journal.CardTitle, journal.CardText,
		journal.NoMemories, journal.NewListed(newest, log.StampOf(v.all.Now())), total})
}

// askData is one entry that is to go.
type askData struct {
	Agent, Question string
	Entry           journal.Listed
}

func askDelete(v *visit) error {
	agent, id := v.r.PathValue("agent"), v.r.PathValue("id")
	list, _, err := journal.List(v.ctx(), v.all, v.o.Caller, agent, 0)
	if err != nil {
		return err
	}
	for _, entry := range journal.NewListed(list, log.StampOf(v.all.Now())) {
		if entry.ID == id {
			return v.show("ask", journal.DeleteQuestion,
				askData{agent, journal.DeleteQuestion, entry})
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
		notice, err = journal.Delete(v.ctx(), sh.store, v.o.Caller, agent, id)
		if err == nil {
			return v.back("/agents/"+agent, notice)
		}
		if !errors.Is(err, mem.ErrNotFound) {
			return err
		}
	}
	return err
}
