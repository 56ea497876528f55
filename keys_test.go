package mem_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

// oddKeys show as others do. Earlier builds took them.
var oddKeys = []string{
	"/kb\u200b/x", "/ kb/x", "/kb /x", "/x ", "/soft\u00adly", "/葛\U000e0100", "/a\u200d",
	"/☕\ufe0f\ufe0f",
}

// No new memory gets a key that shows as another does, however it comes in.
func TestNewKeysShow(t *testing.T) {
	f := newStore(t)
	for _, text := range oddKeys {
		_, err := f.Set(ctx, mem.Caller{}, write(text, "1"), mem.SetOptions{})
		line := fmt.Sprintf(`{"key":%q,"content":1,"source":"chat"}`, text)
		_, batchErr := f.SetAll(ctx, mem.Caller{}, strings.NewReader(line), mem.BatchOptions{})
		for how, err := range map[string]error{"set": err, "batch": batchErr} {
			if !errors.Is(err, keypath.ErrKey) || mem.KindOf(err) != mem.KindInput {
				t.Errorf("%s of %q: %v", how, text, err)
			}
		}
	}
	if got := f.Keys(); got != "" {
		t.Errorf("stored: %q", got)
	}
}

// What is stored under such a key is read, replaced and deleted, and comes back in an import.
func TestStoredKeysThatDoNotShow(t *testing.T) {
	f := newStore(t)
	const form = `{"key":"%s","ts":"2026-02-22T09:00:00Z","content":{"text":"was"},"source":"x"}
`
	var lines strings.Builder
	for _, text := range oddKeys {
		fmt.Fprintf(&lines, form, text)
	}
	rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(lines.String()), mem.BatchOptions{})
	if err != nil || rep.Written != len(oddKeys) {
		t.Fatalf("%d imported, %v", rep.Written, err)
	}
	for _, text := range oddKeys {
		if got := f.Content(text); got != `{"text":"was"}` {
			t.Errorf("get %q: %s", text, got)
		}
		f.Put(text, `"replaced"`)
		versions, err := f.History(ctx, mem.Caller{}, keypath.MustParse(text))
		if err != nil || versions.Count != 2 {
			t.Errorf("history of %q: %d, %v", text, versions.Count, err)
		}
		f.Remove(text)
		_, err = f.Set(ctx, mem.Caller{}, write(text, "1"), mem.SetOptions{})
		if !errors.Is(err, keypath.ErrKey) {
			t.Errorf("%q is new again: %v", text, err)
		}
	}
	if rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{}); err != nil || len(rep.Left) > 0 {
		t.Errorf("fsck: %v, %v", rep.Left, err)
	}
}

// A look-alike in quarantine is never moved beside what it looks like.
func TestApproveRefusesALookAlike(t *testing.T) {
	f := newStore(t)
	const line = `{"key":"/untrusted/kb\u200b/x","ts":"2026-02-22T09:00:00Z","content":1,"source":"x"}`
	_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(line), mem.BatchOptions{})
	f.Must(err)
	place := keypath.MustParse("/untrusted/kb\u200b/x")
	_, err = approve(f.Store, mem.Caller{}, place, mem.ApproveOptions{})
	if !errors.Is(err, keypath.ErrKey) {
		t.Errorf("approved: %v", err)
	}
	if _, err := reject(f.Store, mem.Caller{}, place); err != nil {
		t.Errorf("reject: %v", err)
	}
}

// Only quarantine writes under /untrusted, and only a note gets the id of one. What is stored there
// may be deleted, a note's text replaced, and all of it imported. Nothing passes for what an agent
// keeps for itself and is told to everybody.
func TestReservedKeys(t *testing.T) {
	f := newStore(t)
	const ulidText = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	const noted = `{"key":"/note/user/m-3","ts":"2026-02-22T09:00:00Z","content":1,"source":"x"}
{"key":"/agent/bob/core/old","ts":"2026-02-22T09:00:01Z","content":1,"source":"x"}`
	_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(noted), mem.BatchOptions{})
	f.Must(err)
	for _, c := range []struct {
		key     string
		refused bool
	}{
		{"/note/user/m-1", true}, {"/note/session/m-999999999999999", true},
		{"/untrusted/x", true}, {"/untrusted", true},
		{"/note/user/m-3", false}, {"/agent/bob/core/old", false}, // they are there
		{"/note/user/m-01", false}, {"/note/team/m-1", false}, {"/note/user/name", false},
		{"/untrustedly", false},
		{"/agent/bob/journal/foo", true}, {"/agent/bob/core", true}, {"/agent/bob/core/a/b", true},
		{"/agent/bob/journal/" + ulidText + "/x", true},
		{"/agent/bob/journals/foo", false}, {"/agent/bob/x/journal/foo", false},
		{"/agent/core/x", false}, {"/agent/core/core", true},
	} {
		_, err := f.Set(ctx, mem.Caller{}, write(c.key, `{"text":"x"}`), mem.SetOptions{})
		line := fmt.Sprintf(`{"key":%q,"content":{"text":"x"},"source":"x"}`, c.key)
		_, batchErr := f.SetAll(ctx, mem.Caller{}, strings.NewReader(line), mem.BatchOptions{})
		for how, err := range map[string]error{"set": err, "batch": batchErr} {
			if errors.Is(err, policy.ErrReserved) != c.refused || !c.refused && err != nil {
				t.Errorf("%s %s: %v", how, c.key, err)
			}
			if c.refused && (mem.KindOf(err) != mem.KindRefused || mem.Hint(err) == "") {
				t.Errorf("%s %s: kind %s, hint %q", how, c.key, mem.KindOf(err), mem.Hint(err))
			}
		}
	}
	f.Remove("/note/user/m-3")
	_, err = f.Set(ctx, mem.Caller{}, write("/note/user/m-3", "1"), mem.SetOptions{})
	if !errors.Is(err, policy.ErrReserved) {
		t.Errorf("the id of a note that is gone: %v", err)
	}
}
