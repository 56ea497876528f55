package ledger_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"pgregory.net/rapid"
)

// token looks like a secret; it is put together so that this file has none.
var token = "ghp_" + "R7xkQ2mN9vLp4TzW8sYc3BfH6jD1gKe5aUoX"

// content returns what is stored of an event about a content.
func (l *lab) normalized(kind, value string) string {
	l.T.Helper()
	got := l.record(ledger.Event{Session: "s1", Kind: kind, Content: json.RawMessage(value),
		Actor: ledger.Actor{Type: "tool", ID: "sh"}})
	rec, err := l.Get(ctx, mem.Caller{}, keypath.MustParse("/event/s1/"+got.Event), false)
	l.Must(err)
	return string(jsontext.ParseMembers(rec.Content).Get("content"))
}

// The result of a tool is brought into one form (B-30, B-31); other contents stay as they are.
func TestNormalized(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	for _, c := range [][3]string{
		{"message", `{"text":"a","x":1.50}`, `{"text":"a","x":1.50}`},
		{"message", `"a"`, `"a"`},
		{"message", `[1,{"a":2}]`, `[1,{"a":2}]`},
		{"tool_call", `{"tool":"x","args":{"p":"q"}}`, `{"tool":"x","args":{"p":"q"}}`},
		{"tool_result", `{"text":"a\nb"}`,
			`{"tool":"sh","excerpt_text":"a\nb","line_range":[1,2],"truncated":false}`},
		{"tool_result", `{"tool":"fs","path":"p","text":"a\n","line_range":[40,90],"ok":true}`,
			`{"tool":"fs","path":"p","excerpt_text":"a\n","line_range":[40,40],"truncated":false,"ok":true}`},
		{"tool_result", `{"excerpt_text":"a","truncated":true,"artifact_id":"art_1"}`,
			`{"tool":"sh","excerpt_text":"a","line_range":[1,1],"truncated":true,"artifact_id":"art_1"}`},
		{"tool_result", `"plain"`,
			`{"tool":"sh","excerpt_text":"plain","line_range":[1,1],"truncated":false}`},
		{"tool_result", `{"path":"p","rows":[1,2]}`, `{"tool":"sh","path":"p",` +
			`"excerpt_text":"{\"rows\":[1,2]}","line_range":[1,1],"truncated":false}`},
		{"tool_result", `{"text":"","line_range":"x"}`,
			`{"tool":"sh","excerpt_text":"","line_range":[1,1],"truncated":false}`},
	} {
		if got := l.normalized(c[0], c[1]); got != c[2] {
			t.Errorf("%s %s:\n%s, want\n%s", c[0], c[1], got, c[2])
		}
	}
}

// A text that is too long is cut at a character, and kept as a whole.
func TestLongTextIsAnArtifact(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		for _, text := range []string{
			strings.Repeat("0123456789abcde\n", 12_800), // 200 KB
			strings.Repeat("牙科复诊", 10_000), strings.Repeat("x", ledger.MaxText+1),
		} {
			for _, kind := range []string{"message", "tool_result"} {
				e := message("s1", text)
				e.Kind = kind
				got := l.record(e)
				r, err := l.book.OpenArtifact(ctx, "", got.Artifact)
				l.Must(err)
				whole, err := io.ReadAll(r)
				l.Must(errors.Join(err, r.Close()))
				if string(whole) != text {
					t.Errorf("%d bytes come back of %d", len(whole), len(text))
				}
				n, err := l.book.Resolve(ctx, "", got.Event)
				l.Must(err)
				excerpt := content.Parse(n.Record.Content).Text
				if len(excerpt) > ledger.MaxText || len(excerpt) < ledger.MaxText-3 ||
					!utf8.ValidString(excerpt) || !strings.HasPrefix(text, excerpt) {
					t.Errorf("an excerpt of %d bytes", len(excerpt))
				}
				l.checkChunks(got, excerpt)
			}
		}
		if got := l.record(message("s1", strings.Repeat("x", ledger.MaxText))); got.Artifact != "" {
			t.Error("a text of the greatest length is cut")
		}
	})
}

