package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// The columns only save time: with them, without them and with damaged ones a read has
// the same page, whatever the log has gained since the compaction.
func TestReadIsTheSameWithoutColumns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := &fixture{&storetest.Store{T: t, Root: filepath.Join(t.TempDir(), "memory"), Clock: noon}}
		f.Open()
		defer f.Close()
		fill(rt, f, rapid.IntRange(1, 60).Draw(rt, "before"))
		_, err := f.Compact(ctx, mem.Caller{},
			mem.CompactOptions{KeepExpired: rapid.Bool().Draw(rt, "keep expired")})
		f.Must(err)
		fill(rt, f, rapid.IntRange(0, 20).Draw(rt, "since"))
		o := mem.ReadOptions{Limit: rapid.IntRange(0, 600).Draw(rt, "limit"),
			Prefix: prefixOf(f, rapid.SampledFrom([]string{"/", "/user", "/u", "/untrusted",
				"/none"}).Draw(rt, "prefix"))}
		o.Tags = rapid.SliceOfN(rapid.SampledFrom(tags), 0, 3).Draw(rt, "tags")
		with := pageOf(f, o)
		file := filepath.Join(f.Root, "cache", "columns")
		data, err := os.ReadFile(file)
		f.Must(err)
		at := rapid.IntRange(0, len(data)-1).Draw(rt, "damaged byte")
		data[at] ^= byte(rapid.IntRange(1, 255).Draw(rt, "damage"))
		f.Must(os.WriteFile(file, data, 0o600))
		damaged := pageOf(f, o)
		f.Must(os.Remove(file))
		without := pageOf(f, o)
		if with != without || damaged != without {
			rt.Fatalf("with columns\n%s\ndamaged\n%s\nwithout\n%s", with, damaged, without)
		}
	})
}

var tags = []string{"go", "Go", "日程", "with\nnewline", ""}

// fill writes n memories at random keys, some of them expiring, untrusted or deleted.
func fill(rt *rapid.T, f *fixture, n int) {
	keys := []string{"/user", "/user/a", "/user-x", "/user0", "/u/b", "/untrusted", "/untrusted/k",
		"/untrusted-not", "/x/y/z"}
	for range n {
		f.Clock = f.Clock.Add(time.Duration(rapid.IntRange(0, 3).Draw(rt, "hours")) * time.Hour)
		key := rapid.SampledFrom(keys).Draw(rt, "key") +
			rapid.SampledFrom([]string{"", "/1", "/2", "3"}).Draw(rt, "tail")
		content := fmt.Sprintf(`{"type":%q,"text":"text %d","importance":%v,"tags":["%s"],"expired_at":%q}`,
			rapid.SampledFrom([]string{"", "preference", "decision"}).Draw(rt, "type"),
			rapid.IntRange(0, 99).Draw(rt, "text"),
			rapid.SampledFrom([]string{"0.7", "3", "1e9", "\"no\""}).Draw(rt, "importance"),
			strings.ReplaceAll(rapid.SampledFrom(tags).Draw(rt, "tag"), "\n", `\n`),
			rapid.SampledFrom([]string{"", "2026-02-22T13:00:00Z", "2027-01-01"}).Draw(rt,
				"expiry"))
		content = rapid.SampledFrom([]string{content, content, content, "null", "7"}).Draw(rt,
			"content")
		if !keypath.MustParse(key).Untrusted() {
			f.Put(key, content)
			continue
		}
		line := fmt.Sprintf(`{"key":%q,"ts":%q,"content":%s,"source":"x"}`, key,
			log.StampOf(f.Clock), content)
		_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(line), mem.BatchOptions{})
		f.Must(err)
	}
}

func prefixOf(f *fixture, text string) keypath.Prefix {
	p, err := keypath.ParsePrefix(text)
	f.Must(err)
	return p
}

func pageOf(f *fixture, o mem.ReadOptions) string {
	page, err := f.Read(ctx, mem.Caller{}, o)
	f.Must(err)
	return string(page.AppendJSON(nil))
}
