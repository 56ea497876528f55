package fts

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem/log"
)

var update = flag.Bool("update", false, "write the golden files anew")

var goldenRecords = []log.Record{
	record("/session/s1/m1", `{"type":"conversation","speaker":"Anna",`+
		`"text":"Hi Ben! Where do you store the backups?"}`, at("2026-02-22T10:00:00Z")),
	record("/session/s1/m2", `{"type":"conversation","speaker":"Ben",`+
		`"text":"On the old laptop under my desk."}`, at("2026-02-22T10:01:00Z")),
	record("/session/s1/m3", `{"type":"conversation","speaker":"Anna",`+
		`"text":"That sounds risky."}`, at("2026-02-22T10:02:00Z")),
	record("/session/s2/m1", `{"type":"conversation","speaker":"Ben",`+
		`"text":"I ran the database migration again, E1042 is gone."}`, at("2026-03-01T09:00:00Z")),
	record("/user/calendar/2026-02-23_10-00_牙科复诊",
		`{"type":"reminder","text":"明天10点牙科复诊","importance":8}`, at("2026-02-22T12:00:00Z")),
	record("/user/preference/style", `{"type":"preference","summary":"用户喜欢中文、偏好简洁",`+
		`"tags":["language","style"]}`, at("2026-01-05T08:00:00Z")),
	record("/project/db", `{"type":"decision","title":"Database",`+
		`"text":"The project uses PostgreSQL 16 on port 5432.","tags":["infra.db"],`+
		`"deep":{"host":"db-01.example.com"}}`, at("2026-01-06T08:00:00Z")),
	record("/project/build",
		`{"type":"finding","text":"make build fails without CGO_ENABLED=0"}`,
		at("2026-02-22T08:00:00Z")),
}

func at(text string) log.Stamp {
	ts, err := log.ParseTime(text)
	if err != nil {
		panic(err)
	}
	return ts
}

var goldenQueries = []string{
	"where are the backups stored", "What did Ben run?", "牙科", "偏好", "postgres*",
	"PostgreSQL port", "database", "E1042", "cgo_enabled", "tag:infra", "type:preference,decision",
	`"old laptop"`, "database -port", "what happened on Feb 22, 2026", "key:/session database",
	"db-01", "nothing of this kind", "ok thanks, go on",
}

// The scores, to the fourth digit, and what they are made of: a change that moves them shows here.
func TestGolden(t *testing.T) {
	t.Parallel()
	ix := sidecarOf(t, 1<<20, goldenRecords)
	var out strings.Builder
	for _, text := range goldenQueries {
		golden(t, &out, ix, text)
	}
	const file = "testdata/golden.txt"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the scores have moved; look at the difference, then run with -update\n%s",
			out.String())
	}
}

func golden(t *testing.T, out *strings.Builder, ix *Index, text string) {
	q, err := ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	load := func(row int) (log.Record, error) {
		key, err := ix.Key(uint32(row))
		for _, r := range goldenRecords {
			if r.Key.String() == key {
				return r, err
			}
		}
		return log.Record{}, err
	}
	res, err := Search(ix, nil, q, Options{Limit: 4, Load: load})
	if err != nil {
		t.Fatal(err)
	}
	relevant, err := res.Relevant()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(out, "? %s (%d relevant)\n", text, len(relevant))
	for i, h := range res.Hits {
		fmt.Fprintf(out, "  %.4f %s\n", h.Score, h.Key)
		parts, err := res.Explain(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			fmt.Fprintf(out, "         %s\n", p)
		}
	}
}
