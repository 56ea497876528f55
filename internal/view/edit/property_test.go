package edit_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"pgregory.net/rapid"
)

// values are JSON texts whose spelling an edit has to keep.
var values = []string{"1.0", "1e2", "-0", "12345678901234567890", `"牙科"`, `"a\"b"`, "{}", "[]",
	"[1,{\"x\":[null]}]", "null", "true", `"2020-01-01"`}

// drawObject returns an object with members of every name that mem reads, and others.
func drawObject(t *rapid.T) string {
	names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"text", "tags", "importance", "type",
		"created_at", "timestamp", "expired_at", "references", "superseded_by", "z", "Text",
		"牙"}), rapid.ID[string]).Draw(t, "names")
	var list []string
	for _, name := range names {
		value := rapid.SampledFrom(values).Draw(t, name)
		switch name {
		case "tags", "references":
			value = rapid.SampledFrom([]string{`[]`, `["a"]`, `["b","a"]`}).Draw(t, name)
		case "expired_at":
			value = "null"
		}
		list = append(list, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// A touch changes what it names and leaves all other members as they are written and where they
// are; the memory is as old as it was.
func TestTouchChangesNothingElse(t *testing.T) {
	s := storetest.NewStore(t, storetest.Memory)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawObject(t)
		n++
		f, key := &fixture{s}, fmt.Sprintf("/k%d", n)
		f.Put(key, text)
		was := f.record(key)
		f.pass(1e9)
		if _, err := f.touch(key, edit.Changes{Add: []string{"new"}}); err != nil {
			t.Fatal(err)
		}
		now := f.record(key)
		if before, after := strings.Join(others(was.Content), ","),
			strings.Join(others(now.Content), ","); before != after {
			t.Fatalf("%s became %s", was.Content, now.Content)
		}
		then, later := content.Parse(was.Content), content.Parse(now.Content)
		if then.Time(was.TS) != later.Time(now.TS) && !named(was.Content, "created_at") &&
			!named(was.Content, "timestamp") {
			t.Fatalf("%s became younger: %s", was.Content, now.Content)
		}
	})
}

// others returns the members that no touch of the tags may change.
func others(object []byte) (list []string) {
	for name, value := range jsontext.Members(object) {
		if name != "tags" && name != "created_at" {
			list = append(list, name+string(value))
		}
	}
	return list
}

func named(object []byte, want string) bool {
	for name := range jsontext.Members(object) {
		if name == want {
			return true
		}
	}
	return false
}

// Two undos return to what a key said, whatever it said.
func TestUndoTwiceIsARedo(t *testing.T) {
	s := storetest.NewStore(t, storetest.Memory)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		f, key := &fixture{s}, fmt.Sprintf("/k%d", n)
		for range rapid.IntRange(2, 4).Draw(t, "versions") {
			text := drawObject(t)
			if rapid.IntRange(0, 3).Draw(t, "void") == 0 {
				text = "null"
			}
			f.Put(key, text)
		}
		was := f.Content(key)
		f.undo(key)
		f.undo(key)
		if got := f.Content(key); strings.Join(others([]byte(got)), ",") !=
			strings.Join(others([]byte(was)), ",") || (got == "(none)") != (was == "(none)") {
			t.Fatalf("%s became %s", was, got)
		}
	})
}

// Of edits at once none is lost: each is stored, or told that it lost.
func TestEditsAtOnce(t *testing.T) {
	f := &fixture{storetest.NewStore(t, storetest.Files)}
	f.Put("/a", `{"text":"x"}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			tag := fmt.Sprintf("t%d", i)
			for {
				_, err := f.touch("/a", edit.Changes{Add: []string{tag}})
				if err == nil {
					return
				}
				if !errors.Is(err, mem.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for i := range 8 {
		if tag := fmt.Sprintf("t%d", i); !strings.Contains(f.Content("/a"), tag) {
			t.Errorf("%s is lost: %s", tag, f.Content("/a"))
		}
	}
}
