package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// However lines are shuffled, repeated and spread over log and archives, the files fold to the same
// memories: by a reader, after the next write, after a compaction, and after one more copy of any
// of them has been appended.
func TestFilesFoldInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(envelopeLine(), 1, 12).Draw(rt, "lines")
		want := foldOf(lines)
		f := &fixture{&storetest.Store{T: t, Root: filepath.Join(storetest.Dir(t), "memory"), Clock: noon.AddDate(1, 0, 0)}}
		spread(rt, f, append(lines, rapid.SliceOfN(rapid.SampledFrom(lines), 0, 5).Draw(rt,
			"again")...))
		f.Open()
		defer f.Close()
		agree(rt, "a reader", f.Store, want)
		f.Put("/next", "1")
		want["/next"] = "1"
		agree(rt, "after the next write", f.Store, want)
		_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		f.Must(err)
		agree(rt, "after a compaction", f.Store, want)
		log, err := os.OpenFile(filepath.Join(f.Root, "log.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		f.Must(err)
		log.WriteString(strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 4).Draw(rt,
			"merged"), ""))
		f.Must(log.Close())
		agree(rt, "after a merge", f.Store, want)
		f.Put("/next", "2")
		want["/next"] = "2"
		agree(rt, "after a merge and a write", f.Store, want)
		if rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{}); err != nil ||
			len(rep.Found) > 0 {
			rt.Fatalf("fsck: %v, %v", rep.Found, err)
		}
	})
}

// envelopeLine draws lines that often share keys and times.
func envelopeLine() *rapid.Generator[string] {
	return rapid.Custom(func(rt *rapid.T) string {
		e := log.Envelope{
			Key: keypath.MustParse(rapid.SampledFrom([]string{"/a", "/a/b", "/c", "/d"}).Draw(
				rt, "key")),
			TS:      log.StampOf(noon) + log.Stamp(rapid.IntRange(0, 4).Draw(rt, "ts")),
			Source:  []byte(`"drawn"`),
			Content: []byte(rapid.SampledFrom([]string{"null", "1", `"two"`, `{"x":[]}`}).Draw(rt, "content")),
		}
		return string(e.Line()) + "\n"
	})
}

// foldOf is the model: of each key the greatest ts, of equal ones the greatest line.
func foldOf(lines []string) map[string]string {
	newest, content := map[string]string{}, map[string]string{}
	for _, line := range lines {
		e, err := log.Decode([]byte(strings.TrimSpace(line)))
		if err != nil {
			panic(err)
		}
		key := e.Key.String()
		if rank := e.TS.String() + line; rank > newest[key] {
			newest[key], content[key] = rank, string(e.Content)
		}
	}
	for key, text := range content {
		if text == "null" {
			delete(content, key)
		}
	}
	return content
}

// spread writes lines in any order into a log and up to two archives.
func spread(rt *rapid.T, f *fixture, lines []string) {
	texts := make([]strings.Builder, rapid.IntRange(1, 3).Draw(rt, "files"))
	for _, line := range rapid.Permutation(lines).Draw(rt, "order") {
		texts[rapid.IntRange(0, len(texts)-1).Draw(rt, "file")].WriteString(line)
	}
	f.Must(os.MkdirAll(filepath.Join(f.Root, "archive"), 0o700))
	for i := range texts {
		name := "log.jsonl"
		if i > 0 {
			name = fmt.Sprintf("archive/log_2026022%dT000000Z.jsonl", i)
		}
		f.Must(os.WriteFile(filepath.Join(f.Root, name), []byte(texts[i].String()), 0o600))
	}
}

func agree(rt *rapid.T, what string, s *mem.Store, want map[string]string) {
	got, err := contents(s)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		rt.Fatalf("%s: %v (%v), want %v", what, got, err, want)
	}
	for key, content := range want {
		if rec, err := s.Get(ctx, mem.Caller{}, keypath.MustParse(key), false); err != nil ||
			string(rec.Content) != content {
			rt.Fatalf("%s: get %s gives %s (%v), want %s", what, key, rec.Content, err, content)
		}
	}
}

// A batch is taken as a whole or refused as a whole; what is taken comes back, and no input makes
// it panic or leaves a store that fsck finds fault with.
func FuzzBatch(f *testing.F) {
	for _, seed := range []string{
		`{"key":"/a","content":1,"source":"s"}` + "\n" +
			`{"key":"/b","content":null,"source":{"kind":"user"}}` + "\n",
		"\ufeff{\"key\":\"/a\",\"content\":{\"x\":[1.0,1e400,\"\\u7259\"]}}\r\n\r\n", `{"key":"/a","content":1,"ts":"2026-02-22T10:00:00Z"}`,
		`{"key":"/a","ts":"2026-02-22T10:00:00.000000Z","valid":true,"source":"s","content":1,"checksum":"sha256:00"}`, "{\"key\":\"/a\"}\n{", "[]", "null\n", "{\"key\":\"/kb/x\",\"content\":1}",
		"{\"key\":\"/a\",\"key\":\"/b\",\"content\":1}", "{\"key\":\"/../x\",\"content\":\"\xff\"}",
		`{"key":"/a","content":1,"ts":"9999-12-31T23:59:59.999999Z"}`, `{"key":"/a","content":1,"ts":"-"}`,
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, keepGoing bool) {
		s := &fixture{&storetest.Store{T: t, Root: filepath.Join(storetest.Dir(t), "memory"), Clock: noon}}
		s.Open()
		defer s.Close()
		rep, err := s.SetAll(ctx, mem.Caller{}, strings.NewReader(text),
			mem.BatchOptions{Source: []byte(`"given"`), KeepGoing: keepGoing})
		n := 0
		s.Must(s.Everything(ctx, func(log.Record) error { n++; return nil }))
		if n != rep.Written || err != nil && !keepGoing && n > 0 {
			t.Errorf("%d lines stored, %d reported, %v", n, rep.Written, err)
		}
		live, err := contents(s.Store)
		s.Must(err)
		for key, content := range live {
			if got := s.Content(key); got != content {
				t.Errorf("%s is %s in the list and %s by itself", key, content, got)
			}
		}
		if rep, err := s.Fsck(ctx, mem.Caller{}, mem.FsckOptions{}); err != nil ||
			len(rep.Found) > 0 {
			t.Errorf("fsck: %v, %v", rep.Found, err)
		}
	})
}
