package mem_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The settings of two stores, and of one that is wrong.
func TestConfigs(t *testing.T) {
	f := newFiles(t)
	f.Put("/a", "1")
	for _, c := range []struct {
		name, arg string
		by        mem.Caller
		changed   bool
		want      error
		hint      string
	}{
		{"rotate.lines", "7", mem.Caller{}, true, nil, ""},
		{"rotate.lines", "7", mem.Caller{}, false, nil, ""},
		{"rotate.lines", "null", aClient, true, nil, ""},
		{"rotate.line", "7", mem.Caller{}, false, mem.ErrInput, "did you mean rotate.lines? "},
		{"zzzzzz", "7", mem.Caller{}, false, mem.ErrInput, "mem config list shows all"},
		{"rotate.lines", "0", mem.Caller{}, false, mem.ErrInput, "mem config list shows all"},
		{"knowledge", `["/wiki"]`, aClient, false, policy.ErrPerson, ""},
		{"knowledge", `["/wiki"]`, mem.Caller{}, true, nil, ""},
	} {
		changed, err := f.SetSetting(ctx, c.by, c.name, c.arg)
		if changed != c.changed || !errors.Is(err, c.want) || c.want == nil && err != nil ||
			!strings.Contains(mem.Hint(err), c.hint) {
			t.Errorf("%s %s: %v, %v, %q", c.name, c.arg, changed, err, mem.Hint(err))
		}
	}
	if text, err := f.ConfigText(ctx); err != nil || !strings.Contains(string(text), "/wiki") {
		t.Errorf("%s, %v", text, err)
	}
	settings, err := f.Settings(ctx, "knowledge")
	if err != nil || len(settings) != 1 {
		t.Errorf("%v, %v", settings, err)
	}
	if _, err := f.Settings(ctx, "none"); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
	// A wrong file: reads go by the defaults and warn once, and it is mended fault by fault.
	f.Configure(`{"rotate":{"lines":0},"knowledge":["x"]}`)
	f.Warnings = nil
	for range 2 {
		if _, err := f.ConfigToRead(ctx); err != nil {
			t.Error(err)
		}
		if _, err := f.Config(ctx); !errors.Is(err, mem.ErrInput) ||
			!strings.HasPrefix(err.Error(), "config.json: line 1: ") {
			t.Error(err)
		}
	}
	if len(f.Warnings) != 1 || !strings.HasSuffix(f.Warnings[0],
		"; reads use the defaults, and nothing is written") {
		t.Errorf("%q", f.Warnings)
	}
	if changed, err := f.SetSetting(ctx, mem.Caller{}, "rotate.lines", "7"); !changed ||
		err != nil ||
		len(f.Warnings) != 2 || !strings.Contains(f.Warnings[1],
		"other changes are refused until") {
		t.Errorf("%v, %v, %q", changed, err, f.Warnings)
	}
	for text, want := range map[string]string{
		`{"rotate":{"lines":0}}`: "mem config set rotate.lines ",
		`{"zzzzzz":1}`:           "mem config set zzzzzz null removes it; mem config list shows all",
		`{"rotat":{}}`:           "did you mean rotate? mem config set rotat null removes it; ",
	} {
		f.Configure(text)
		if _, err := f.Config(ctx); err == nil || !strings.HasPrefix(mem.Hint(err), want) {
			t.Errorf("%s: %v, %q", text, err, mem.Hint(err))
		}
	}
	f.Configure(`{"rotate":`)
	if _, err := f.Config(ctx); mem.Hint(err) != "mend line 1 of "+f.Path()+"/config.json" {
		t.Errorf("%v: %q", err, mem.Hint(err))
	}
	f.Configure(`{}`)
	foreign, err := mem.Open(f.Root, mem.Options{ForeignConfig: true,
		Warn: func(msg string) { f.Warnings = append(f.Warnings, msg) }})
	f.Must(err)
	defer foreign.Close()
	f.Configure(`{"knowledge":["/wiki"]}`)
	f.Warnings = nil
	conf, err := foreign.Config(ctx)
	if err != nil || len(conf.Rules.Knowledge) != 0 {
		t.Errorf("a foreign one counts: %v", err)
	}
	if text, err := foreign.ConfigText(ctx); text != nil || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := foreign.SetSetting(ctx, mem.Caller{}, "rotate.lines", "7"); !errors.Is(err,
		mem.ErrForeignConfig) {
		t.Error(err)
	}
	if _, err := foreign.Settings(ctx); err != nil || len(f.Warnings) != 1 {
		t.Errorf("%v, %q", err, f.Warnings)
	}
}

