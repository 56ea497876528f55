package layers_test

import (
	"errors"
	"fmt"
	"github.com/set-memory/mem/internal/store/backend"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// dotted returns the layers of a project with a .mem in its repository, which others have filled,
// and which nobody has let in yet; and its site.
func dotted(t *testing.T, lines ...string) (*layers.Layers, *site.Site) {
	t.Helper()
	l := inProject(t)
	root := filepath.Join(os.Getenv("HOME"), "app", ".mem")
	other, err := mem.Open(root, mem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.Store{T: t, Store: other}
	for i := 0; i < len(lines); i += 2 {
		f.Put(lines[i], lines[i+1])
	}
	f.Must(other.Close())
	f.Must(site.WriteGitFiles(root, false))
	one := l.Sites.SiteAt(root)
	return l, one
}

func unseen(t *testing.T, l *layers.Layers, one *site.Site) (string, []log.Record) {
	t.Helper()
	list, err := l.Unseen(ctx, mem.Caller{}, one)
	if err != nil {
		t.Fatal(err)
	}
	return keysOf(list), list
}

// A .mem that others fill: nothing of it is injected before a person has looked at it, nor what
// came since, and none of its records is a rule.
func TestTrustInAStore(t *testing.T) {
	l, one := dotted(t, "/a", `{"text":"a"}`, "/r", aRule, "/gone", "1", "/gone", "null")
	if keys, _ := unseen(t, l, one); keys != "/a /r" {
		t.Errorf("nobody has looked: %q", keys)
	}
	if list, err := l.UnseenDeletions(ctx, one); err != nil || len(list) != 0 {
		t.Errorf("not let in: %v, %v", list, err)
	}
	_, list := unseen(t, l, one)
	if err := l.LetIn(ctx, mem.Caller{}, one, list[:1]); err != nil {
		t.Fatal(err)
	}
	l.Close()
	l = layers.New(l.Sites, func(*site.Site) mem.Options { return mem.Options{} })
	l.Sites.Project = one
	t.Cleanup(func() { l.Close() })
	if keys, _ := unseen(t, l, one); keys != "/r" {
		t.Errorf("/a was looked at: %q", keys)
	}
	deletions, err := l.UnseenDeletions(ctx, one)
	if err != nil || keysOf(deletions) != "/gone" {
		t.Errorf("%q, %v", keysOf(deletions), err)
	}
	s, err := l.Open(one)
	if err != nil {
		t.Fatal(err)
	}
	f := &storetest.Store{T: t, Store: s}
	f.Put("/mine", aRule)
	if keys, _ := unseen(t, l, one); keys != "/r" {
		t.Errorf("its own lines: %q", keys)
	}
	if s.HoldsRules() || !storeOf(t, l, "user").HoldsRules() {
		t.Error("a .mem holds rules, or the user's store none")
	}
	admitted, err := l.Admitted()
	f.Must(err)
	only, err := l.AdmittedOf(one)
	f.Must(err)
	both, err := l.Reading()
	f.Must(err)
	for name, c := range map[string]struct {
		s    *mem.Store
		want string
	}{"admitted": {admitted, "/a /mine"}, "one": {only, "/a /mine"}, "read": {both,
		"/a /mine /r"}} {
		if got := strings.Join(keysIn(t, c.s), " "); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	standing := both.Reader(mem.Caller{}).Standing
	f.Must(both.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		it := mem.ItemOf(rec)
		if standing(&it) != readout.RepositoryFact {
			t.Errorf("%s is a rule", rec.Key)
		}
		if got := both.Describe(rec).Untrusted; got != (rec.Key == keyOf("/r")) ||
			both.Trusts(rec) == got {
			t.Errorf("%s: untrusted %v", rec.Key, got)
		}
		return nil
	}))
	found, err := both.Search(ctx, mem.Caller{}, mem.SearchOptions{})
	f.Must(err)
	for _, hit := range found {
		if hit.Untrusted != (hit.Record.Key == keyOf("/r")) {
			t.Errorf("%s is found: untrusted %v", hit.Record.Key, hit.Untrusted)
		}
	}
	mine := &storetest.Store{T: t, Store: storeOf(t, l, "user")}
	mine.Put("/r", `{"text":"a fact of the user"}`)
	mine.Put("/a", `{"text":"a fact of the user"}`)
	for key, layer := range map[string]string{"/r": "user", "/a": "project"} {
		if rec, err := both.Get(ctx, mem.Caller{}, keyOf(key), false); err != nil ||
			rec.Layer != layer {
			t.Errorf("%s of %q hides the other: %v", key, rec.Layer, err)
		}
	}
	line, err := s.Get(ctx, mem.Caller{}, keyOf("/mine"), false)
	f.Must(err)
	proof, err := s.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{keyOf("/mine")}})
	if err != nil || len(proof.Remains) > 0 || proof.Versions != 1 {
		t.Errorf("%+v, %v", proof, err)
	}
	known, err := l.Sites.Book.Lines(*one.Grant)
	if err != nil || known.Has(line.Envelope) {
		t.Errorf("the book still knows what was purged: %v", err)
	}
	if list, err := l.Unseen(ctx, mem.Caller{}, l.Sites.User); list != nil || err != nil {
		t.Errorf("the user's own: %v, %v", list, err)
	}
}

