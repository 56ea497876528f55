package transfer_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func kindOf(s *storetest.Store) storetest.Kind {
	if s.Root == "" {
		return storetest.Memory
	}
	return storetest.Files
}

// appendTo appends to the log of a store of files, as other hands do.
func appendTo(s *storetest.Store, lines string) {
	s.T.Helper()
	f, err := os.OpenFile(s.File("log.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	s.Must(err)
	_, err = f.WriteString(lines)
	s.Must(errors.Join(err, f.Close()))
	s.Must(s.Store.CatchUp(ctx, mem.Caller{}))
}

// artifact stores the artifact of a number with its bytes, and returns their sum.
func artifact(s *storetest.Store, n int, text string) (sum string) {
	s.T.Helper()
	sum = putBlob(s, text)
	s.Import(storetest.ArtifactKey(n), storetest.ArtifactOf(text))
	return sum
}

func putBlob(s *storetest.Store, text string) (sum string) {
	s.T.Helper()
	blob, err := s.Store.PutBlob(ctx, strings.NewReader(text), 1<<20)
	s.Must(err)
	return blob.Sum
}

// bytesOf returns the bytes of a sum; the error where there are none.
func bytesOf(s *storetest.Store, sum string) string {
	f, err := s.Store.OpenBlob(ctx, sum)
	if err != nil {
		return "(none)"
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	s.Must(err)
	return string(text)
}

// The files of live artifacts come along, each before the version that names it.
func TestArtifacts(t *testing.T) { eachPair(t, testArtifacts) }

func testArtifacts(t *testing.T, p *pair) {
	defer transfer.SetLimits(1, 1)()
	p.from.Put("/first", `1`)
	sums := []string{artifact(p.from, 1, "one"), artifact(p.from, 2, "two"),
		artifact(p.from, 3, "one"), putBlob(p.from, "waits")}
	p.from.Import("/untrusted"+storetest.ArtifactKey(4), storetest.ArtifactOf("waits"))
	p.progress = func(done int) {
		if done == 1 && bytesOf(p.to, sums[2]) != "one" {
			t.Error("the records come before the files")
		}
	}
	if rep := p.copies(); rep.Artifacts != 3 {
		t.Errorf("%+v", rep)
	}
	for i, want := range []string{"one", "two", "one", "waits"} {
		if got := bytesOf(p.to, sums[i]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// An artifact that is stored meanwhile does not arrive before its file.
func TestArtifactMeanwhile(t *testing.T) { eachPair(t, testArtifactMeanwhile) }

func testArtifactMeanwhile(t *testing.T, p *pair) {
	defer transfer.SetLimits(1, 1)()
	fill(p.from)
	n := 0
	p.progress = func(int) {
		for key, list := range versions(p.to) {
			sum := content.BlobOf(list[0].Key, list[0].Content)
			if sum != "" && bytesOf(p.to, sum) == "(none)" {
				t.Errorf("%s is there without its file", key)
			}
		}
		if n++; n <= 3 {
			artifact(p.from, n, fmt.Sprint("file ", n))
		}
	}
	if rep := p.copies(); rep.Artifacts != 3 {
		t.Errorf("%+v", rep)
	}
}

// hooked is a store in memory that is written to while somebody reads it.
type hooked struct {
	*memstore.Store
	below func(keypath.Prefix)
}

func (h *hooked) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	h.below(p)
	return h.Store.ScanBelow(ctx, p)
}

// What was not there when the files were counted waits for the next round, its record too.
func TestArtifactAfterTheFiles(t *testing.T) {
	p := &pair{TB: t, to: storetest.NewStore(t, storetest.Files)}
	now := func() time.Time { return storetest.Noon }
	kept := &hooked{Store: memstore.New(now), below: func(keypath.Prefix) {}}
	p.from = &storetest.Store{T: t, Store: mem.New(kept, mem.Options{Now: now}), Clock: now()}
	p.from.Put("/first", `1`)
	sum := ""
	kept.below = func(at keypath.Prefix) {
		if at.String() == "/untrusted/artifact" { // after those that nobody doubts
			kept.below = func(keypath.Prefix) {}
			sum = artifact(p.from, 1, "late")
		}
	}
	p.progress = func(int) {
		_, there := versions(p.to)[storetest.ArtifactKey(1)]
		if there && bytesOf(p.to, sum) == "(none)" {
			t.Error("the record is there before the file")
		}
	}
	p.counts(p.copies(), 2)
}

// lacking is a copy of a source that cannot give some lines and files: an error says so, and all
// else is copied.
func (p *pair) lacking(lines, files int) transfer.CopyReport {
	p.Helper()
	rep, err := transfer.Copy(ctx, mem.Caller{}, p.job())
	var lacks *transfer.LackError
	if !errors.As(err, &lacks) || lacks.Lines != lines || lacks.Files != files ||
		rep.Damaged != lines || rep.Absent != files || mem.KindOf(err) != mem.KindIO {
		p.Errorf("%+v %v", rep, err)
	}
	p.haveOneHistory()
	return rep
}

// A file that the source lost is named, and keeps nothing else from being copied.
func TestArtifactWithoutBytes(t *testing.T) { eachPair(t, testArtifactWithoutBytes) }

func testArtifactWithoutBytes(t *testing.T, p *pair) {
	p.from.Dirty, p.to.Dirty = true, true
	p.from.Import(storetest.ArtifactKey(1), storetest.ArtifactOf("never there"))
	damaged := artifact(p.from, 2, "damaged")
	want := 1
	if p.from.Root != "" {
		p.from.Must(os.WriteFile(p.from.File("artifacts/"+damaged), []byte("other"), 0o600))
		want = 2
	}
	if rep := p.lacking(0, want); rep.Artifacts != 2-want {
		t.Errorf("%+v", rep)
	}
	// What is damaged in the target is put right.
	p.renew()
	p.to.Dirty = true
	if p.from.Root != "" {
		p.from.Must(os.WriteFile(p.from.File("artifacts/"+damaged), []byte("damaged"), 0o600))
	}
	if p.to.Root != "" {
		p.to.Must(os.MkdirAll(p.to.File("artifacts"), 0o700))
		p.to.Must(os.WriteFile(p.to.File("artifacts/"+damaged), []byte("other"), 0o600))
	}
	if p.lacking(0, 1); bytesOf(p.to, damaged) != "damaged" {
		t.Error("what is damaged in the target is not put right")
	}
}

// The configuration comes along to a store that has none, byte for byte.
func TestConfig(t *testing.T) { eachPair(t, testConfig) }

func testConfig(t *testing.T, p *pair) {
	const own = "{ \"memory\": {\"max_total\": 7} }\n"
	fill(p.from)
	if rep := p.copies(); rep.Config {
		t.Error("there was none")
	}
	p.renew()
	p.from.Configure(`{"memory":{"max_total":8}}`)
	p.to.Configure(own)
	if rep := p.copies(); rep.Config {
		t.Error("it was replaced")
	}
	p.renew()
	p.from.Configure(own)
	if rep := p.copies(); !rep.Config {
		t.Error("it was not copied")
	}
	op, err := p.to.Begin(mem.Caller{}, policy.VerbNamed("copy"))
	p.to.Must(err)
	if given, err := op.GiveConfig(ctx, []byte(`{}`)); given || err != nil {
		t.Errorf("given %v, %v", given, err)
	}
	if text, err := p.to.Store.ConfigText(ctx); string(text) != own || err != nil {
		t.Errorf("%s %v", text, err)
	}
}

// A long history is folded into the state of a target of files before it is compared, and what
// cannot be read is told and left out.
func TestLongHistory(t *testing.T) {
	p := &pair{TB: t, from: storetest.NewStore(t, storetest.Files),
		to: storetest.NewStore(t, storetest.Files)}
	p.from.Dirty = true
	p.from.Configure(`{"rotate":{"lines":100}}`)
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, `{"key":"/k/%d","content":%q,"source":"x"}`+"\n", i%1500,
			strings.Repeat("x", 200))
	}
	_, err := p.from.SetAll(ctx, mem.Caller{}, strings.NewReader(lines.String()),
		mem.BatchOptions{})
	p.from.Must(err)
	_, err = p.from.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	p.from.Must(err)
	p.from.Put("/k/1", `"newer"`)
	p.counts(p.copies(), 2001)
	if _, err := os.Stat(p.to.File("state.jsonl")); err != nil {
		t.Error(err)
	}
	appendTo(p.from, "{\"key\":\"/k/2\", no JSON\n")
	p.from.Put("/k/3", `"newest"`)
	p.renew()
	if rep := p.lacking(1, 0); rep.Versions != 2002 {
		t.Errorf("%+v", rep)
	}
}

// Where the two do not hold the same in the end, that is an error which says where.
func TestDifference(t *testing.T) {
	for lost, says := range map[string]string{
		`{"key":"/user/b"`:   "copy: /user differs: memories in FROM: 2, in TO: 1",
		`"content":"second"`: "/user differs: memories in FROM: 2, in TO: 2, with other lines",
	} {
		p := &pair{TB: t, from: storetest.NewStore(t, storetest.Files),
			to: storetest.NewStore(t, storetest.Memory)}
		p.from.Dirty = true
		p.from.Put("/user/a", `"first"`)
		p.from.Put("/user/a", `"second"`)
		p.from.Put("/user/b", `1`)
		p.from.Put("/other/b", `1`)
		_, err := p.from.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		p.from.Must(err)
		// The state still has what nobody can read in the log.
		text, err := os.ReadFile(p.from.File("log.jsonl"))
		p.from.Must(err)
		damaged := strings.Replace(string(text), lost, strings.ToUpper(lost), 1)
		p.from.Must(os.WriteFile(p.from.File("log.jsonl"), []byte(damaged), 0o600))
		_, err = transfer.Copy(ctx, mem.Caller{}, p.job())
		p.refused("damaged", err, mem.KindIO, says)
		var differ *transfer.DifferenceError
		if !errors.As(err, &differ) || len(differ.Prefixes) != 1 {
			t.Errorf("%+v", differ)
		}
	}
}

var errCut = errors.New("cut off")

// A process that is killed at any call of the disk leaves a sound target. The next copy refuses it,
// or makes it whole where no version has arrived.
func TestKilledAtEveryCall(t *testing.T) {
	from := storetest.NewStore(t, storetest.Files)
	fill(from)
	disorder(from)
	artifact(from, 1, "the bytes")
	from.Configure(`{"memory":{"max_total":7}}`)
	defer transfer.SetLimits(3, 1)()
	const stride = 3
	n := 1
	for more := true; more; n += stride {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := &pair{TB: t, from: from, to: storetest.NewStore(t, storetest.Files)}
			var calls atomic.Int64
			disk.SetHook(func(disk.Op, string) error {
				if calls.Add(1) >= int64(n) {
					return errCut
				}
				return nil
			})
			_, err := transfer.Copy(ctx, mem.Caller{}, p.job())
			disk.SetHook(nil)
			if more = calls.Load() >= int64(n); more && err == nil {
				t.Log("the call did not matter")
			}
			p.to.Open() // as the next process does
			if _, err = transfer.Copy(ctx, mem.Caller{}, p.job()); err != nil {
				p.refused("cut off", err, mem.KindInput, "TO is not empty")
				p.to.Must(p.to.CatchUp(ctx, mem.Caller{})) // as the next write does
				p.hasFirstVersions()
				return
			}
			p.haveOneHistory()
			if sum := fmt.Sprintf("%x", sha256.Sum256([]byte("the bytes"))); bytesOf(p.to, sum) !=
				"the bytes" {
				t.Error("the file is not there")
			}
		})
	}
	if n < 100*stride/2 {
		t.Errorf("only %d calls of the disk", n)
	}
}
