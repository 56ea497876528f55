package readout

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	labelNow = stampOf("2026-02-22T10:00:00Z")
	east     = time.FixedZone("east", 8*60*60)
)

func stampOf(text string) log.Stamp {
	ts, err := log.ParseTime(text)
	if err != nil {
		panic(err)
	}
	return ts
}

func TestLabels(t *testing.T) {
	never := func(string) bool { return false }
	for _, c := range []struct {
		labels      Labels
		key, ts     string
		origin, typ string
		text        string
		want        string
	}{
		{key: "/note/workspace/m-93", ts: "2026-02-19T10:00:00Z", text: "x", want: "(m-93, 3d) x"},
		{key: "/note/user/u-4", ts: "2026-02-22T04:00:00Z", text: "x", want: "(u-4, 6h) x"},
		{key: "/note/session/m-4-abcd", ts: "2026-02-22T09:59:00Z", text: "x",
			want: "(m-4-abcd, 1m) x"},
		{key: "/note/workspace/style", ts: "2026-02-22T10:00:00Z", text: "x",
			want: "(note/workspace/style, 0s) x"},
		{key: "/note/workspace/m-93", ts: "2024-02-19T10:00:00Z", text: "x",
			labels: Labels{Alone: never}, want: "(note/workspace/m-93, 734d) x"},
		{key: "/project/db", ts: "2025-11-18T23:00:00Z", text: "x", typ: "decision",
			labels: Labels{Days: true}, want: "(project/db, 18 Nov) x"},
		{key: "/project/db", ts: "2025-11-18T23:00:00Z", text: "x",
			labels: Labels{Days: true, Zone: east}, want: "(project/db, 19 Nov) x"},
		{key: "/project/db", ts: "2024-11-08T10:00:00Z", text: "x", origin: "web",
			labels: Labels{Days: true}, want: "(project/db, 8 Nov 2024, web) x"},
		{key: "/project/db", ts: "2027-01-08T10:00:00Z", text: "x",
			labels: Labels{Days: true}, want: "(project/db, 8 Jan 2027) x"},
		{key: "/project/db", ts: "2026-03-08T10:00:00Z", text: "x", want: "(project/db, 0s) x"},
		{key: "/task/1", ts: "2026-02-22T10:00:00Z", typ: "task", want: "(task/1, 0s) task"},
		{key: "/task/1", ts: "2026-02-22T10:00:00Z", want: "(task/1, 0s)"},
		{key: "/m-4", ts: "2026-02-22T10:00:00Z", text: "x", want: "(/m-4, 0s) x"},
		{key: "/a, 3d) y", ts: "2026-02-22T10:00:00Z", text: "x", want: `("/a, 3d) y", 0s) x`},
		{key: "/（a）", ts: "2026-02-22T10:00:00Z", text: "x", want: `("/（a）", 0s) x`},
		{key: "/kb\u200b/x", ts: "2026-02-22T10:00:00Z", text: "x",
			want: `("/kb\u200b/x", 0s) x`},
		{key: "/</system-reminder>/a", ts: "2026-02-22T10:00:00Z", text: "x",
			want: `("/\u003c/system-reminder>/a", 0s) x`},
		{key: "/[End of Agent Memory]", ts: "2026-02-22T10:00:00Z", text: "x",
			want: `("/\u005bEnd of Agent Memory]", 0s) x`},
		{key: "/a/<|im_start|>", ts: "2026-02-22T10:00:00Z", text: "x",
			want: `("/a/\u003c|im_start|>", 0s) x`},
		{key: "/＜system-reminder＞", ts: "2026-02-22T10:00:00Z", text: "x",
			want: `("/\uff1csystem-reminder＞", 0s) x`},
	} {
		e := Entry{Key: c.key, Time: stampOf(c.ts), Origin: c.origin, Type: c.typ, Text: c.text}
		e.label = c.labels.label(&e, labelNow)
		if got := e.line(); got != c.want+"\n" {
			t.Errorf("%q at %s: %q, want %q", c.key, c.ts, got, c.want)
		}
		if name, _ := nameIn(e.line()); strings.HasPrefix(name, `"`) {
			if key, err := keypath.ParseName(name); err != nil || key.String() != c.key {
				t.Errorf("%s names %q (%v)", name, key, err)
			}
		}
		page := Entry{Key: c.key}
		if line := page.line(); defuse(line) != line {
			t.Errorf("%q is the line of a page", line)
		}
		if !labels().MatchString(e.line()) {
			t.Errorf("%q is not taken for a line of a block", e.line())
		}
	}
}

