package journal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
)

// The controller of the specification (J-37, J-25, J-26): display and deletion.

func TestListsTheNewest(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.old(twoWeeks, journal.Journal, "over")
		f.old(time.Hour+30*time.Minute, journal.Core, "core")
		f.save(journal.Journal, "first")
		f.save(journal.Journal, "second")
		f.Must(other(f, "bob"))
		list, total, err := journal.List(ctx, f.Store.Store, mem.Caller{}, "ada", journal.Listing)
		f.Must(err)
		var got []string
		for _, m := range journal.NewListed(list, f.now()) {
			key := "/agent/ada/" + string(m.Level) + "/" + m.ID
			if len(m.ID) != 26 || m.Key != key {
				t.Errorf("id %q, key %s", m.ID, m.Key)
			}
			got = append(got, fmt.Sprint(m.Level, " ", m.Created, " ", m.Content, " ", m.Expired))
		}
		want := []string{"journal 2026-02-22 12:00 second false",
			"journal 2026-02-22 12:00 first false", "core 2026-02-22 10:30 core false",
			"journal 2026-02-08 12:00 over true"}
		if fmt.Sprint(got) != fmt.Sprint(want) || total != 4 {
			t.Errorf("%d: %q", total, got)
		}
	})
}

// other stores a text for another agent.
func other(f *fixture, agent string) error {
	_, err := journal.Save(ctx, f.Store.Store, mem.Caller{}, journal.Core, "of "+agent,
		journal.Options{Agent: agent})
	return err
}

func TestListsAHundred(t *testing.T) {
	onEach(t, func(f *fixture) {
		for i := range 103 {
			f.save(journal.Core, fmt.Sprint("n", i))
		}
		list, total, err := journal.List(ctx, f.Store.Store, ada, "", journal.Listing)
		f.Must(err)
		if len(list) != 100 || total != 103 || list[0].Text != "n102" || list[99].Text != "n3" {
			t.Errorf("%d of %d, from %s to %s", len(list), total, list[0].Text, list[99].Text)
		}
		for limit, want := range map[int]int{1: 1, 102: 102, 200: 103, 0: 103} {
			list, total, err := journal.List(ctx, f.Store.Store, ada, "", limit)
			if err != nil || len(list) != want || total != 103 {
				t.Errorf("limit %d: %d of %d, %v", limit, len(list), total, err)
			}
		}
	})
}

func TestDeletesAMemory(t *testing.T) {
	onEach(t, func(f *fixture) {
		gone, stays := f.save(journal.Core, "zanzibar"), f.save(journal.Journal, "lamu")
		f.Must(other(f, "bob"))
		for _, c := range []struct{ agent, id string }{
			{"bob", gone.ID}, {"ada", "nope"}, {"ada", "../" + gone.ID}, {"ada", ""},
			{"ada", strings.ToLower(gone.ID)}, {"ada", gone.ID + "/x"},
		} {
			_, err := journal.Delete(ctx, f.Store.Store, mem.Caller{}, c.agent, c.id)
			if !errors.Is(err, mem.ErrNotFound) {
				t.Errorf("%s of %s: %v", c.id, c.agent, err)
			}
		}
		if _, err := journal.Delete(ctx, f.Store.Store, ada, "ada", gone.ID); !errors.Is(err,
			policy.ErrPerson) {
			t.Errorf("ada deletes: %v", err)
		}
		f.counts(1, 1)
		notice, err := journal.Delete(ctx, f.Store.Store, mem.Caller{}, "ada", gone.ID)
		if err != nil || notice != "Memory deleted" {
			t.Errorf("%q, %v", notice, err)
		}
		text := f.Logged()
		if strings.Contains(text, "zanzibar") || !strings.Contains(text, "lamu") {
			t.Errorf("left: %s", text)
		}
		if list := f.active(); len(list) != 1 || list[0].ID != stays.ID {
			t.Errorf("%+v", list)
		}
		_, err = journal.Delete(ctx, f.Store.Store, mem.Caller{}, "ada", gone.ID)
		if !errors.Is(err, mem.ErrNotFound) {
			t.Errorf("again: %v", err)
		}
	})
}

// What an agent is asked about another one it is not told, and an agent finds itself alone.
func TestAgentsSeeOnlyThemselves(t *testing.T) {
	onEach(t, func(f *fixture) {
		f.save(journal.Core, "of ada")
		f.old(twoWeeks, journal.Journal, "over")
		f.Must(other(f, "bob"))
		f.Must(other(f, "Ada"))
		s, bob := f.Store.Store, mem.Caller{Agent: "bob"}
		_, prompted := journal.ForPrompt(ctx, s, bob, "ada")
		_, _, listed := journal.List(ctx, s, bob, "ada", 1)
		_, counted := journal.Count(ctx, s, bob, "ada")
		_, deleted := journal.DeleteAgent(ctx, s, bob, "bob", false)
		_, erased := journal.Delete(ctx, s, bob, "ada", "x")
		for i, err := range []error{prompted, listed, counted, deleted, erased} {
			if !errors.Is(err, policy.ErrPerson) || mem.KindOf(err) != mem.KindRefused {
				t.Errorf("%d: %v", i, err)
			}
		}
		for agent, want := range map[string]string{
			"": "[{Ada {1 0}} {ada {1 1}} {bob {1 0}}]", "ada": "[{ada {1 1}}]", "eve": "[]",
		} {
			list, err := journal.Agents(ctx, s, mem.Caller{Agent: agent})
			if got := fmt.Sprint(list); err != nil || got != want {
				t.Errorf("%q: %s, %v", agent, got, err)
			}
		}
	})
}

// An agent's journal and core go, and all else stays (J-10).
func TestDeleteAgent(t *testing.T) {
	for _, forGood := range []bool{false, true} {
		onEach(t, func(f *fixture) {
			first := f.save(journal.Core, "zanzibar")
			f.save(journal.Journal, "pemba")
			f.Must(other(f, "bob"))
			f.Put("/agent/ada/notes", `"stays"`)
			if forGood { // also what was deleted before
				_, err := journal.DeleteAgent(ctx, f.Store.Store, mem.Caller{}, "ada", false)
				f.Must(err)
			}
			gone, err := journal.DeleteAgent(ctx, f.Store.Store, mem.Caller{}, "ada", forGood)
			f.Must(err)
			if gone.Counts != (journal.Counts{Core: 1, Journal: 1}) || len(gone.Keys) != 2 {
				t.Errorf("%+v", gone)
			}
			f.counts(0, 0)
			text := f.Logged()
			if strings.Contains(text, "zanzibar") == forGood ||
				strings.Contains(text, "pemba") == forGood {
				t.Errorf("for good %v: %s", forGood, text)
			}
			list, err := journal.Agents(ctx, f.Store.Store, mem.Caller{})
			if err != nil || fmt.Sprint(list) != "[{bob {1 0}}]" ||
				f.Content("/agent/ada/notes") != `"stays"` {
				t.Errorf("left: %v, %v", list, err)
			}
			for _, agent := range []string{"ada", "eve", first.ID} {
				_, err := journal.DeleteAgent(ctx, f.Store.Store, mem.Caller{}, agent, forGood)
				if !errors.Is(err, mem.ErrNotFound) {
					t.Errorf("%s: %v", agent, err)
				}
			}
		})
	}
}