// A .mem takes nothing of the user's away: what it has under a personal key, an agent's, or one
// with a number, stands beside it.
func TestWhatADotMemHides(t *testing.T) {
	const ada = "/agent/ada/core/" + anID
	l, one := dotted(t, "/user/a", "1", ada, "1", "/plain", "1")
	user := &storetest.Store{T: t, Store: storeOf(t, l, "user"), Clock: noon}
	for _, key := range []string{"/user/a", ada, "/plain", "/note/user/m-1"} {
		user.Import(key, "2")
	}
	_, list := unseen(t, l, one)
	user.Must(l.LetIn(ctx, mem.Caller{}, one, list))
	again := layers.New(l.Sites, func(*site.Site) mem.Options { return mem.Options{} })
	again.Sites.Project = one
	t.Cleanup(func() { again.Close() })
	admitted, err := again.Admitted()
	user.Must(err)
	got := map[string]int{}
	user.Must(admitted.List(ctx, mem.Caller{Agent: "ada"}, mem.Filter{},
		func(rec log.Record) error {
			got[rec.Key.String()]++
			return nil
		}))
	for key, want := range map[string]int{"/user/a": 2, ada: 2, "/plain": 1, "/note/user/m-1": 1} {
		if got[key] != want {
			t.Errorf("%s: %d", key, got[key])
		}
	}
}

// What is written into a .mem is known as this person's, and in one that git shares the numbers of
// notes; what cannot be noted is warned of.
func TestWhatAWriteNotes(t *testing.T) {
	for _, shared := range []bool{false, true} {
		l, one := dotted(t, "/a", "1")
		user := &storetest.Store{T: t, Store: storeOf(t, l, "user"), Clock: noon}
		user.Must(site.WriteGitFiles(one.Root, shared))
		user.Must(l.LetIn(ctx, mem.Caller{}, one, nil))
		var warnings []string
		again := layers.New(l.Sites, func(*site.Site) mem.Options {
			return mem.Options{Warn: func(msg string) { warnings = append(warnings, msg) }}
		})
		again.Sites.Project = one
		t.Cleanup(func() { again.Close() })
		s, err := again.Open(one)
		user.Must(err)
		f := &storetest.Store{T: t, Store: s, Clock: noon}
		noted := func(id string) {
			op := begun(t, s, mem.Caller{}, policy.Note)
			p, err := checked(t, op, write("/note/workspace", `{"text":"`+id+`"}`)).Named(id)
			f.Must(err)
			f.Must(put(op, p))
		}
		noted("m-7")
		noted("m-3")
		want := int64(0)
		if shared {
			want = 7
		}
		if got := one.LastNoteNumber(); got != want || len(warnings) > 0 {
			t.Errorf("shared %v: %d, %q", shared, got, warnings)
		}
		if keys, _ := unseen(t, again, one); keys != "/a" {
			t.Errorf("shared %v: %q", shared, keys)
		}
		lines := filepath.Join(l.Sites.Book.Dir(), "lines", one.Grant.ID)
		f.Must(os.Rename(lines, lines+".x"))
		f.Must(os.Mkdir(lines, 0o700))
		f.Put("/late", "1")
		if len(warnings) != 1 || !strings.Contains(warnings[0],
			"hooks inject new memories only after mem trust has listed them") {
			t.Errorf("%q", warnings)
		}
		proof, err := s.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
			Keys: []keypath.Key{keyOf("/late")}})
		if !errors.Is(err, mem.ErrRemains) || len(proof.Remains) != 1 || proof.Remains[0] != lines {
			t.Errorf("%+v, %v", proof.Remains, err)
		}
		if keys, _ := unseen(t, layers.New(again.Sites, func(*site.Site) mem.Options {
			return mem.Options{}
		}), one); !strings.Contains(keys, "/note/workspace/m-7") {
			t.Errorf("a book that cannot be read knows lines: %q", keys)
		}
		f.Must(os.Remove(lines))
		f.Must(os.Rename(lines+".x", lines))
	}
}

