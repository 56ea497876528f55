package log_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/log"
)

func TestParseFields(t *testing.T) {
	t.Parallel()
	ten := log.StampOf(now)
	none := log.Fields{Importance: log.DefaultImportance}
	with := func(change func(*log.Fields)) log.Fields {
		f := none
		change(&f)
		return f
	}
	expires := func(at log.Stamp) log.Fields {
		return with(func(f *log.Fields) { f.Expires, f.HasExpiry = at, true })
	}
	importance := func(v float64) log.Fields { return with(func(f *log.Fields) { f.Importance = v }) }
	tags := func(tags ...string) log.Fields { return with(func(f *log.Fields) { f.Tags = tags }) }
	bad := with(func(f *log.Fields) { f.BadExpiry = true })
	for content, want := range map[string]log.Fields{
		`{}`: none, `[]`: none, `null`: none, `"type"`: none, `1`: none, `[{"type":"x"}]`: none, `{"a":{"type":"x"}}`: none, ``: none,
		`{"type":"preference","summary":"用户","text":"a\nb \u7259 \ud83d\ude00"}`: with(func(f *log.Fields) {
			f.Type, f.Summary, f.Text = "preference", "用户", "a\nb 牙 😀"
		}),
		`{"\u0074ype":"x"}`: with(func(f *log.Fields) { f.Type = "x" }),
		`{"x":"type","type":"y","z":["text"],"text":""}`:                                             with(func(f *log.Fields) { f.Type = "y" }),
		`{"type":1,"summary":null,"text":["x"],"tags":{"a":1},"importance":"0.9","expired_at":null}`: none,
		`{"Type":"x","TEXT":"y"}`: none,

		`{"tags":["a","b","a"]}`:                       tags("a", "b", "a"),
		`{"tags":["a",1,null,"",["b"],{"c":1},"牙,]"]}`: tags("a", "牙,]"),
		`{"tags":[]}`:      none,
		`{"tags":"a"}`:     none,
		`{"tags":["\""]}`:  tags(`"`),
		`{"tags":["a\\"]}`: tags(`a\`),

		`{"importance":0}`:       importance(0),
		`{"importance":0.25}`:    importance(0.25),
		`{"importance":1}`:       importance(1),
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
	} {
		if got := log.ParseFields([]byte(content)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%+v, want\n%+v", content, got, want)
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
			f := log.ParseFields([]byte(`{"expired_at":` + text + `}`))
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
		if got := log.Expired([]byte(c.content), c.now); got != c.want {
			t.Errorf("%s at %s: %v", c.content, c.now, got)
		}
		if got := log.ParseFields([]byte(c.content)).Expired(c.now); got != c.want {
			t.Errorf("fields of %s at %s: %v", c.content, c.now, got)
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	for object, want := range map[string][]string{
		`{}`: nil, ``: nil, `[]`: nil, `{`: nil, `"a":1`: nil, `null`: nil,
		`{"a":1}`:                   {"a", "1"},
		`{"a":1,"b":[1,{"c":2}]}`:   {"a", "1", "b", `[1,{"c":2}]`},
		`{"a":{"b":{}},"c":"}"}`:    {"a", `{"b":{}}`, "c", `"}"`},
		`{"a\"b":"\\","\u0063":-1}`: {`a"b`, `"\\"`, "c", "-1"},
		`{"":null,"t":true}`:        {"", "null", "t", "true"},
		`{"a":"[{","b":["]"]}`:      {"a", `"[{"`, "b", `["]"]`},
		`{"\\":"\\\"","x":1}`:       {`\`, `"\\\""`, "x", "1"},
	} {
		var got []string
		for name, value := range log.Members([]byte(object)) {
			got = append(got, name, string(value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", object, got, want)
		}
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	for array, want := range map[string][]string{
		`[]`: nil, ``: nil, `{}`: nil, `[`: nil, `1`: nil,
		`[1]`:                   {"1"},
		`["a",-1.5e3,null]`:     {`"a"`, "-1.5e3", "null"},
		`[[],{},[1,[2]],"],["]`: {"[]", "{}", "[1,[2]]", `"],["`},
		`["\"","\\"]`:           {`"\""`, `"\\"`},
	} {
		var got []string
		for value := range log.Elements([]byte(array)) {
			got = append(got, string(value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", array, got, want)
		}
	}
}

func TestWalkStops(t *testing.T) {
	t.Parallel()
	for range log.Members([]byte(`{"a":1,"b":2}`)) {
		break
	}
	for range log.Elements([]byte(`[1,2]`)) {
		break
	}
}

func TestUnquote(t *testing.T) {
	t.Parallel()
	for quoted, want := range map[string]string{
		`""`: "", `"a"`: "a", `"牙 😀"`: "牙 😀", `"\u7259"`: "牙", `"\ud83d\ude00!"`: "😀!", `"\uD83D\uDE00"`: "😀",
		`"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u0000\u001f"`: "\x00\x1f", `"a\\u0041"`: `a\u0041`, `"\uffff"`: "\uffff",
		``: "", `"`: "", `null`: "", `1`: "", `["a"]`: "",
	} {
		if got := log.Unquote([]byte(quoted)); got != want {
			t.Errorf("%s: %q, want %q", quoted, got, want)
		}
	}
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": `""`, "a": `"a"`, `"\`: `"\"\\"`, "/": `"/"`, "<>&": `"<>&"`, "牙😀\u2028": "\"牙😀\u2028\"",
		"\x00\t\n\x1f\x7f": "\"\\u0000\\t\\n\\u001f\x7f\"",
	} {
		if got := string(log.AppendString([]byte("x"), s)); got != "x"+want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		if back := log.Unquote([]byte(want)); back != s {
			t.Errorf("%q comes back as %q", s, back)
		}
	}
}
