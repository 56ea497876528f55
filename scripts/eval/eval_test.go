package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/scripts/harness"
)

// expected has the size of a set of testdata, and the least recall in it.
var expected = []struct{ name, counts, recall string }{
	{"locomo-turns", "22 0 10 2", "85"},
	{"locomo-sessions", "4 0 10 2", "100"},
	{"longmemeval-s", "42 0 10 1", "85"},
	{"madial-en", "12 0 10 0", "95"},
	{"madial-zh", "12 0 10 0", "95"},
}

// The sets of testdata, from their files to the table and the files that other tools judge.
func TestSets(t *testing.T) {
	mem, dir := testkit.Mem(t), t.TempDir()
	lines, rankings := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "score.json")
	out := evaluated(t, "-mem", mem, "-data", "testdata", "-out", lines, "-score", rankings)
	for _, e := range expected {
		var row []string
		for line := range strings.Lines(out) {
			if fields := strings.Fields(line); fields[0] == e.name {
				row = fields[1:]
			}
		}
		if len(row) != 12 || strings.Join(row[:4], " ") != e.counts {
			t.Fatalf("%s: %q, want %s and eight figures\n%s", e.name, row, e.counts, out)
		}
		if number(t, row[9]) < number(t, e.recall) {
			t.Errorf("%s: R@10 is %s, below %s", e.name, row[9], e.recall)
		}
	}
	for _, file := range []string{"locomo10.json", "longmemeval_s.json",
		"MADial-Bench-en-memory.json", "MADial-Bench-zh-dialogue.json"} {
		want := fmt.Sprintf("sha256 %x %s\n", sha256.Sum256(read(t, "testdata/"+file)), file)
		if !strings.Contains(out, want) {
			t.Errorf("no %s", want)
		}
	}
	checkLines(t, lines)
	checkRankings(t, rankings)
	t.Run("some files", func(t *testing.T) { testSomeFiles(t, mem) })
	t.Run("a secret", func(t *testing.T) { testSecret(t, mem) })
}

func checkLines(t *testing.T, file string) {
	t.Helper()
	asked, found := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(string(read(t, file))) {
		var q question
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		asked[q.Set]++
		for _, id := range q.Gold {
			found[q.Set+" "+q.ID+" "+id] = slices.Contains(q.Ranked, id)
		}
		if len(q.Ranked) > depth || slices.Contains(q.Ranked, "") || q.Query == "" {
			t.Errorf("%s", line)
		}
	}
	for _, e := range expected {
		if asked[e.name] != 10 {
			t.Errorf("%d questions of %s are written", asked[e.name], e.name)
		}
	}
	for _, hit := range []string{"locomo-turns conv-1-q003 D2:3", "madial-en d002 3",
		"locomo-sessions conv-2-q003 session_2", "longmemeval-s q07 answer_guitar"} {
		if !found[hit] {
			t.Errorf("%s is not found", hit)
		}
	}
}

// deja-vu reads this as map[string][]string, and counts a question without a ranking as missed.
func checkRankings(t *testing.T, file string) {
	t.Helper()
	var rankings map[string][]string
	if err := json.Unmarshal(read(t, file), &rankings); err != nil {
		t.Fatal(err)
	}
	none, answered := rankings["q09_abs"]
	if len(rankings) != 10 || rankings["q04"][0] != "answer_cat" || !answered || none == nil {
		t.Errorf("%q", rankings)
	}
}

// Files that are missing are named once, and the others run.
func testSomeFiles(t *testing.T, mem string) {
	dir := t.TempDir()
	some := []string{"-mem", mem, "-data", dir, "-set", "madial-en,longmemeval-s"}
	opt := parseOptions(some)
	if err := harness.Try(func() { evaluate(opt, io.Discard) }); err == nil {
		t.Error("that there is nothing to run is no error")
	}
	for _, file := range []string{"MADial-Bench-en-memory.json", "MADial-Bench-en-dialogue.json"} {
		text := read(t, "testdata/"+file)
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := evaluated(t, some...)
	want := "not run: longmemeval_s*.json is not in " + dir + "\n"
	if !strings.HasSuffix(out, want) || !strings.Contains(out, "\nmadial-en ") ||
		strings.Count(out, "not run") != 1 {
		t.Errorf("no %s\n%s", want, out)
	}
	opt.score = filepath.Join(dir, "score.json")
	if err := harness.Try(func() { evaluate(opt, io.Discard) }); err == nil {
		t.Error("rankings of a set that was not run are no error")
	}
}

func testSecret(t *testing.T, mem string) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	secret := map[string]string{"text": "use ghp_" + strings.Repeat("a1B2c", 8)[:36]}
	s := fill(mem, []record{{id: "1", Key: "/a/1", TS: at, Content: secret},
		{id: "2", Key: "/a/2", TS: at, Content: map[string]string{"text": "use the stairs"}}})
	defer s.Close()
	q := question{Query: "use", now: at}
	s.search(&q)
	if s.stored != 1 || !slices.Equal(q.Ranked, []string{"2"}) {
		t.Errorf("%d stored, %q found", s.stored, q.Ranked)
	}
}

