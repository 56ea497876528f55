package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The words of a page on which a person looks at what an agent keeps.
const (
	CardTitle = "Agent Memory"
	CardText  = "Review and manage this agent's memories. Core memories are permanent; journal " +
		"entries fade after a week."
	NoMemories = "This agent has no memories yet. Memories will appear here as the agent creates " +
		"them using save_to_journal or save_to_core tools."
	DeleteQuestion = "Delete this memory permanently?"
	DeleteNotice   = "Memory deleted"
)

// Listing is how many entries a list has where nobody says how many.
const Listing = 100

// unknown returns the error for a missing agent or entry; errors.Is(err, mem.ErrNotFound) holds.
func unknown(why string, do advice.List) error {
	return &fault.Fault{Why: why, Err: mem.ErrNotFound, Do: do}
}

// Listed is an entry as a list shows it.
type Listed struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Level   Level  `json:"memory_type"`
	Created string `json:"created_at"` // YYYY-MM-DD HH:MM in UTC
	Expired bool   `json:"expired"`
	Key     string `json:"key"` // what takes it out, see package forget
}

// NewListed returns entries as a list shows them at now.
func NewListed(entries []Memory, now log.Stamp) []Listed {
	list := make([]Listed, len(entries))
	for i, m := range entries {
		at := m.Created.String()
		list[i] = Listed{ID: m.ID, Content: m.Text, Level: m.Level, Key: m.Key.String(),
			Created: dayOf(m.Created) + " " + at[11:16], Expired: m.Expired(now)}
	}
	return list
}

// List returns the newest entries of an agent, of both levels, newest first and at most limit (0:
// all), and how many there are. The error is a *policy.PersonError where an agent names another
// one, an *AgentError, or as that of mem.Store.List.
func List(ctx context.Context, s *mem.Store, c mem.Caller, agent string, limit int) (
	newest []Memory, total int, err error) {
	if c, err = Acting(c, agent); err != nil {
		return nil, 0, err
	}
	err = each(ctx, s, c, c.Agent, false, func(m Memory) { newest = append(newest, m) })
	slices.SortFunc(newest, func(a, b Memory) int { return oldestFirst(b, a) })
	total = len(newest)
	if limit > 0 {
		newest = newest[:min(total, limit)]
	}
	return newest, total, err
}

// Counts is how many entries there are, those of the journal that are over included.
type Counts struct {
	Core    int `json:"core"`
	Journal int `json:"journal"`
}

func (n *Counts) add(level Level) {
	if level == Core {
		n.Core++
	} else {
		n.Journal++
	}
}

// Count counts the entries of an agent. The error is as that of [List].
func Count(ctx context.Context, s *mem.Store, c mem.Caller, agent string) (n Counts, err error) {
	if c, err = Acting(c, agent); err == nil {
		err = each(ctx, s, c, c.Agent, false, func(m Memory) { n.add(m.Level) })
	}
	return n, err
}

// Agent is an agent that keeps something.
type Agent struct {
	ID     string `json:"agent"`
	Counts Counts `json:"memories_count"`
}

// Agents returns the agents that keep something, by id. An agent that calls gets only itself.
func Agents(ctx context.Context, s *mem.Store, c mem.Caller) (list []Agent, err error) {
	err = each(ctx, s, c, c.Agent, false, func(m Memory) { // by key, so each agent's at once
		if n := len(list); n == 0 || list[n-1].ID != m.Agent {
			list = append(list, Agent{ID: m.Agent})
		}
		list[len(list)-1].Counts.add(m.Level)
	})
	slices.SortFunc(list, func(a, b Agent) int { return strings.Compare(a.ID, b.ID) })
	return list, err
}

