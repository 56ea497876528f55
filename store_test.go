package mem_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func TestContentComesBackByteForByte(t *testing.T) {
	f := newFiles(t)
	for i, content := range []string{`{}`, `[]`, `""`, `0`, `false`, `1.0`, `1e400`, `-0`,
		`123456789012345678901234567890`, `"牙科 <&> 😀 \/\n\u0022\u2028"`,
		`{"z":1,"a":[{"b":null}]}`} {
		key := fmt.Sprintf("/v/%d", i)
		out := f.Put(key, " "+content+"\n")
		if !out.Valid {
			t.Errorf("%s is taken for a tombstone", content)
		}
		if got := f.Content(key); got != content {
			t.Errorf("%s came back as %s", content, got)
		}
		text, err := os.ReadFile(out.Path)
		f.Must(err)
		line, err := jsontext.Compact(nil, text)
		f.Must(err)
		if _, err := log.Decode(line); err != nil {
			t.Errorf("index file of %s: %v", content, err)
		}
	}
}

// What another program escaped is found with grep all the same. An envelope from elsewhere keeps
// its bytes, for a checksum goes over them.
func TestEscapesOfWhatPrintsAreDecoded(t *testing.T) {
	f := newStore(t)
	w := write("/a", `{"\u4e2d":"\u7259\u79d1 \ud83e\uddb7 \u200b","n":1.50}`)
	w.Source = []byte(`{"kind":"user","name":"\u00e9"}`)
	_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
	f.Must(err)
	const old = `{"key":"/old","ts":"2026-02-22T09:00:00Z","content":"\u7259","source":"\u00e9"}` +
		"\n" + `{"key":"/new","content":["\u7259"],"source":"\u00e9"}`
	for range 2 {
		_, err = f.SetAll(ctx, mem.Caller{}, strings.NewReader(old), mem.BatchOptions{})
		f.Must(err)
	}
	for key, want := range map[string]string{
		"/a":   `{"中":"牙科 🦷 \u200b","n":1.50} {"kind":"user","name":"é"}`,
		"/old": `"\u7259" "\u00e9"`,
		"/new": `["牙"] "é"`,
	} {
		rec, err := f.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
		f.Must(err)
		if got := string(rec.Content) + " " + string(rec.Source); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if n := strings.Count(f.Logged(), "/old"); n != 1 {
		t.Errorf("the envelope was stored %d times", n)
	}
}

func TestWhatIsRefusedIsNotStored(t *testing.T) {
	f := newFiles(t)
	f.Put("/before", "1")
	size := func() int64 {
		fi, err := os.Stat(filepath.Join(f.Root, log.File))
		f.Must(err)
		return fi.Size()
	}
	before := size()
	big := []byte(`"` + strings.Repeat("x", policy.MaxContent) + `"`)
	for name, c := range map[string]struct {
		w    mem.Write
		want error
	}{
		"broken JSON":       {write("/x", `{"a":}`), jsontext.ErrJSON},
		"duplicate name":    {write("/x", `{"a":1,"a":2}`), jsontext.ErrJSON},
		"lone surrogate":    {write("/x", `"\ud800"`), jsontext.ErrJSON},
		"content too large": {write("/x", string(big)), policy.ErrTooLarge},
		"source a number": {mem.Write{Key: keypath.MustParse("/x"), Content: []byte("1"),
			Source: []byte("7")}, mem.ErrInput},
		"source blank": {mem.Write{Key: keypath.MustParse("/x"), Content: []byte("1"),
			Source: []byte(`" "`)}, policy.ErrProvenance},
		"no provenance": {write("/kb/x", `1`), policy.ErrProvenance},
	} {
		if _, err := f.Set(ctx, mem.Caller{}, c.w, mem.SetOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if after := size(); after != before {
		t.Errorf("the log grew from %d to %d bytes", before, after)
	}
}

func TestCompareAndSet(t *testing.T) {
	f := newStore(t)
	set := func(content string, o mem.SetOptions) error {
		_, err := f.Set(ctx, mem.Caller{}, write("/x", content), o)
		return err
	}
	f.Must(set("1", mem.SetOptions{IfAbsent: true}))
	err := set("2", mem.SetOptions{IfAbsent: true})
	var lost *mem.ConflictError
	if !errors.As(err, &lost) || string(lost.Newest.Content) != "1" {
		t.Fatalf("a second --if-absent: %v", err)
	}
	ts := lost.Newest.TS
	f.Must(set("3", mem.SetOptions{IfTS: &ts}))
	if err := set("4", mem.SetOptions{IfTS: &ts}); !errors.Is(err, mem.ErrConflict) {
		t.Errorf("a stale --if-ts: %v", err)
	}
	f.Put("/x", "null")
	if err := set("5", mem.SetOptions{IfTS: &ts}); !errors.Is(err, mem.ErrConflict) {
		t.Errorf("--if-ts on a dead key: %v", err)
	}
	f.Must(set("6", mem.SetOptions{IfAbsent: true}))
	f.Put("/x", `{"expired_at":"2026-02-22T11:59:59Z"}`)
	f.Must(set("7", mem.SetOptions{IfAbsent: true}))
	if got := f.Content("/x"); got != "7" {
		t.Errorf("in the end: %s", got)
	}
}

func TestOneStoreInManyGoroutines(t *testing.T) {
	f := newStore(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 5 {
				if _, err := f.Set(ctx, mem.Caller{}, write(fmt.Sprintf("/g%d/%d", g, i), "1"),
					mem.SetOptions{}); err != nil {
					t.Error(err)
				}
				if _, err := f.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 100}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(strings.Fields(f.Keys())); n != 40 {
		t.Errorf("%d keys", n)
	}
}

// A failing disk is reported before bad lines are.
func TestKeepGoingTellsTheDiskFirst(t *testing.T) {
	f := newFiles(t)
	f.Must(os.MkdirAll(filepath.Join(f.Root, log.File), 0o700))
	f.Open()
	_, err := f.SetAll(ctx, mem.Caller{},
		strings.NewReader(`{"key":"/a","content":1,"source":"s"}`+"\nnonsense\n"),
		mem.BatchOptions{KeepGoing: true})
	if !errors.Is(err, disk.ErrIrregular) || errors.As(err, new(*mem.BatchError)) {
		t.Errorf("%v", err)
	}
	f.Must(os.Remove(filepath.Join(f.Root, log.File)))
}

func TestQuarantineApproveReject(t *testing.T) {
	f := newStore(t)
	for _, key := range []string{"/kb/good", "/kb/bad"} {
		out, err := f.Set(ctx, mem.Caller{}, write(key, `{"text":"from somewhere"}`),
			mem.SetOptions{Quarantine: true})
		f.Must(err)
		if out.Key.String() != "/untrusted"+key || out.Reason == "" {
			t.Errorf("%s was not kept apart: %+v", key, out)
		}
	}
	page, err := f.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 1000})
	f.Must(err)
	if len(page.Entries) != 0 {
		t.Errorf("the read shows what is untrusted: %+v", page.Entries)
	}
	_, err = approve(f.Store, mem.Caller{}, keypath.MustParse("/kb/good"), mem.ApproveOptions{})
	f.Must(err)
	_, err = reject(f.Store, mem.Caller{}, keypath.MustParse("/untrusted/kb/bad"))
	f.Must(err)
	if f.Keys() != "/kb/good" {
		t.Errorf("keys: %s", f.Keys())
	}
	_, err = approve(f.Store, mem.Caller{}, keypath.MustParse("/kb/good"), mem.ApproveOptions{})
	if !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("approved twice: %v", err)
	}
}

// What was written after the quarantined record is not replaced by it, but by force.
func TestApproveOverANewerMemory(t *testing.T) {
	for _, tc := range []struct {
		name  string
		first bool   // the memory is older than what is quarantined
		then  string // written after it; "" for nothing
		force bool
		lost  bool
	}{
		{"older", true, "", false, false},
		{"newer", false, `{"text":"newer"}`, false, true},
		{"newer, and forced", false, `{"text":"newer"}`, true, false},
		{"deleted since", true, "null", false, false},
		{"expired since", true, `{"expired_at":"2026-02-22T11:00:00Z"}`, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newStore(t)
			if tc.first {
				f.Put("/n", `{"text":"older"}`)
			}
			web := write("/n", `{"text":"web"}`)
			web.Source = []byte(`{"kind":"web"}`)
			_, err := f.Set(ctx, mem.Caller{}, web, mem.SetOptions{Quarantine: true})
			f.Must(err)
			if tc.then != "" {
				f.Put("/n", tc.then)
			}
			_, err = approve(f.Store, mem.Caller{}, keypath.MustParse("/n"),
				mem.ApproveOptions{Force: tc.force})
			var lost *mem.ConflictError
			if got := errors.As(err, &lost); got != tc.lost || err != nil && !got {
				t.Fatalf("%v", err)
			}
			want := map[bool]string{true: tc.then, false: `{"text":"web","created_at":`}[tc.lost]
			if got := f.Content("/n"); !strings.HasPrefix(got, want) {
				t.Errorf("the key holds %s", got)
			}
			if tc.lost && string(lost.Newest.Content) != tc.then {
				t.Errorf("newest %s", lost.Newest.Line)
			}
		})
	}
}

