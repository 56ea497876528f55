package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The pieces of drawn memories.
var (
	drawnFolders = []string{"/user/fact/", "/decision/", "/agent/a1/journal/", "/session/s1/",
		"/untrusted/", "/a/b/", "/a/b-c/"}
	drawnWords = []string{"running", "runs", "ran", "run", "deploys", "deployed", "config",
		"cities", "city", "牙科复诊", "复诊", "周一", "5月7日", "May 7 2026", "3",
		"idem_keys", "Nicole?", "I", "you", "yesterday", "naïve", "\u0001",
		"src/main.go", "util.go"}
	drawnTags = []string{"go", "deploy", "运行", "Running"}
)

// drawnContent draws what a memory says; now and then it expires at 1000.
func drawnContent(t *rapid.T) string {
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(drawnWords), 0, 40).Draw(t, "text"), " ")
	tags := rapid.SliceOfN(rapid.SampledFrom(drawnTags), 0, 2).Draw(t, "tags")
	value := fmt.Sprintf(`{"type":%q,"importance":%d,"tags":["%s"],"text":%s`,
		rapid.SampledFrom([]string{"finding", "rule", ""}).Draw(t, "type"),
		rapid.IntRange(0, 10).Draw(t, "importance"), strings.Join(tags, `","`),
		strings.ReplaceAll(fmt.Sprintf("%q", text), `\x01`, `\u0001`))
	for _, member := range []string{
		`"speaker":"Running Anna"`, `"superseded_by":"/a/b/1"`, `"files":["src/main.go"]`,
		`"timestamp":"2026-05-07T10:00:00Z"`, `"expired_at":"1970-01-01T00:00:00Z"`,
	} {
		if rapid.IntRange(0, 5).Draw(t, member) == 0 {
			value += "," + member
		}
	}
	return value + "}"
}

// drawnFold draws writes and deletions of a few keys, so that many are replaced later.
func drawnFold(t *rapid.T, from log.Stamp, most int) Fold {
	fold := Fold{}
	for i := range rapid.IntRange(most/2, most).Draw(t, "writes") {
		key := fmt.Sprintf("%s%d", rapid.SampledFrom(drawnFolders).Draw(t, "folder"),
			rapid.IntRange(1, 12).Draw(t, "name"))
		value := "null"
		if rapid.IntRange(0, 3).Draw(t, "deletes") > 0 {
			value = drawnContent(t)
		}
		e := log.Envelope{Key: keypath.MustParse(key), TS: from + log.Stamp(i),
			Source: []byte(`{"kind":"user"}`), Content: []byte(value)}
		fold[e.Key] = log.Record{Envelope: e, Line: e.Line(), Canonical: true}
	}
	return fold
}

// A state that follows another has the sidecars that it has without the other, to the byte.
func TestSidecarsDoNotShowWhatTheyFollow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, anew := tempRoot(rt), tempRoot(rt)
		var file *File
		all := Fold{}
		for step := range rapid.IntRange(2, 4).Draw(rt, "steps") {
			most := 12 // up to half of the lines, mostly: then what stays is taken over
			if step == 0 {
				most = 60
			}
			since := drawnFold(rt, log.Stamp(1000*step), most)
			o := DraftOptions{Sidecars: true}
			if rapid.Bool().Draw(rt, "drops") {
				o.Drop = func(r log.Record) bool { return content.Expired(r.Content, 1000) }
			}
			all.Merge(since)
			installed(rt, dir, NewView(file, since, nil), o)
			installed(rt, anew, NewView(nil, maps.Clone(all), nil), o)
			maps.DeleteFunc(all, func(_ keypath.Key, r log.Record) bool {
				return o.Drop != nil && o.Drop(r)
			})
			sameSidecars(rt, dir, anew)
			if file != nil {
				file.Close()
			}
			var err error
			if file, err = Open(dir); err != nil {
				rt.Fatal(err)
			}
		}
		file.Close()
	})
}

// tempRoot returns a root that a drawn example has for itself.
func tempRoot(t interface {
	rapid.TB
	Cleanup(func())
}) *disk.Dir {
	at, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := disk.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		dir.Close()
		os.RemoveAll(at)
	})
	return dir
}

// installed puts the state of a view in place; what its sidecars reuse must be sound.
func installed(t rapid.TB, dir *disk.Dir, v *View, o DraftOptions) {
	t.Helper()
	o.Debug = func(msg string) { t.Error(msg) }
	put(t, dir, v, o)
}