// checkChunks fails unless the chunks of an event together are its text, but for blanks.
func (l *lab) checkChunks(got ledger.Recorded, text string) {
	l.T.Helper()
	var all strings.Builder
	for _, id := range got.Chunks {
		n, err := l.book.Resolve(ctx, "", id)
		l.Must(err)
		all.WriteString(n.Text)
	}
	unspaced := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if len(got.Chunks) < 2 || unspaced(all.String()) != unspaced(text) {
		l.T.Errorf("%d chunks are not the text", len(got.Chunks))
	}
}

// Files of any bytes come back as they were; one too large, or with a secret, is not kept.
func TestArtifacts(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		random := make([]byte, 3_000_000)
		rand.Read(random)
		for _, text := range [][]byte{random, {}, []byte("plain\r\n"), {0xff, 0}} {
			kept, err := l.book.AddArtifact(ctx, ledger.Artifact{}, bytes.NewReader(text))
			l.Must(err)
			r, err := l.book.OpenArtifact(ctx, "private", kept.ID)
			l.Must(err)
			got, err := io.ReadAll(r)
			l.Must(errors.Join(err, r.Close()))
			if !bytes.Equal(got, text) || kept.Bytes != int64(len(text)) {
				t.Errorf("%d bytes come back of %d", len(got), len(text))
			}
			if _, err := l.book.OpenArtifact(ctx, "public", kept.ID); !errors.Is(err,
				ledger.ErrNotFound) {
				t.Errorf("the public is told of a file: %v", err)
			}
		}
		lines := strings.Repeat("all is well\n", 100_000)
		for at, want := range map[int]error{0: policy.ErrSecret, len(lines) / 2: policy.ErrSecret,
			len(lines): policy.ErrSecret, 1<<20 - 20: policy.ErrSecret} {
			text := lines[:at] + " " + token + " " + lines[at:]
			_, err := l.book.AddArtifact(ctx, ledger.Artifact{}, strings.NewReader(text))
			if !errors.Is(err, want) {
				t.Errorf("a token at %d: %v", at, err)
			}
		}
		_, err := l.book.AddArtifact(ctx, ledger.Artifact{}, io.LimitReader(zeros{},
			ledger.MaxArtifact+1))
		if !errors.Is(err, policy.ErrTooLarge) {
			t.Errorf("a file too large: %v", err)
		}
		if left := len(l.All()); left != 4 {
			t.Errorf("%d artifacts", left)
		}
	})
}

// zeros is a file without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// An event of anything at all is stored, and a token nowhere in it.
func TestEveryEventIsStored(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{token, "x", "password=" + token[4:20], "\n", "\"", "日本",
			"api_key: ", " ", "{", "\u2028", "sk-" + token[4:30]})
		text := strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "text"), "")
		value, err := json.Marshal(map[string]any{
			rapid.SampledFrom([]string{"text", "token", "args", token}).Draw(t, "name"): text,
			"more": []any{text, map[string]string{"key": text}},
		})
		if err != nil {
			t.Fatal(err)
		}
		e := ledger.Event{Session: "s1", Content: value, Tags: []string{"t", text + "x"},
			Kind:  rapid.SampledFrom(ledger.Values("kind")).Draw(t, "kind"),
			Actor: ledger.Actor{Type: "tool", ID: "id " + text}, Refs: []string{"/kb/x"}}
		if _, err := l.book.Record(ctx, e); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		n++
	})
	log := l.Logged()
	if strings.Contains(log, token) || strings.Count(log, "\n") < n ||
		n < testkit.Extent(10, 50, 50) {
		t.Errorf("%d events, %d lines", n, strings.Count(log, "\n"))
	}
}