// A configuration comes to a copy that has none, as it is spelled.
func TestGivenConfigs(t *testing.T) {
	f := newStore(t)
	if text, err := f.ConfigText(ctx); text != nil || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	cp := begun(t, f.Store, mem.Caller{}, policy.Copy)
	for i, want := range []bool{true, false} {
		given, err := cp.GiveConfig(ctx, fmt.Appendf(nil, `{"x":%d}`, i))
		if given != want || err != nil {
			t.Errorf("%d: %v, %v", i, given, err)
		}
	}
	if text, err := f.ConfigText(ctx); string(text) != `{"x":0}` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	set := begun(t, f.Store, mem.Caller{}, policy.Set)
	if _, err := set.GiveConfig(ctx, nil); !errors.Is(err, policy.ErrReserved) {
		t.Error(err)
	}
	two := mem.JoinStores(mem.Options{}, mem.LayerMember{Store: f.Store})
	changed, err := two.SetSetting(ctx, mem.Caller{}, "rotate.lines", "7")
	if !errors.Is(err, mem.ErrInput) || changed {
		t.Errorf("%v, %v", changed, err)
	}
	given, err := begun(t, two, mem.Caller{}, policy.Copy).GiveConfig(ctx, nil)
	if !errors.Is(err, mem.ErrInput) || given {
		t.Errorf("%v, %v", given, err)
	}
}

// A project limits injections before the user's settings do.
func TestInjectConfigs(t *testing.T) {
	user, project := newStore(t), newStore(t)
	user.Configure(`{"inject":{"max_tokens":900}}`)
	both := mem.JoinStores(mem.Options{}, mem.LayerMember{Store: project.Store, Layer: "project"},
		mem.LayerMember{Store: user.Store, Layer: "user"})
	own, err := both.ConfigToRead(ctx)
	user.Must(err)
	for _, text := range []string{`{}`, `{"inject":{"max_tokens":300}}`} {
		project.Configure(text)
		mine, err := project.ConfigToRead(ctx)
		user.Must(err)
		got, err := both.InjectConfig(ctx)
		if want := own.InProject(mine); err != nil || fmt.Sprintf("%+v", got.Inject) !=
			fmt.Sprintf("%+v", want.Inject) {
			t.Errorf("%s: %+v, %v", text, got.Inject, err)
		}
	}
	if both.WhyNoEffect("rotate.lines") != "" {
		t.Error(both.WhyNoEffect("rotate.lines"))
	}
}

