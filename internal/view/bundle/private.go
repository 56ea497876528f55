package bundle

import (
	"slices"

	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// fewOwners is how many of the newest events of a session are asked for the agents of it.
const fewOwners = 64

// circle is who may be told of the private records of a session.
type circle struct {
	admits bool     // the session lists the agent of the bundle, or a handoff is for it
	agents []string // that have recorded something in the session
}

// isPrivate reports whether a record is of a private session of other agents: a bundle has nothing
// of it unless the session lists its agent, a handoff in it is for that agent, or the settings let
// the agents of this memory share their sessions. What names no agent is of those that do in its
// session.
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
	if of.Agent == "" {
		return !c.admits && len(c.agents) > 0 && !slices.Contains(c.agents, x.req.Agent), nil
	}
	return !c.admits, nil
}

// circle looks up who may be told of a session.
func (x *builder) circle(session string) (c circle, err error) {
	if key, err := keypath.Parse(keypath.Sessions + "/" + session); err == nil {
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
	list, err := x.read.Newest(x.ctx, below, fewOwners)
	for _, rec := range list {
		if agent := x.read.ScopeOf(rec).Agent; agent != "" {
			c.agents = append(c.agents, agent)
		}
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
