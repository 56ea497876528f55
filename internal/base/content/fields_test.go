package content_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

var now = time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)

var (
	none = content.Fields{Importance: content.DefaultImportance}
	bad  = with(func(f *content.Fields) { f.BadExpiry = true })
	ten  = log.StampOf(now)

	pinned = with(func(f *content.Fields) { f.Pinned = true })
)

func with(change func(*content.Fields)) content.Fields {
	f := none
	change(&f)
	return f
}

func expires(at log.Stamp) content.Fields {
	return with(func(f *content.Fields) { f.Expires, f.HasExpiry = at, true })
}

func importance(v float64) content.Fields {
	return with(func(f *content.Fields) { f.Importance = v })
}

func tags(tags ...string) content.Fields {
	return with(func(f *content.Fields) { f.Tags = tags })
}

var parsed = map[string]content.Fields{
	`{}`: none, `[]`: none, `null`: none, `"type"`: none, `1`: none, `[{"type":"x"}]`: none,
	`{"a":{"type":"x"}}`: none, ``: none,
	`{"type":"preference","summary":"用户","text":"a\nb \u7259 \ud83d\ude00"}`: with(
		func(f *content.Fields) {
			f.Type, f.Summary, f.Text = "preference", "用户", "a\nb 牙 😀"
		}),
	`{"\u0074ype":"x"}`: with(func(f *content.Fields) { f.Type = "x" }),
	`{"x":"type","type":"y","z":["text"],"text":""}`: with(func(f *content.Fields) {
		f.Type = "y"
	}),
	`{"type":1,"summary":null,"text":["x"],"tags":{"a":1},` +
		`"importance":"0.9","expired_at":null}`: none,
	`{"Type":"x","TEXT":"y"}`: none,
	`{"superseded_by":"/b"}`:  with(func(f *content.Fields) { f.SupersededBy = "/b" }),
	`{"superseded_by":true}`:  none, `{"superseded_by":""}`: none, `{"a":{"superseded_by":"/b"}}`: none,

	`{"tags":["a","b","a"]}`:                       tags("a", "b", "a"),
	`{"tags":["a",1,null,"",["b"],{"c":1},"牙,]"]}`: tags("a", "牙,]"),
	`{"tags":[]}`:      none,
	`{"tags":"a"}`:     none,
	`{"tags":["\""]}`:  tags(`"`),
	`{"tags":["a\\"]}`: tags(`a\`),

	`{"importance":0}`:    importance(0),
	`{"importance":0.25}`: importance(0.25),
	`{"importance":1.0}`:  importance(1),
	`{"importance":1}`: with(func(f *content.Fields) {
		f.Importance, f.WholeOne = 1, true
	}),
	`{"importance":8}`:       importance(0.8),
	`{"importance":10.0}`:    importance(1),
	`{"importance":1e9}`:     importance(1),
	`{"importance":-3}`:      importance(0),
	`{"importance":-0}`:      importance(math.Copysign(0, -1)),
	`{"importance":1e-400}`:  importance(0),
	`{"importance":1e400}`:   none,
	`{"importance":true}`:    none,
	`{"importance":"high"}`:  none,
	`{"importance":[0.9]}`:   none,
	`{"importance":{"a":1}}`: none,

	`{"expired_at":"2026-02-22T10:00:00Z"}`:        expires(ten),
	`{"expired_at":"2026-02-22T18:00:00+08:00"}`:   expires(ten),
	`{"expired_at":"2026-02-22T10:00:00.000001Z"}`: expires(ten + 1),
	`{"expired_at":"2026-02-22T10:00"}`:            expires(ten),
	`{"expired_at":"2026-02-22"}`:                  expires(ten - 36_000_000_000),
	`{"expired_at":"\u0032026-02-22T10:00:00Z"}`:   expires(ten),
	`{"expired_at":1771754400}`:                    expires(ten),
	`{"expired_at":1771754400.1}`:                  expires(ten + 100_000),
	`{"expired_at":1771754400.000001}`:             expires(ten + 1),
	`{"expired_at":1771754400000}`:                 expires(ten),
	`{"expired_at":1771754400000.5}`:               expires(ten + 500),
	`{"expired_at":1.7717544e9}`:                   expires(ten),
	`{"expired_at":0}`:                             expires(0),
	`{"expired_at":-1.5}`:                          expires(-1_500_000),
	`{"expired_at":""}`:                            bad,
	`{"expired_at":"soon"}`:                        bad,
	`{"expired_at":"2026-02-31"}`:                  bad,
	`{"expired_at":true}`:                          bad,
	`{"expired_at":["2026-02-22T10:00:00Z"]}`:      bad,
	`{"expired_at":{}}`:                            bad,
	`{"expired_at":253402300799000}`:               expires(log.MaxStamp - 999_999),
	`{"expired_at":253402300800000}`:               bad,
	`{"expired_at":1771754400000000}`:              bad,
	`{"expired_at":1e400}`:                         bad,
	`{"expired_at":-99999999999}`:                  bad,
	`{"expired_at":-62167219200}`:                  expires(log.MinStamp),
	`{"expired_at":-62167219201}`:                  bad,

	`{"pinned":true}`:         pinned,
	`{"\u0070inned":true}`:    pinned,
	`{"pinned":false}`:        none,
	`{"pinned":null}`:         none,
	`{"pinned":"true"}`:       none,
	`{"pinned":1}`:            none,
	`{"pinned":[true]}`:       none,
	`{"Pinned":true}`:         none,
	`{"a":{"pinned":true}}`:   none,
	`{"a":"\"pinned\":true"}`: none,
	`[{"pinned":true}]`:       none,
	`{"text":"\"pinned\":true"}`: with(func(f *content.Fields) {
		f.Text = `"pinned":true`
	}),
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range parsed {
		if got := content.Parse([]byte(text)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%+v, want\n%+v", text, got, want)
		}
	}
}

func TestEpochExpiryIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		at := log.Stamp(rapid.Int64Range(0, 4_102_444_800_000_000).Draw(rt, "before the year 2100"))
		texts := []string{fmt.Sprintf("%d.%06d", at/1e6, at%1e6)}
		if at >= 1e14 { // less would be taken for seconds
			texts = append(texts, fmt.Sprintf("%d.%03d", at/1e3, at%1e3))
		}
		for _, text := range texts {
			f := content.Parse([]byte(`{"expired_at":` + text + `}`))
			if !f.HasExpiry || f.Expires != at || f.Expired(at) || !f.Expired(at+1) {
				rt.Fatalf("%s is %s, want %s", text, f.Expires, at)
			}
		}
	})
}

func TestExpired(t *testing.T) {
	t.Parallel()
	at := log.StampOf(now)
	for _, c := range []struct {
		content string
		now     log.Stamp
		want    bool
	}{
		{`{"expired_at":"2026-02-22T10:00:00Z"}`, at - 1, false},
		{`{"expired_at":"2026-02-22T10:00:00Z"}`, at, false},
		{`{"expired_at":"2026-02-22T10:00:00Z"}`, at + 1, true},
		{`{"a":{"expired_at":0},"expired_at":"2026-02-22T18:00:00+08:00"}`, at, false},
		{`{"expired_at":"2026-02-22T18:00:00+08:00"}`, at + 1, true},
		{`{"expired_at":1771754400}`, at, false},
		{`{"expired_at":1771754400}`, at + 1, true},
		{`{"expired_at":"2026-02-22T10:00:00.0000019Z"}`, at + 1, false},
		{`{"expired_at":"soon"}`, log.MaxStamp, false},
		{`{"expired_at":null}`, log.MaxStamp, false},
		{`{}`, log.MaxStamp, false},
		{`null`, log.MaxStamp, false},
	} {
		if got := content.Expired([]byte(c.content), c.now); got != c.want {
			t.Errorf("%s at %s: %v", c.content, c.now, got)
		}
		if got := content.Parse([]byte(c.content)).Expired(c.now); got != c.want {
			t.Errorf("fields of %s at %s: %v", c.content, c.now, got)
		}
	}
}

// A type that only looks like rule is none.
func TestIsRule(t *testing.T) {
	for text, want := range map[string]bool{
		`{"type":"rule"}`: true, `{"type":"RULE"}`: true, `{"type":"Preference"}`: true,
		`{"pinned":true,"type":"note"}`: true, `{"type":"rules"}`: false, `{"type":" rule"}`: false,
		`{"pinned":1}`: false, `"rule"`: false, `{"tags":["rule"]}`: false, `["rule"]`: false,
		`{"type":"note","tags":["db","Rule"]}`: true, `{"type":"Note","tags":["preference"]}`: true,
		`{"type":"note","tags":["rules"]}`: false, `{"type":"finding","tags":["rule"]}`: false,
	} {
		f := content.Parse([]byte(text))
		if got := f.IsRule(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