func put(t rapid.TB, dir *disk.Dir, v *View, o DraftOptions) {
	t.Helper()
	draft, err := Write(dir, v, o)
	if err == nil {
		err = draft.Install(log.MinStamp)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sameSidecars fails where the state or a sidecar differs.
func sameSidecars(t rapid.TB, got, want *disk.Dir) {
	t.Helper()
	for _, name := range []string{FileName, sidecar.Dir + "/fts", sidecar.Dir + "/columns"} {
		a, err := os.ReadFile(filepath.Join(got.Path(), name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(want.Path(), name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Fatalf("%s differs from that of a build from nothing", name)
		}
	}
}

// twoFolds is the fold of a first state, and that of what came after it.
func twoFolds() (first, since Fold) {
	var texts, more []string
	for i := range 150 {
		texts = append(texts, fmt.Sprintf(`/a/m%03d="running to %s, %d days, in src/m%d.go"`, i,
			drawnWords[i%len(drawnWords)], i, i))
	}
	for i := range 10 {
		more = append(more, fmt.Sprintf(`/b/m%02d="cities %d"`, i, i))
	}
	return folded(1, texts...), folded(100, append(more, `/a/m007=null`)...)
}

// Wherever an old sidecar is damaged, the new ones are those of a build from nothing. So are those
// of a state of which a line was changed beneath them.
func TestADamagedSidecarIsNotTakenOver(t *testing.T) {
	_, since := twoFolds()
	all, _ := twoFolds()
	all.Merge(since)
	want := tempRoot(t)
	installed(t, want, NewView(nil, all, nil), DraftOptions{Sidecars: true})
	for _, name := range []string{sidecar.Dir + "/fts", sidecar.Dir + "/columns", FileName} {
		found := 0
		for at, size := 0, 1; at < size; at += 397 {
			dir := tempRoot(t)
			first, _ := twoFolds()
			installed(t, dir, NewView(nil, first, nil), DraftOptions{Sidecars: true})
			size = damage(t, filepath.Join(dir.Path(), name), at)
			file, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			whole := func() (Fold, error) { return all, nil }
			put(t, dir, NewView(file, since, whole),
				DraftOptions{Sidecars: true, Debug: func(string) { found++ }})
			file.Close()
			sameSidecars(t, dir, want)
		}
		if found == 0 {
			t.Errorf("%s was never found damaged while it was taken over", name)
		}
	}
}

// damage changes a bit of a file, and returns the size of the file.
func damage(t *testing.T, path string, at int) (size int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[at] ^= 4
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return len(data)
}

// A line that was changed beneath the sidecars, by a sound one of the same length and time, is not
// found by what it was.
func TestALineChangedBeneathTheSidecars(t *testing.T) {
	of := func(text string) *View {
		return NewView(nil, folded(1, `/a="one"`, text, `/c="three"`), nil)
	}
	dir, want, found := tempRoot(t), tempRoot(t), 0
	installed(t, dir, of(`/b="zwei src/a.go"`), DraftOptions{Sidecars: true})
	installed(t, want, of(`/b="deux src/b.go"`), DraftOptions{Sidecars: true})
	text, err := os.ReadFile(filepath.Join(want.Path(), FileName))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir.Path(), FileName), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	put(t, dir, NewView(file, nil, nil),
		DraftOptions{Sidecars: true, Debug: func(string) { found++ }})
	if sameSidecars(t, dir, want); found != 1 {
		t.Errorf("it was found %d times", found)
	}
}

// sumOfRules is that of the columns of some records. A compaction keeps the rows of lines that
// stay, by whatever rules they were made: where this sum changes, the magic of the format must.
const sumOfRules = "4d6a03726e98086e"

func TestRulesThatChangeHaveAnotherMagic(t *testing.T) {
	fold := folded(1, `/a="in src/main.go and Makefile"`)
	for _, r := range some {
		fold.Add(r)
	}
	for i, member := range []string{
		`"files":["src/main.go",{"path":"doc.md","size":7}]`, `"superseded_by":"/a"`,
		`"pinned":true`, `"timestamp":"2026-05-07T10:00:00Z"`, `"importance":70`, `"importance":"x"`,
		`"channels":["email"],"sensitivity":"secret"`, `"summary":"see a/b.c"`,
	} {
		fold.Add(record(fmt.Sprintf("/rules/user/%d", i),
			`{"type":"rule","tags":["a","b"],"text":"x",`+member+`}`, log.Stamp(100+i)))
	}
	dir := tempRoot(t)
	installed(t, dir, NewView(nil, fold, nil), DraftOptions{Sidecars: true})
	data, err := os.ReadFile(filepath.Join(dir.Path(), sidecar.Dir, "columns"))
	if err != nil {
		t.Fatal(err)
	}
	// Another class of keys gives the format another letter, and the sections stay as they are.
	sum := sha256.Sum256(bytes.TrimSuffix(data, []byte(columnsFormat.Magic)))
	if got := hex.EncodeToString(sum[:8]); got != sumOfRules {
		t.Errorf("the columns of the same records have changed: give columnsFormat another magic, "+
			"unless that is done, and then set sumOfRules to %s", got)
	}
}