// A purge: the remainder of a key, its report on other keys, and the permission.
func TestPurges(t *testing.T) {
	const secret = "a long value that is to be forgotten"
	var told []log.Envelope
	f := newFiles(t)
	opened, err := mem.Open(f.Root, mem.Options{OnStored: func(list []log.Envelope) {
		told = append(told, list...)
	}})
	f.Must(err)
	f.Must(f.Close())
	f.Store = opened
	f.Put("/a", `{"text":"`+secret+`"}`)
	f.Put("/b", `{"text":"it says `+secret+`"}`)
	f.Put("/agent/ada/core/"+anID, `{"text":"it says `+secret+`"}`)
	told = nil
	keys := []keypath.Key{keyOf("/a")}
	for what, c := range map[string]struct {
		by   mem.Caller
		o    mem.PurgeOptions
		want error
	}{
		"a client": {aClient, mem.PurgeOptions{Keys: keys}, policy.ErrPerson},
		"in a script": {mem.Caller{Unattended: true}, mem.PurgeOptions{Keys: keys},
			policy.ErrUnattended},
		"its text": {mem.Caller{}, mem.PurgeOptions{Keys: keys, Reason: "of " + secret},
			mem.ErrInput},
	} {
		if _, err := f.Purge(ctx, c.by, c.o); !errors.Is(err, c.want) ||
			f.Content("/a") == "(none)" {
			t.Errorf("%s: %v", what, err)
		}
	}
	proof, err := f.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: keys, Reason: "asked"})
	if err != nil || proof.Versions != 1 || len(proof.Others) != 1 || proof.Others[0].Key != "/b" {
		t.Errorf("%+v, %v", proof, err)
	}
	if len(told) != 1 || told[0].Key != keyOf("/a") || told[0].Valid() {
		t.Errorf("%+v", told)
	}
	if !strings.Contains(f.Logged(), `"reason":"asked"`) || !strings.Contains(f.Logged(),
		`"purged":true`) {
		t.Errorf("%s", f.Logged())
	}
	f.Must(func() error {
		proof, err = f.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{keyOf("/b")},
			ForgetKeys: true})
		return err
	}())
	if len(told) != 1 || strings.Contains(f.Logged(), `"/b"`) {
		t.Errorf("a trace of /b: %s", f.Logged())
	}
	if proof, err := f.Purge(ctx, mem.Caller{},
		mem.PurgeOptions{Keys: []keypath.Key{keyOf("/none")}}); err !=
		nil || proof.Versions != 0 {
		t.Errorf("%+v, %v", proof, err)
	}
	ran, err := f.Journaled()
	if f.Must(err); ran[len(ran)-1].Op != "forget" {
		t.Errorf("%+v", ran[len(ran)-1])
	}
	two := mem.JoinStores(mem.Options{}, mem.LayerMember{Store: f.Store})
	if _, err := two.Purge(ctx, mem.Caller{}, mem.PurgeOptions{}); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
}

// Hand edits become writes of a user, where the rules let them.
func TestAdoptions(t *testing.T) {
	f := newFiles(t)
	out := f.Put("/a", `{"text":"before"}`)
	kb := f.Put("/b", `{"text":"before"}`)
	edit := func(path, to string) {
		text, err := os.ReadFile(path)
		f.Must(err)
		f.Must(os.WriteFile(path, []byte(strings.Replace(string(text), "before", to, 1)), 0o600))
	}
	edit(out.Path, "after")
	edit(kb.Path, "gh"+"p_0a1B2c3D4e5F6g7H8i9J0kAlBmCnDoEpFqGr")
	if _, err := f.Fsck(ctx, aClient, mem.FsckOptions{Adopt: true}); !errors.Is(err,
		policy.ErrPerson) {
		t.Errorf("a client adopts: %v", err)
	}
	if _, err := f.Fsck(ctx, aClient, mem.FsckOptions{TrustClock: true}); !errors.Is(err,
		policy.ErrPerson) {
		t.Errorf("a client trusts the clock: %v", err)
	}
	rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Adopt: true})
	if err != nil || !strings.Contains(f.Content("/a"), "after") || len(rep.Adopted) != 1 ||
		!strings.Contains(f.Content("/b"), "before") || len(f.Warnings) != 1 ||
		!strings.Contains(f.Warnings[0], "cannot be adopted: ") {
		t.Errorf("%+v, %v, %s, %q", rep, err, f.Content("/a"), f.Warnings)
	}
	if !strings.Contains(sourceOf(f, "/a"), `"name":"editor"`) {
		t.Error(sourceOf(f, "/a"))
	}
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
}