// What is as deep as may be stays readable in every place it can get to.
func TestTheDeepestContentAndSource(t *testing.T) {
	f := newStore(t)
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	deepest := append(append([]byte(`{"x":`), nested(jsontext.MaxDepth-1)...), '}')
	for _, key := range []string{"/deep", "/kb/deep"} {
		out, err := f.Set(ctx, mem.Caller{},
			mem.Write{Key: keypath.MustParse(key), Content: nested(jsontext.MaxDepth),
				Source: deepest}, mem.SetOptions{Quarantine: true})
		f.Must(err)
		if _, err := f.Get(ctx, mem.Caller{}, out.Key, false); err != nil {
			t.Error(err)
		}
	}
	_, err := approve(f.Store, mem.Caller{}, keypath.MustParse("/kb/deep"), mem.ApproveOptions{})
	f.Must(err)
	if _, err := f.Set(ctx, mem.Caller{},
		mem.Write{Key: keypath.MustParse("/deeper"), Content: nested(jsontext.MaxDepth + 1),
			Source: []byte(`"s"`)}, mem.SetOptions{}); !errors.Is(err, jsontext.ErrJSON) {
		t.Errorf("one level more: %v", err)
	}
	_, err = f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	f.Must(err)
	if f.Keys() != "/deep /kb/deep" {
		t.Errorf("keys: %s", f.Keys())
	}
}

