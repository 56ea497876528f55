package bundle

import (
	"slices"

	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// fewOwners is how many of the newest events of a session are asked for the agents of it.
const fewOwners = 64

// circle is a session as a bundle sees it.
type circle struct {
	admits bool // the agent of the bundle takes part in the session, or is let into it
	agents bool // some agent has recorded something in the session
}

// isPrivate reports whether a record is of a private session of other agents: a bundle has nothing
// of it unless its agent has recorded something in that session, the session lists that agent, a
// handoff in it is for that agent, or the settings let agents share their sessions.
func (x *builder) isPrivate(rec log.Record) (bool, error) {
	of := x.read.ScopeOf(rec)
	if x.shares || of.Channel != "private" || of.Session == "" || of.Agent == x.req.Agent {
		return false, nil
	}
	c, known := x.circles[of.Session]
	if !known {
		var err error
		if c, err = x.circle(of.Session); err != nil {
			return false, err
		}
		x.circles[of.Session] = c
	}
	return !c.admits && (of.Agent != "" || c.agents), nil
}

// circle looks up the agents of a session.
func (x *builder) circle(session string) (c circle, err error) {
	settings := keypath.Sessions + "/" + ledger.SessionOf(session)
	if key, err := keypath.Parse(settings); err == nil {
		rec, found, err := x.read.SessionInfo(x.ctx, key)
		if err != nil {
			return c, err
		}
		c.admits = found && slices.Contains(ledger.ListedAgents(rec.Content), x.req.Agent)
	}
	if key, err := keypath.Parse(keypath.Handoffs + "/" + session + "/" + x.req.Agent); err == nil {
		_, found, err := x.read.GetPlaced(x.ctx, key)
		if err != nil {
			return c, err
		}
		c.admits = c.admits || found
	}
	below, err := keypath.ParsePrefix(keypath.Events + "/" + session)
	if err != nil || c.admits {
		return c, err
	}
	list := x.lately
	if session != x.req.Session {
		list, err = x.read.Newest(x.ctx, below, fewOwners)
	}
	for _, rec := range list[:min(len(list), fewOwners)] {
		agent := x.read.ScopeOf(rec).Agent
		c.agents = c.agents || agent != ""
		c.admits = c.admits || agent == x.req.Agent
	}
	return c, err
}

// shared returns the records that are of no private session of other agents.
func (x *builder) shared(list []log.Record, err error) ([]log.Record, error) {
	var kept []log.Record
	for _, rec := range list {
		hidden, failed := x.isPrivate(rec)
		if failed != nil {
			return nil, failed
		}
		if !hidden {
			kept = append(kept, rec)
		}
	}
	return kept, err
}