// What has expired is listed for a person all the same: another clock may show it.
func TestUnseenAndExpired(t *testing.T) {
	l, one := dotted(t, "/late", `{"expired_at":"2020-01-01T00:00:00Z"}`, "/a", "1")
	if keys, _ := unseen(t, l, one); keys != "/a /late" {
		t.Errorf("%q", keys)
	}
}

// The store of the repository beside the user's is covered by a .mem: only a person takes away its
// rules.
func TestStoreBeside(t *testing.T) {
	for _, c := range []struct {
		text    string
		by      mem.Caller
		refused bool
	}{
		{aRule, mem.Caller{}, false}, {aRule, aClient, true}, {`{"text":"f"}`, aClient, false},
		{"", aClient, false},
	} {
		l, one := dotted(t, "/a", "1")
		if c.text != "" {
			f := &storetest.Store{T: t, Store: storeOf(t, l, "project")}
			f.Put("/beside", c.text)
			f.Clock = noon
			f.Import("/event/s/evt_"+anID, "1")
			f.Import("/untrusted/kb/a", "1")
		}
		if root, n, err := l.StoreBeside(ctx, mem.Caller{}); root != "" || n != 0 || err != nil {
			t.Errorf("nothing is covered: %q %d %v", root, n, err)
		}
		err := l.LetIn(ctx, c.by, one, nil)
		if errors.Is(err, policy.ErrPerson) != c.refused || !c.refused && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		l.Sites.Project = one
		root, n, err := l.StoreBeside(ctx, mem.Caller{})
		want := 0
		if c.text != "" {
			want = 1
		}
		if root == "" || n != want || err != nil {
			t.Errorf("%+v: %q %d %v", c, root, n, err)
		}
	}
}

// Nothing is covered where there is no store beside, nor in a .mem outside of every repository,
// which holds no rules either.
func TestNothingBeside(t *testing.T) {
	l, one := dotted(t, "/a", "1")
	l.Sites.Projects = ""
	if err := l.LetIn(ctx, aClient, one, nil); err != nil {
		t.Error(err)
	}
	outside := &site.Site{Layer: site.Project, Root: filepath.Join(t.TempDir(), ".mem"), Dot: true}
	s, err := l.Open(outside)
	if err != nil {
		t.Fatal(err)
	}
	f := &storetest.Store{T: t, Store: s}
	f.Put("/r", aRule)
	rec, err := s.Get(ctx, mem.Caller{}, keyOf("/r"), false)
	f.Must(err)
	if s.HoldsRules() || begun(t, s, aClient, policy.Set).IsRule(rec) {
		t.Error("a .mem outside of a repository holds rules")
	}
	if list, err := l.Unseen(ctx, mem.Caller{}, outside); err != nil || keysOf(list) != "/r" {
		t.Errorf("%v, %v", list, err)
	}
}

