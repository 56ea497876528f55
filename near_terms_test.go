package mem_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
)

// A search without a match is answered with terms that its caller may see.
func TestNearTerms(t *testing.T) {
	f := newStore(t)
	each(f, "/project/a",
		`{"type":"fact","text":"PostgreSQL runs on the big machine","tags":["infra"]}`,
		"/project/b",
		`{"type":"fact","text":"postgres restarts: deploys wait","tags":["infra","night"]}`,
		"/project/c", `{"type":"decision","summary":"Deploys to production on Mondays"}`,
		"/project/d", `{"text":"deploys wait for the postgres of Grace"}`,
		"/project/e", `{"text":"postgresque gateway","sensitivity":"secret"}`,
		"/project/long", `{"tags":["an instruction of more than forty bytes, as a tag"]}`,
		"/project/f", `{"text":"postgreslike hunters","expired_at":"2026-02-22T13:00:00Z"}`)
	f.Import("/agent/ada/core/"+anID, `{"text":"postgresish thoughts"}`)
	for _, c := range []struct {
		o    mem.SearchOptions
		want string
	}{
		{mem.SearchOptions{Query: "postgrse"}, "postgres 2, postgresql 1"},
		{mem.SearchOptions{Query: "postgresqldb"}, "postgres 2, postgresql 1"},
		{mem.SearchOptions{Query: "PROD"}, "production 1"},
		{mem.SearchOptions{Query: "unheard"}, "deploys 3, infra 2, postgres 2"},
		{mem.SearchOptions{Query: "数据库"}, "deploys 3, infra 2, postgres 2"},
		{mem.SearchOptions{Query: "unheard",
			Conditions: mem.Conditions{Prefix: prefixOf("/project/c")}}, ""},
		{mem.SearchOptions{Query: "postgres",
			Conditions: mem.Conditions{Types: []string{"nosuch"}}}, "fact 2, decision 1"},
		{mem.SearchOptions{Tags: []string{"nosuch"}}, "infra 2, night 1"},
		{mem.SearchOptions{Tags: []string{"none"},
			Conditions: mem.Conditions{Types: []string{"fact"}}}, "infra 2, night 1"},
		{mem.SearchOptions{Conditions: mem.Conditions{Types: []string{"fact"},
			MinImportance: 0.9}}, ""},
	} {
		near, err := f.Reader(mem.Caller{}).NearTerms(ctx, c.o)
		var got []string
		for _, n := range near {
			got = append(got, fmt.Sprint(n.Word, " ", n.Count))
		}
		if err != nil || strings.Join(got, ", ") != c.want {
			t.Errorf("%+v: %q %v, want %q", c.o, got, err, c.want)
		}
	}
}

// No term is a word of a secret that a person has let in.
func TestNearTermsHideSecrets(t *testing.T) {
	f := newStore(t)
	for i := range 3 {
		token := strings.Repeat("aB3dE5gH7j", 4)[i : i+36]
		text := fmt.Sprintf(`{"text":"the token of the gateway is ghp_%s"}`, token)
		_, err := f.Set(ctx, mem.Caller{}, write(fmt.Sprint("/project/", i), text),
			mem.SetOptions{AllowSecrets: []string{"github-pat"}})
		f.Must(err)
	}
	for _, query := range []string{"gatewy ab3de5gh7jab3de5gh7j", "unheard"} {
		near, err := f.Reader(mem.Caller{}).NearTerms(ctx, mem.SearchOptions{Query: query})
		for _, n := range near {
			if strings.Contains(n.Word, "5gh7j") {
				t.Errorf("%s: %v %v", query, near, err)
			}
		}
		if err != nil || !slices.Contains(near, mem.NearTerm{Word: "gateway", Count: 3}) {
			t.Errorf("%s: %v %v", query, near, err)
		}
	}
}