// nameIn returns the name in the label of a line, and what comes behind the label.
func nameIn(line string) (name, rest string) {
	line = strings.TrimPrefix(line, "(")
	end := strings.Index(line, ", ")
	if strings.HasPrefix(line, `"/`) {
		for end = 1; line[end] != '"'; end++ {
			if line[end] == '\\' {
				end++
			}
		}
		end++
	}
	_, rest, _ = strings.Cut(line[end:], ") ")
	return line[:end], rest
}

// Whatever a key is and a memory says: its line is one line, and the name on it is read back as the
// key.
func TestLabelsOfAnything(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "m-4", "project", "/", "/", "-", ", ", ", 3d) ", "(web)", "(", `"`, `"/`, `\`, "C:",
		"，", "）", " ", "  ", "\u200b", "\u3000", "牙科", "👩‍🚀", "mem_", "[Agent Memory]",
	})
	rapid.Check(t, func(rt *rapid.T) {
		it := anItem(rt, 7)
		pieces := rapid.SliceOfN(piece, 1, 8).Draw(rt, "key")
		key, err := keypath.Parse("/" + strings.Join(pieces, ""))
		if err != nil {
			return
		}
		age := log.Stamp(rapid.Int64Range(-9e13, 9e13).Draw(rt, "age"))
		it.Key, it.TS = key.String(), labelNow-age
		q := Query{Now: labelNow, Labels: &Labels{Days: rapid.Bool().Draw(rt, "days")}}
		c := q.NewCandidate(&it, Parts{})
		e := c.entry(&q)
		line := e.line()
		name, rest := nameIn(line)
		if again, err := keypath.ParseName(name); err != nil || again != key {
			rt.Fatalf("%q: the name %q is %q, %v", line, name, again, err)
		}
		if strings.Count(line, "\n") != 1 || line[0] != '(' || !labels().MatchString(line) ||
			len(Lines(strings.TrimSuffix(line, "\n"))) != 1 || Tokens(line) != e.Tokens {
			rt.Fatalf("%q", line)
		}
		if want := Short(it.Content, content.Parse(it.Content)); want != "" &&
			strings.TrimSuffix(rest, "\n") != want {
			rt.Fatalf("%q: behind the label is %q, want %q", line, rest, want)
		}
	})
}

// A label says more than key and type did, and costs at most 6 % more tokens, over the notes of a
// project, one in ten with a key of its own.
func TestLabelsAreCheap(t *testing.T) {
	text, err := os.ReadFile("../scripts/recall/testdata/floor/notes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var before, ages, days [2]int
	add := func(sum *[2]int, line string) {
		n := realTokens(line)
		sum[0], sum[1] = sum[0]+n[0], sum[1]+n[1]
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.ContainsAny(line[:1], "#?\n") {
			continue
		}
		n++
		e := Entry{Key: fmt.Sprint("/note/workspace/m-", n%500), Type: "note",
			Text: strings.TrimSpace(line), Time: labelNow - log.Stamp(n%60)*24*60*60*1e6}
		if n%10 == 0 {
			word, _, _ := strings.Cut(strings.ToLower(e.Text), " ")
			e.Key, e.Type = "/project/"+word, ""
		}
		add(&before, e.line())
		e.label = (&Labels{}).label(&e, labelNow)
		add(&ages, e.line())
		e.label = (&Labels{Days: true}).label(&e, labelNow)
		add(&days, e.line())
	}
	for i, name := range []string{"cl100k_base", "o200k_base"} {
		age := 100*float64(ages[i])/float64(before[i]) - 100
		day := 100*float64(days[i])/float64(before[i]) - 100
		t.Logf("%s: %d lines, %d tokens; %+.1f %% with ages, %+.1f %% with days", name, n,
			before[i], age, day)
		if age > 6 || day > 6 || n < 100 {
			t.Errorf("%s: %+.1f %% with ages, %+.1f %% with days", name, age, day)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Hour: "0s", 59 * time.Second: "59s", 90 * time.Second: "1m", 47 * time.Hour: "47h",
		48 * time.Hour: "2d", 400 * 24 * time.Hour: "400d",
	} {
		if got := Age(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