// A store of one of this person's repositories may be taken in by anybody, any other by a person.
func TestMayTakeIn(t *testing.T) {
	l := inProject(t)
	own := storeOf(t, l, "project")
	if _, err := own.Create(); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(own.Path(), link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		by      mem.Caller
		path    string
		refused error
	}{
		{mem.Caller{}, t.TempDir(), nil}, {mem.Caller{Unattended: true}, t.TempDir(), nil},
		{aClient, t.TempDir(), policy.ErrPerson}, {aClient, own.Path(), nil}, {aClient, link, nil},
		{mem.Caller{Agent: "ada"}, filepath.Dir(own.Path()), policy.ErrPerson},
		{aClient, filepath.Join(filepath.Dir(own.Path()), "none"), policy.ErrPerson},
	} {
		err := l.MayTakeIn(c.by, c.path, "copy")
		if !errors.Is(err, c.refused) || c.refused == nil && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	l.Sites.Projects = ""
	if err := l.MayTakeIn(aClient, own.Path(), "copy"); !errors.Is(err, policy.ErrPerson) {
		t.Errorf("without repositories: %v", err)
	}
}

// A store is not let in where nobody can note the state that was shown; and of one
// on a server nothing is noted here.
func TestGrantsThatFail(t *testing.T) {
	l, one := dotted(t, "/a", "1")
	_, list := unseen(t, l, one)
	lines := filepath.Join(l.Sites.Book.Dir(), "lines")
	err := errors.Join(os.MkdirAll(filepath.Dir(lines), 0o700), os.WriteFile(lines, nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.LetIn(ctx, mem.Caller{}, one, list); err == nil {
		t.Error("the lines that were looked at are lost")
	}
	served, asked := newStore(t), 0
	remote := *one
	remote.Remote, remote.Grant = "postgres://example.org/x", &site.Grant{}
	there := layers.New(l.Sites, func(*site.Site) mem.Options {
		return mem.Options{Connect: func(_ string, o mem.Options) (*mem.Store, error) {
			if asked++; o.OnStored != nil {
				t.Error("lines of a server are noted")
			}
			return served.Store, nil
		}}
	})
	if _, err := there.Open(&remote); err != nil || asked != 1 {
		t.Errorf("%d, %v", asked, err)
	}
}

// A person covers a store that cannot be read, too.
func TestCoveredUnread(t *testing.T) {
	l, one := dotted(t, "/a", "1")
	beside := storeOf(t, l, "project")
	path := filepath.Join(beside.Path(), log.File)
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := l.LetIn(ctx, aClient, one, nil); err == nil {
		t.Error("a client covers what nobody has read")
	}
	if err := l.LetIn(ctx, mem.Caller{}, one, nil); err != nil {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
}

// A repository that was moved has its memories in the store of its former place, until it has some
// of its own.
func TestMatches(t *testing.T) {
	l := inProject(t)
	f := &storetest.Store{T: t, Store: storeOf(t, l, "project")}
	if list, err := l.Matches(ctx, mem.Caller{}); len(list) != 0 || err != nil {
		t.Errorf("none: %v, %v", list, err)
	}
	f.Put("/a", "1")
	f.Put("/b", "1")
	app := filepath.Join(os.Getenv("HOME"), "app")
	f.Must(os.Rename(app, app+"-moved"))
	sites, err := site.Find("", app+"-moved", func(string) string { return "" })
	f.Must(err)
	moved := layers.New(sites, func(*site.Site) mem.Options { return mem.Options{} })
	defer moved.Close()
	list, err := moved.Matches(ctx, mem.Caller{})
	if err != nil || len(list) != 1 || list[0].Memories != 2 || list[0].Root != f.Path() {
		t.Errorf("%+v, %v", list, err)
	}
	own := &storetest.Store{T: t, Store: storeOf(t, moved, "project")}
	for _, want := range []bool{false, true} {
		if has, err := moved.HasOwn(ctx, mem.Caller{}); has != want || err != nil {
			t.Errorf("memories of its own: %v, %v", has, err)
		}
		own.Put("/c", "1")
	}
	if list, err := moved.Matches(ctx, mem.Caller{}); len(list) != 1 || err != nil {
		t.Errorf("with memories of its own: %v, %v", list, err)
	}
	checkShown(t, moved, own)
	moved.Sites.Project = nil
	if list, err := moved.Matches(ctx, mem.Caller{}); len(list) != 0 || err != nil {
		t.Errorf("outside: %v, %v", list, err)
	}
}

// checkShown fails unless each start shows the store of a repository that was moved while the new
// one has fewer memories than its two, and later one start a day.
func checkShown(t *testing.T, moved *layers.Layers, own *storetest.Store) {
	t.Helper()
	now := log.StampOf(own.Now())
	check := func(what string, now log.Stamp, want bool) {
		t.Helper()
		if id := moved.MatchToShow(ctx, mem.Caller{}, now); id != "" != want {
			t.Errorf("%s: %q, shown %v", what, id, !want)
		}
	}
	check("one memory", now, true)
	check("one memory, the next start", now, true)
	own.Put("/d", "1")
	own.Put("/e", "1")
	now = log.StampOf(now.Time().Add(24 * time.Hour))
	check("more memories", now, true)
	check("more memories, the next start", now, false)
}

// Injections inside of a project leave out the memories of the user's store that belong to none.
func TestInjected(t *testing.T) {
	l := inProject(t)
	user := &storetest.Store{T: t, Store: storeOf(t, l, "user")}
	project := &storetest.Store{T: t, Store: storeOf(t, l, "project")}
	user.Put("/plain", "1")
	user.Put("/user/name", "1")
	user.Put("/both", "1")
	project.Put("/both", "2")
	project.Put("/note/workspace/x", "1")
	injected, err := l.Injected()
	user.Must(err)
	users, err := l.InjectedUser()
	user.Must(err)
	admitted, err := l.Admitted()
	user.Must(err)
	for name, c := range map[string]struct {
		s    *mem.Store
		want string
	}{"injected": {injected, "/both /note/workspace/x /user/name"}, "user": {users, "/user/name"},
		"admitted": {admitted, "/both /note/workspace/x /plain /user/name"}} {
		if got := strings.Join(keysIn(t, c.s), " "); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if n, err := l.Unfiled(ctx, mem.Caller{}); n != 2 || err != nil {
		t.Errorf("%d unfiled, %v", n, err)
	}
	sites := l.Sites
	sites.Project = nil
	alone := layers.New(sites, func(*site.Site) mem.Options { return mem.Options{} })
	defer alone.Close()
	if alone.Layered() || !l.Layered() {
		t.Error("layered, or not")
	}
	if s, err := alone.InjectedUser(); s != nil || err != nil {
		t.Errorf("outside: %v, %v", s, err)
	}
	outside, err := alone.Injected()
	user.Must(err)
	if got := strings.Join(keysIn(t, outside), " "); got != "/both /plain /user/name" {
		t.Errorf("outside: %q", got)
	}
	reading, err := alone.Reading()
	user.Must(err)
	if own, err := alone.Open(sites.User); err != nil || own != reading {
		t.Errorf("%v", err)
	}
	if s, err := l.Reading(); err != nil {
		t.Error(err)
	} else if again, _ := l.Reading(); s != again {
		t.Error("joined twice")
	}
	for name, layers := range map[string]*layers.Layers{"project": alone, "none": l} {
		if _, err := layers.Site(name); !errors.Is(err, mem.ErrNoLayer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for key, want := range map[string]string{"/user/a": "user user", "/a": "user project"} {
		a, err1 := alone.SiteFor(keyOf(key))
		b, err2 := l.SiteFor(keyOf(key))
		if err := errors.Join(err1, err2); err != nil || a.Layer+" "+b.Layer != want {
			t.Errorf("%s: %s %s, %v", key, a.Layer, b.Layer, err)
		}
	}
	one, found, err := alone.Holding(ctx, mem.Caller{}, keyOf("/plain"))
	if err != nil || !found || one != sites.User {
		t.Errorf("%v %v %v", one, found, err)
	}
	named := layers.Of(user.Store)
	for _, name := range []string{"user", "project"} {
		if one, err := named.Site(name); err != nil || one.Root != user.Path() {
			t.Errorf("the named store: %v, %v", one, err)
		}
	}
	if one, err := named.SiteFor(keyOf("/user/a")); err != nil || one.Root != user.Path() {
		t.Errorf("the named store: %v, %v", one, err)
	}
	if s, err := named.Admitted(); err != nil || s != user.Store {
		t.Errorf("the named store: %v", err)
	}
	none := layers.New(site.Sites{Project: l.Sites.Project}, nil)
	if n, err := none.Unfiled(ctx, mem.Caller{}); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// Two stores give the same numbers to notes that have nothing to do with each other; a rule of the
// user is hidden by no fact of the project, and a .mem hides nothing that is the user's own.
func TestWhatHides(t *testing.T) {
	l := inProject(t)
	user := &storetest.Store{T: t, Store: storeOf(t, l, "user")}
	project := &storetest.Store{T: t, Store: storeOf(t, l, "project")}
	for _, f := range []*storetest.Store{user, project} {
		f.Import("/note/workspace/m-1", fmt.Sprintf(`{"text":%q}`, f.Path()))
		f.Import("/plain", fmt.Sprintf(`{"text":%q}`, f.Path()))
	}
	user.Put("/r", aRule)
	project.Put("/r", `{"text":"no rule"}`)
	both, err := l.Reading()
	user.Must(err)
	if got := strings.Join(keysIn(t, both), " "); got != "/note/workspace/m-1 /note/workspace/m-1 "+
		"/plain /r /r" {
		t.Errorf("%q", got)
	}
	rec, err := both.Get(ctx, mem.Caller{}, keyOf("/r"), false)
	if err != nil || rec.Layer != "user" {
		t.Errorf("%s of %q, %v", rec.Content, rec.Layer, err)
	}
	if rec, err = both.Get(ctx, mem.Caller{}, keyOf("/plain"), false); err != nil ||
		rec.Layer != "project" {
		t.Errorf("%s of %q, %v", rec.Content, rec.Layer, err)
	}
	if _, err := both.PutBlob(ctx, strings.NewReader("x"), 9); err == nil {
		t.Error("a blob of two stores")
	}
	blob, err := user.PutBlob(ctx, strings.NewReader("x"), 9)
	user.Must(err)
	if text, err := storetest.Blob(both, blob.Sum); err != nil || text != "x" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := both.OpenBlob(ctx, "x"); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
}

// A batch of lines of which one layer refuses some: the whole batch is refused, or they alone.
func TestLayersOfBatches(t *testing.T) {
	l := inProject(t)
	const line = `{"key":"/agent/ada/core/` + anID + `","content":1,"source":"s"}`
	_, err := l.SetAll(ctx, mem.Caller{}, strings.NewReader(line), mem.BatchOptions{})
	if !errors.Is(err, policy.ErrReserved) {
		t.Errorf("without force: %v", err)
	}
	rep, err := l.SetAll(ctx, mem.Caller{}, strings.NewReader(line), mem.BatchOptions{Force: true})
	if err != nil || rep.Written != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	_, err = l.SetAll(ctx, mem.Caller{}, strings.NewReader(line),
		mem.BatchOptions{AllowSecrets: []string{"none"}})
	if !errors.Is(err, mem.ErrInput) {
		t.Errorf("no rule for secrets: %v", err)
	}
	project := storeOf(t, l, "project")
	if err := stored(begun(t, project, mem.Caller{Agent: "ada"}, policy.Core),
		write("/agent/ada/core/"+anID, "1")); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("what an agent keeps is in a project: %v", err)
	}
}

// Rules and what matters come first where a person reviews.
func TestCompareWeight(t *testing.T) {
	var list []log.Record
	for _, c := range [][2]string{{"/note/user/m-10", `{"importance":0.9}`},
		{"/note/user/m-9", `{"importance":0.9}`}, {"/r", aRule},
		{"/s", `{"type":"rule","importance":0.9}`}, {"/z", `{"importance":0.95}`},
		{"/a", `{"importance":0.1}`}} {
		list = append(list, log.Record{Envelope: log.Envelope{Key: keyOf(c[0]),
			Content: []byte(c[1])}})
	}
	slices.SortFunc(list, layers.CompareWeight)
	if got := keysOf(list); got != "/s /r /z /note/user/m-9 /note/user/m-10 /a" {
		t.Error(got)
	}
}

// A purge in a project also takes its keys out of the journals of the user's store.
func TestPurgesBeside(t *testing.T) {
	l := inProject(t)
	user := &storetest.Store{T: t, Store: storeOf(t, l, "user")}
	project := &storetest.Store{T: t, Store: storeOf(t, l, "project")}
	user.Put("/user/a", "1")
	keys := []keypath.Key{keyOf("/secret/one")}
	project.Put("/secret/one", `{"text":"forget this text of mine"}`)
	for _, of := range []string{l.Sites.Project.Name(), "another"} {
		line := fmt.Sprintf(`{"op":"inject","project":%q,"key":"/secret/one"}`+"\n", of)
		user.Journal(backend.InjectionsFile).Append([]byte(line), 1<<20)
	}
	proof, err := project.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: keys, ForgetKeys: true})
	if err != nil || len(proof.Remains) != 0 {
		t.Errorf("%+v, %v", proof, err)
	}
	text, err := user.Journal(backend.InjectionsFile).Read(1 << 20)
	if err != nil || strings.Count(string(text), "/secret/one") != 1 ||
		!strings.Contains(string(text), "another") {
		t.Errorf("%s, %v", text, err)
	}
	// A journal that cannot be read is named.
	project.Put("/secret/two", `{"text":"forget that text of mine"}`)
	journal := filepath.Join(user.Path(), backend.InjectionsFile)
	user.Must(os.Remove(journal))
	user.Must(os.Mkdir(journal, 0o700))
	proof, err = project.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
		Keys: []keypath.Key{keyOf("/secret/two")}, ForgetKeys: true})
	if !errors.Is(err, mem.ErrRemains) || !slices.Equal(proof.Remains, []string{journal}) ||
		!strings.HasSuffix(err.Error(), "in "+journal) {
		t.Errorf("%+v, %v", proof, err)
	}
	user.Must(os.Remove(journal))
}

// A setting without effect in a layer is refused there, and the hint names the other one.
func TestSettingsWithoutEffect(t *testing.T) {
	l := inProject(t)
	project, user := storeOf(t, l, "project"), storeOf(t, l, "user")
	all, err := user.Settings(ctx)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	plain := newStore(t)
	for _, x := range all {
		if plain.WhyNoEffect(x.Name) != "" && user.WhyNoEffect(x.Name) == "" {
			t.Errorf("%s: %s", x.Name, plain.WhyNoEffect(x.Name))
		}
		if project.WhyNoEffect(x.Name) == "" || user.WhyNoEffect(x.Name) != "" {
			continue
		}
		found++
		_, err := project.SetSetting(ctx, mem.Caller{}, x.Name, "1")
		if want := "mem config set --layer user " + x.Name + " 1"; !errors.Is(err, mem.ErrInput) ||
			mem.Hint(err) != want || !strings.Contains(err.Error(), "it would have no effect: ") {
			t.Errorf("%v: %q", err, mem.Hint(err))
		}
		if _, err := project.SetSetting(ctx, mem.Caller{}, x.Name, "null"); err != nil {
			t.Error(err)
		}
	}
	if found == 0 {
		t.Error("every setting has an effect")
	}
	if _, err := user.SetSetting(ctx, mem.Caller{}, "zzzzzz", "1"); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
}
