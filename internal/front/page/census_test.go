package page

import (
	"fmt"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

func TestCount(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		set := func(key, content, source string, o mem.SetOptions) {
			t.Helper()
			_, err := s.Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse(key),
				Content: []byte(content), Source: []byte(source)}, o)
			s.Must(err)
		}
		set("/project/a", `{"created_at":"2020-01-01T00:00:00Z"}`, `{"kind":"agent","name":"codex"}`,
			mem.SetOptions{})
		set("/project/b/c", `"x"`, `{"kind":"user","name":"chat"}`, mem.SetOptions{})
		set("/user/d", `"x"`, `"somewhere"`, mem.SetOptions{})
		set("/user/e", `{"expired_at":"2001-01-01T00:00:00Z"}`, `"x"`, mem.SetOptions{})
		set("/kb/x", `"x"`, `"x"`, mem.SetOptions{Quarantine: true})
		sums, err := countStore(ctx, s.Store, mem.Caller{})
		s.Must(err)
		names := func(groups map[string]*group) (list string) {
			for _, g := range fullest(groups, 3) {
				list += fmt.Sprintf("%s %d, ", g.Name, g.Count)
			}
			return list
		}
		if sums.All.Count != 3 || sums.Expired != 1 || sums.Untrusted != 1 ||
			names(sums.Namespaces) != "project 2, user 1, " ||
			names(sums.Authors) != "codex 1, unknown 1, you 1, " ||
			sums.All.Oldest.Time().Year() != 2020 {
			t.Errorf("%+v, %s, %s", sums, names(sums.Namespaces), names(sums.Authors))
		}
		twice := newSums()
		twice.add(sums)
		twice.add(sums)
		if twice.All.Count != 6 || names(twice.Authors) != "codex 2, unknown 2, you 2, " {
			t.Errorf("twice: %+v", twice)
		}
		prefix, err := keypath.ParsePrefix("/project")
		s.Must(err)
		below, err := countBelow(ctx, s.Store, mem.Caller{}, prefix)
		if err != nil || fmt.Sprint(below) != "map[b:1]" {
			t.Errorf("below: %v, %v", below, err)
		}
	})
}

// What was counted holds until something is written. Of a store that takes long to count the count
// before is shown once more.
func TestKeeper(t *testing.T) {
	for _, step := range []time.Duration{0, time.Minute} {
		now := time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)
		s, err := mem.Open(t.TempDir()+"/m", mem.Options{Now: func() time.Time {
			now = now.Add(step)
			return now
		}})
		if err != nil {
			t.Fatal(err)
		}
		var k keeper
		count := func(want int) {
			t.Helper()
			sums, err := k.count(ctx, s, mem.Caller{})
			k.wait()
			if err != nil || sums.All.Count != want {
				t.Errorf("%v: %d, want %d (%v)", step, sums.All.Count, want, err)
			}
		}
		set := func(key string) {
			t.Helper()
			_, err := s.Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse(key),
				Content: []byte("1"), Source: []byte(`"x"`)}, mem.SetOptions{})
			if err != nil {
				t.Fatal(err)
			}
		}
		count(0)
		set("/a")
		if step > 0 {
			count(0) // it was counted while this was answered
		}
		count(1)
		count(1)
		set("/b")
		if step > 0 {
			count(1)
		}
		count(2)
		rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
		if err != nil || len(rep.Found) > 0 {
			t.Errorf("fsck: %v, %+v", err, rep.Found)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