func TestExpiryAtTheInstant(t *testing.T) {
	f := newStore(t)
	f.Put("/x", `{"expired_at":"2026-02-22T13:00:00+01:00"}`)
	if got := f.Keys(); got != "/x" {
		t.Errorf("at the instant itself: %q", got)
	}
	f.Clock = noon.Add(time.Microsecond)
	if got := f.Keys() + f.Content("/x"); got != "(none)" {
		t.Errorf("one microsecond later: %q", got)
	}
	f.Put("/y", `{"expired_at":"tomorrow"}`)
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "never expires") {
		t.Errorf("warnings: %q", f.Warnings)
	}
}

func TestDeleteNamesWhatIsNotThere(t *testing.T) {
	f := newStore(t)
	f.Put("/a", "1")
	deleted, missing, err := f.Delete(ctx, mem.Caller{},
		[]keypath.Key{keypath.MustParse("/a"), keypath.MustParse("/zzz")}, nil)
	f.Must(err)
	if len(deleted) != 1 || len(missing) != 1 || missing[0].String() != "/zzz" {
		t.Errorf("deleted %v, missing %v", deleted, missing)
	}
}

func TestHistoryHasEveryVersionOnce(t *testing.T) {
	f := newFiles(t)
	f.Must(os.MkdirAll(f.Root, 0o700))
	f.Must(os.WriteFile(filepath.Join(f.Root, mem.ConfigFile),
		[]byte(`{"rotate":{"lines":1,"bytes":1}}`), 0o600))
	f.Open()
	for i := range 3 {
		f.Put("/x", fmt.Sprint(i))
		_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		f.Must(err)
	}
	f.Put("/x", "null")
	// A crash during rotation leaves lines in the archive and in the log.
	names, err := filepath.Glob(filepath.Join(f.Root, log.ArchiveDir, "*"))
	f.Must(err)
	data, err := os.ReadFile(names[0])
	f.Must(err)
	live, err := os.ReadFile(filepath.Join(f.Root, log.File))
	f.Must(err)
	f.Must(os.WriteFile(filepath.Join(f.Root, log.File), append(data, live...), 0o600))
	versions, err := f.History(ctx, mem.Caller{}, keypath.MustParse("/x"))
	f.Must(err)
	var got []string
	for v, err := range versions.Rows {
		f.Must(err)
		got = append(got, string(v.Content))
	}
	if strings.Join(got, " ") != "null 2 1 0" {
		t.Errorf("history: %v", got)
	}
	f.Put("/heal", "1")
}

func TestConfigRefusesWhatItDoesNotKnow(t *testing.T) {
	f := newFiles(t)
	f.Put("/a", "1")
	conf := filepath.Join(f.Root, mem.ConfigFile)
	for _, text := range []string{`{"rotat":1}`, `{`, `{"rotate":{"lines":0}}`,
		`{"knowledge":["nope"]}`} {
		f.Must(os.WriteFile(conf, []byte(text), 0o600))
		f.Open()
		_, err := f.Set(ctx, mem.Caller{}, write("/a", "2"), mem.SetOptions{})
		if !errors.Is(err, mem.ErrInput) && !errors.Is(err, keypath.ErrKey) ||
			!strings.Contains(err.Error(), mem.ConfigFile) {
			t.Errorf("%s: %v", text, err)
		}
	}
	f.Must(os.WriteFile(conf, []byte(`{"knowledge":["/wiki"]}`), 0o600))
	f.Open()
	_, err := f.Set(ctx, mem.Caller{}, write("/wiki/x", "2"), mem.SetOptions{})
	if !errors.Is(err, policy.ErrProvenance) {
		t.Errorf("a knowledge namespace of its own: %v", err)
	}
	f.Must(os.Remove(conf))
	f.Open()
}