// What a store says of itself, of files, in memory, and of two.
func TestStoresOfEachKind(t *testing.T) {
	files, memory := newFiles(t), newStore(t)
	two := mem.JoinStores(mem.Options{}, mem.LayerMember{Store: files.Store})
	if files.Exists() || !memory.Exists() || two.Exists() {
		t.Error("a store that was made")
	}
	files.Must(files.CatchUp(ctx, mem.Caller{}))
	if made, err := memory.Create(); made || err != nil || files.Exists() {
		t.Errorf("%v, %v", made, err)
	}
	files.Put("/a", "1")
	mark, err := files.Mark()
	files.Must(err)
	files.Put("/b", "1")
	if again, err := files.Mark(); err != nil || again == mark || mark == "" || !two.Exists() {
		t.Errorf("%q, %v", again, err)
	}
	if mark, err := memory.Mark(); mark != "" || err != nil || memory.IsCold() || files.IsCold() {
		t.Errorf("%q, %v", mark, err)
	}
	if memory.Path() != "" || memory.RealPath() != "" || files.Path() != files.Root ||
		memory.FilePath(keyOf("/a")) != "" || files.FilePath(keyOf("/a")) == "" {
		t.Error("paths")
	}
	link := filepath.Join(t.TempDir(), "link")
	files.Must(os.Symlink(files.Root, link))
	linked, err := mem.Open(link, mem.Options{})
	files.Must(err)
	defer linked.Close()
	if real, err := filepath.EvalSymlinks(files.Root); err != nil || linked.RealPath() != real ||
		files.RealPath() != real {
		t.Errorf("%s, %v", linked.RealPath(), err)
	}
	if got := memory.Now(); !got.Equal(noon) || memory.Logger() == nil {
		t.Error(got)
	}
	if rep, err := memory.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil ||
		rep.Why != "there is no store yet" {
		t.Errorf("%+v, %v", rep, err)
	}
	for _, dry := range []bool{true, false} {
		rep, err := files.Compact(ctx, mem.Caller{}, mem.CompactOptions{DryRun: dry})
		if err != nil || rep.Keys != 2 {
			t.Errorf("%+v, %v", rep, err)
		}
	}
	ran, err := files.Journaled()
	if n := len(ran); err != nil || ran[n-1].Op != "compact" || ran[n-1].Key != "/b" ||
		ran[n-2].Op != "set" {
		t.Errorf("%+v, %v", ran, err)
	}
	if memory.Examine(ctx) != nil {
		t.Error("remarks on memory")
	}
	if _, err := mem.Open("postgres://example.org/x", mem.Options{}); !errors.Is(err,
		mem.ErrInput) {
		t.Errorf("a server: %v", err)
	}
	var asked string
	got, err := mem.Open("postgres://example.org/x", mem.Options{Connect: func(url string,
		o mem.Options) (
		*mem.Store, error) {
		asked = url
		return memory.Store, nil
	}})
	if err != nil || got != memory.Store || asked != "postgres://example.org/x" {
		t.Errorf("%q, %v", asked, err)
	}
	due := 0
	eager, err := mem.Open(filepath.Join(storetest.Dir(t), "m"), mem.Options{
		OnCompactionDue: func() { due++ }})
	files.Must(err)
	defer eager.Close()
	files.Must(stored(begun(t, eager, mem.Caller{}, policy.Set), write("/a", "1")))
	if _, err := memory.OpenBlob(ctx, "x"); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
	if _, err := two.PutBlob(ctx, strings.NewReader("x"), 9); err == nil {
		t.Error("a blob of two")
	}
}

// A write of a doubtful value warns, but not of a value that was there before.
func TestDoubts(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"", `{"expired_at":"soon"}`, "expired_at is no ISO 8601 time"},
		{"", `{"expired_at":"2020-01-01T00:00:00Z"}`, "expired_at is in the past"},
		{"", `{"created_at":"soon"}`, "created_at is no ISO 8601 time"},
		{"", `{"importance":1}`, "importance 1 is the greatest"}, {"", `{"importance":1.0}`, ""},
		{`{"importance":1}`, `{"importance":1}`, ""},
		{`{"importance":1}`, `{"importance":1,"expired_at":"soon"}`,
			"expired_at is no ISO 8601 time"},
	} {
		f := newStore(t)
		op := begun(t, f.Store, mem.Caller{}, policy.Edit)
		op.Warn(checked(t, op, write("/a", c.is)), []byte(c.was))
		got := strings.Join(f.Warnings, "|")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || len(f.Warnings) > 1 {
			t.Errorf("%+v: %q", c, f.Warnings)
		}
	}
}

// A purge takes what a hand edit left in quarantine/, too, and names no file there any more.
func TestPurgeOfAHandEditSaysSo(t *testing.T) {
	f := newFiles(t)
	f.Put("/k", `"as it was"`)
	path := f.File("index/" + string(keyOf("/k").Path()))
	text, err := os.ReadFile(path)
	f.Must(err)
	edited := strings.ReplaceAll(string(text), "as it was", "by hand")
	f.Must(os.WriteFile(path, []byte(edited), 0o600))
	_, err = f.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{keyOf("/k")}})
	f.Must(err)
	if got := strings.Join(f.Warnings, "\n"); !strings.Contains(got, "what it had was purged") ||
		strings.Contains(got, "--adopt") {
		t.Error(got)
	}
}