// Delete takes one entry of an agent out of the history for good, and returns the notice that says
// so. It is looked up within that agent's entries: the id of another's is a mem.ErrNotFound.
// Only a person may call it.
func Delete(ctx context.Context, s *mem.Store, c mem.Caller, agent, id string) (
	notice string, err error) {
	if err := maintains(c, agent, "delete a memory"); err != nil {
		return "", err
	}
	for _, level := range Levels {
		key, ok := keyOf(agent, level, id)
		if !ok {
			break
		}
		_, err := s.Get(ctx, mem.Caller{Agent: agent, Now: c.Now}, key, true)
		if errors.Is(err, mem.ErrNotFound) {
			continue
		}
		if err == nil {
			_, err = s.Purge(ctx, c, mem.PurgeOptions{Keys: []keypath.Key{key}})
		}
		if err != nil {
			return "", err
		}
		return DeleteNotice, nil
	}
	return "", unknown(fmt.Sprintf("memory %.80q: agent %s has none of this id", id, agent),
		advice.Run("ls", "--agent", agent).Then(" lists them"))
}

// maintains refuses an agent, and what cannot be one's id.
func maintains(c mem.Caller, agent, what string) error {
	if err := policy.CheckNoAgent(c, what); err != nil {
		return err
	}
	return CheckAgent(agent)
}

// MayDeleteAgent refuses [DeleteAgent] to a caller that is no person.
func MayDeleteAgent(c mem.Caller, agent string) error { return maintains(c, agent, "agent delete") }

// Deleted lists the entries of an agent that were deleted.
type Deleted struct {
	Keys   []keypath.Key // by key
	Counts Counts
	Proof  backend.Proof // of a purge
}

func (d *Deleted) add(key keypath.Key) {
	_, level, _, _ := split(key)
	d.Keys = append(d.Keys, key)
	d.Counts.add(level)
}

// DeleteAgent deletes all that an agent keeps, in one append; with forGood every version of it that
// there ever was is taken out of the history, as by mem.Store.Purge. Other keys of the agent stay.
// Where there is nothing the error wraps mem.ErrNotFound. Only a person may call it.
func DeleteAgent(ctx context.Context, s *mem.Store, c mem.Caller, agent string, forGood bool) (
	gone Deleted, err error) {
	if err := MayDeleteAgent(c, agent); err != nil {
		return gone, err
	}
	if forGood {
		gone, err = purgeAgent(ctx, s, c, agent)
	} else {
		gone, err = buryAgent(ctx, s, c, agent)
	}
	if err == nil && len(gone.Keys) == 0 {
		err = unknown("agent "+agent+": it has no entries",
			advice.Run("agent", "list").Then(" names those that do"))
	}
	return gone, err
}

// buryAgent writes a tombstone for each live entry.
func buryAgent(ctx context.Context, s *mem.Store, c mem.Caller, agent string) (
	gone Deleted, err error) {
	below, err := prefixOf(agent)
	if err != nil || !s.Exists() {
		return gone, err
	}
	op, err := s.Begin(c, policy.Agent)
	if err != nil {
		return gone, err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error {
		gone = Deleted{}
		var tombstones []mem.Checked
		for rec, err := range tx.ScanBelow(ctx, below) {
			if err != nil {
				return err
			}
			if _, _, _, ok := split(rec.Key); !ok {
				continue
			}
			p, err := op.Tombstone(ctx, rec.Key, "user",
				op.Source("user", "mem agent", "agent", agent))
			if err != nil {
				return err
			}
			tombstones = append(tombstones, p)
			gone.add(rec.Key)
		}
		return tx.Put(tombstones...)
	})
	return gone, err
}

// purgeAgent takes every entry that there ever was out of the history.
func purgeAgent(ctx context.Context, s *mem.Store, c mem.Caller, agent string) (
	gone Deleted, err error) {
	ever := map[keypath.Key]bool{}
	err = s.Everything(ctx, func(rec log.Record) error {
		if owner, _, _, ok := split(rec.Key); ok && owner == agent && !content.IsPurgeMark(rec) {
			ever[rec.Key] = true
		}
		return nil
	})
	if err != nil || len(ever) == 0 {
		return gone, err
	}
	for key := range ever {
		gone.add(key)
	}
	slices.SortFunc(gone.Keys, keypath.Key.Compare)
	gone.Proof, err = s.Purge(ctx, c, mem.PurgeOptions{Keys: gone.Keys})
	return gone, err
}
