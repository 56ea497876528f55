package inject_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// namesIn returns the names on the lines of a block, of a start without quoted keys.
func namesIn(text string) (names []string) {
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "("), ", "); ok && line[0] == '(' {
			names = append(names, name)
		}
	}
	return names
}

// Whatever is stored, a name in a block means the memory on its line, and no other.
func TestNamesAreTakenBack(t *testing.T) {
	id := rapid.SampledFrom([]string{"m-1", "m-2", "u-1", "u-2", "m-1-abcd", "m-02", "style"})
	place := rapid.SampledFrom([]string{"/note/user/", "/note/workspace/", "/note/session/", "/",
		"/project/", "/note/", "/project/two words/"})
	rapid.Check(t, func(rt *rapid.T) {
		f, stored := &fixture{storetest.NewStore(t, storetest.Memory)}, map[string]bool{}
		for range rapid.IntRange(1, 8).Draw(rt, "memories") {
			key := place.Draw(rt, "place") + id.Draw(rt, "id")
			content := rapid.SampledFrom([]string{`{"text":"x"}`,
				`{"text":"over","expired_at":"2020-01-01T00:00:00Z"}`}).Draw(rt, "content")
			if stored[key] {
				continue
			}
			f.Import(key, content)
			if stored[key] = true; rapid.Bool().Draw(rt, "deleted") {
				f.Put(key, "null")
			}
		}
		for _, trigger := range []inject.Trigger{inject.AtStart, inject.AtSubagent} {
			in := f.choose(inject.Options{Trigger: trigger})
			names := namesIn(in.Text)
			if len(names) != len(in.Memories) {
				rt.Fatalf("%d names, %d memories in\n%s", len(names), len(in.Memories), in.Text)
			}
			for i, m := range in.Memories {
				key, err := note.Resolve(context.Background(), f.Store.Store, mem.Caller{},
					names[i])
				if err != nil || key.String() != m.Key {
					rt.Fatalf("%q of %s is %v, %v in\n%s", names[i], m.Key, key, err, in.Text)
				}
			}
		}
	})
}

// An id stands on a line where it means one memory, to those who ask too: they may see more than is
// told.
func TestIDsThatMeanTwo(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for _, text := range []string{port, deploys} {
			_, err := note.Add(context.Background(), f.Store.Store, mem.Caller{}, text,
				note.Options{})
			f.Must(err)
		}
		asked := storetest.NewStore(t, storetest.Memory)
		asked.Import("/note/workspace/m-1", port)
		asked.Import("/note/session/m-1", deploys)
		for _, c := range []struct {
			names *mem.Store
			want  string
		}{
			{nil, "m-2 m-1"}, {asked.Store, "m-2 note/workspace/m-1"},
		} {
			in := f.choose(inject.Options{Trigger: inject.AtStart, Names: c.names})
			if got := strings.Join(namesIn(in.Text), " "); got != c.want {
				t.Errorf("%q, want %q in\n%s", got, c.want, in.Text)
			}
		}
		f.Import("/note/user/m-2", `{"text":"another"}`)
		in := f.choose(inject.Options{Trigger: inject.AtStart})
		for _, name := range namesIn(in.Text) {
			if keypath.MayBeID(name) && name != "m-1" {
				t.Errorf("%s means two in\n%s", name, in.Text)
			}
		}
	})
}