// The records and questions that the adapters read from the files, beside the counts.
func TestAdapters(t *testing.T) {
	turns, sessions := haystacks(t, "locomo-turns"), haystacks(t, "locomo-sessions")
	text := fmt.Sprint(turns, sessions)
	if strings.Contains(text, "lighthouse") || !strings.Contains(text, "Nora: Morning Felix!") {
		t.Errorf("a caption is stored, or no session as it was said: %.300s", text)
	}
	first := turns[0].records[1]
	if at := first.TS.Format(time.RFC3339); at != "2024-03-04T09:12:30Z" ||
		first.Key != "/conv-1/session-01/D1-2" || first.id != "D1:2" {
		t.Errorf("the second turn is %+v", first)
	}
	if now := turns[1].questions[0].now.Format(time.RFC3339); now != "2023-07-01T22:32:00Z" {
		t.Errorf("conv-2 is asked at %s", now)
	}
	if gold := turns[0].questions[3].Gold; !slices.Equal(gold, []string{"D2:1", "D2:3"}) {
		t.Errorf("the evidence with a zero is %q", gold)
	}
	if gold := sessions[0].questions[1].Gold; !slices.Equal(gold, []string{"session_1"}) {
		t.Errorf("the evidence twice in a session is %q", gold)
	}
	for _, h := range haystacks(t, "longmemeval-s") {
		for _, r := range h.records {
			if strings.Contains(r.Key+fmt.Sprint(r.Content), "answer_") {
				t.Errorf("the record of %s tells that it has the answer", r.id)
			}
		}
	}
	for _, set := range []string{"madial-en", "madial-zh"} {
		h := haystacks(t, set)
		q := h[0].questions[2].Query
		if len(h) != 2 || len(h[0].records) != 6 || !strings.HasPrefix(q, "Milo : ") ||
			strings.ContainsAny(q, `"<>赢`) || strings.Contains(q, "won") {
			t.Errorf("%s: %q in %d stores", set, q, len(h))
		}
	}
}

func haystacks(t *testing.T, name string) (all []haystack) {
	t.Helper()
	d := datasets[slices.IndexFunc(datasets, func(d dataset) bool { return d.name == name })]
	paths, _ := d.find("testdata")
	d.each(paths, func(h haystack) { all = append(all, h) })
	return all
}

func TestTally(t *testing.T) {
	var sum tally
	gold, ranked := []string{"a", "b"}, []string{"x", "b", "y", "z", "u", "a"}
	sum.add(question{Gold: gold, Ranked: ranked}, 3000)
	sum.add(question{Gold: gold}, 1000)
	if sum.recall != [3]float64{0, .5, 1} || sum.mrr != .5 || sum.asked != 2 || sum.took != 4000 {
		t.Errorf("%+v", sum)
	}
}

func TestEachValue(t *testing.T) {
	for text, want := range map[string]string{
		"[1, 2]\n": "0:1 1:2 <nil>", "1\n2\n": "0:1 1:2 <nil>", "": "<nil>", "[]": "<nil>",
		"[1, 2": "0:1 1:2 EOF", "{": "value 0: unexpected EOF",
	} {
		got := ""
		err := harness.Try(func() {
			eachValue(strings.NewReader(text), func(n, value int) {
				got += fmt.Sprintf("%d:%d ", n, value)
			})
		})
		if got += fmt.Sprint(err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func evaluated(t *testing.T, args ...string) string {
	t.Helper()
	var out strings.Builder
	evaluate(parseOptions(args), &out)
	return out.String()
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
