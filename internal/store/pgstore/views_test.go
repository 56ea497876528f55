package pgstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/seal"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
)

// desk is a space with its ledger, and a connection of somebody who asks with SQL.
type desk struct {
	*ledger.Book
	t     testing.TB
	place *pgstore.Address
	store *mem.Store
	space *pgstore.Store
	keys  *seal.Keys
	sql   *pgx.Conn
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	base := database(t)
	d := &desk{t: t, place: newPlace(t, base), sql: connect(t, base)}
	var err error
	d.space, err = pgstore.Open(d.place, pgstore.Options{CacheDir: t.TempDir()})
	must(t, err)
	d.store = mem.New(d.space, mem.Options{})
	t.Cleanup(func() { must(t, d.store.Close()) })
	file := filepath.Join(t.TempDir(), "keys")
	must(t, seal.Create(file, time.Now()))
	d.keys, err = seal.Load(file)
	must(t, err)
	d.Book = ledger.New(d.store, mem.Caller{}, ledger.Options{Keys: d.keys})
	return d
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	must(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	_, err = conn.Exec(context.Background(), "SET timezone = 'UTC'")
	must(t, err)
	return conn
}

// ask returns the rows of a query as lines of JSON; $1 is the space.
func (d *desk) ask(query string) string {
	d.t.Helper()
	rows, err := d.sql.Query(context.Background(), "SELECT row_to_json(q)::text FROM ("+query+") q",
		d.place.Space)
	must(d.t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(d.t, err)
	return strings.Join(list, "\n")
}

// same fails the test where a query has other rows.
func (d *desk) same(query, want string) {
	d.t.Helper()
	if got := d.ask(query); got != want {
		d.t.Errorf("%s:\n%s\nwant\n%s", query, got, want)
	}
}

// said records an event of a person, and returns its id.
func (d *desk) said(content string) string {
	d.t.Helper()
	return d.record(ledger.Event{Content: json.RawMessage(content)})
}

func (d *desk) record(e ledger.Event) string {
	d.t.Helper()
	e.Session, e.Kind, e.Actor = "s1", "message", ledger.Actor{Type: "human", ID: "ada"}
	list, err := d.Record(context.Background(), e)
	must(d.t, err)
	return list[0].Event
}

// set writes a memory past the ledger and its rules.
func (d *desk) set(key, content string) {
	d.t.Helper()
	var w backend.Write
	w.Key, w.Content, w.Source = keypath.MustParse(key), []byte(content), []byte(`"test"`)
	must(d.t, d.space.Update(context.Background(), backend.Caller{}, "test",
		func(tx backend.Tx) error {
			_, err := tx.Append(w)
			return err
		}))
}

// ts returns the time of a record, as row_to_json spells it.
func (d *desk) ts(key string) string {
	d.t.Helper()
	rec, err := d.store.Get(context.Background(), mem.Caller{}, keypath.MustParse(key), true)
	must(d.t, err)
	text := strings.TrimRight(rec.TS.Time().UTC().Format("2006-01-02T15:04:05.000000"), "0")
	return strings.TrimSuffix(text, ".") + "+00:00"
}

func TestEventsView(t *testing.T) {
	d := newDesk(t)
	first := d.said(`{"text":"Ärger mit \"dem\" Rust-Port","n":1.50}`)
	second := d.record(ledger.Event{Agent: "iris", Channel: "team", Sensitivity: "low",
		Tags: []string{"a,b", `{"c"}`}, Content: json.RawMessage(`"plain"`),
		Refs: []string{first, "/kb/go"}})
	secret := d.record(ledger.Event{Sensitivity: "secret", Tags: []string{"x"},
		Content: json.RawMessage(`{"text":"hush"}`)})
	line := func(id, rest string) string {
		key := "/event/s1/" + id
		return fmt.Sprintf(`{"event_id":%q,"ts":%q,"tenant_id":%q,"session_id":"s1",%s,`+
			`"sealed":null,"key":%q}`, id, d.ts(key), d.place.Space, rest, key)
	}
	const ada = `"actor_type":"human","actor_id":"ada","kind":"message"`
	d.same("SELECT * FROM mem.events WHERE tenant_id = $1 ORDER BY event_id", strings.Join([]string{
		line(first, `"channel":"private",`+ada+`,"sensitivity":"none","tags":[],`+
			`"content":{"text":"Ärger mit \"dem\" Rust-Port","n":1.50},"refs":[]`),
		line(second, `"channel":"team",`+ada+`,"sensitivity":"low","tags":["a,b","{\"c\"}"],`+
			`"content":"plain","refs":["`+first+`","/kb/go"]`),
		line(secret, `"channel":"private",`+ada+`,"sensitivity":"secret","tags":[],`+
			`"content":{"redacted":true},"refs":[]`)}, "\n"))
	d.same(`SELECT r.event_id FROM mem.events e JOIN mem.events r ON r.event_id = ANY (e.refs)
		WHERE e.tenant_id = $1 AND e.tags @> '{"a,b"}'`, `{"event_id":"`+first+`"}`)
}

func TestDecisionsView(t *testing.T) {
	d := newDesk(t)
	ctx := context.Background()
	ref := d.said(`{"text":"why"}`)
	first, err := d.Decide(ctx, ledger.Decision{Text: "Go", Rationale: []string{"fast"},
		Scope: ledger.Scope{Refs: []string{ref}}})
	must(t, err)
	old := first.ID
	next, err := d.Decide(ctx, ledger.Decision{Text: "Go 1.25", For: "global",
		Constraints: []string{"c1", "c2"}, Alternatives: []string{"Rust"},
		Consequences: []string{"a port"}, Supersedes: []string{old},
		Scope: ledger.Scope{Refs: []string{ref, old}, Session: "s1", Channel: "public"}})
	must(t, err)
	now := next.ID
	line := func(id, rest string) string {
		key := "/decision/" + id
		return fmt.Sprintf(`{"decision_id":%q,"tenant_id":%q,"ts":%q,%s,"sealed":null,"key":%q}`,
			id, d.place.Space, d.ts(key), rest, key)
	}
	d.same("SELECT * FROM mem.decisions WHERE tenant_id = $1 ORDER BY decision_id",
		line(old, `"status":"superseded","scope":"project","decision":"Go","rationale":["fast"],`+
			`"constraints":[],"alternatives":[],"consequences":[],"refs":["`+ref+`"],`+
			`"superseded_by":"`+now+`","session_id":null,"channel":null,"sensitivity":"none"`)+"\n"+
			line(now, `"status":"active","scope":"global","decision":"Go 1.25","rationale":[],`+
				`"constraints":["c1","c2"],"alternatives":["Rust"],"consequences":["a port"],`+
				`"refs":["`+ref+`","`+old+`"],"superseded_by":null,"session_id":"s1",`+
				`"channel":"public","sensitivity":"none"`))
}

// A task is what was last written of it, and gone when it is deleted.
func TestTasksView(t *testing.T) {
	d := newDesk(t)
	ctx := context.Background()
	task, err := d.PutTask(ctx, ledger.Task{Title: "port it", Scope: ledger.Scope{Session: "s1",
		Refs: []string{"/kb/go"}}})
	must(t, err)
	id := task.ID
	line := func(rest string) string {
		return fmt.Sprintf(`{"task_id":%q,"tenant_id":%q,"ts":%q,%s,"refs":["/kb/go"],`+
			`"session_id":"s1","channel":null,"sensitivity":"none","sealed":null,"key":%q}`, id,
			d.place.Space, d.ts("/task/"+id), rest, "/task/"+id)
	}
	const all = "SELECT * FROM mem.tasks WHERE tenant_id = $1"
	d.same(all, line(`"status":"open","title":"port it","details":""`))
	_, err = d.PutTask(ctx, ledger.Task{ID: id, Status: "done", Details: "took a week"})
	must(t, err)
	d.same(all, line(`"status":"done","title":"port it","details":"took a week"`))
	_, _, err = d.store.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse("/task/" + id)},
		[]byte(`"test"`))
	must(t, err)
	d.same(all, "")
}

func TestArtifactsView(t *testing.T) {
	d := newDesk(t)
	kept, err := d.AddArtifact(context.Background(), ledger.Artifact{Kind: "tool_output",
		Meta: json.RawMessage(`{"tool":"sh"}`)}, strings.NewReader("0123456789"))
	must(t, err)
	bare, err := d.AddArtifact(context.Background(), ledger.Artifact{}, strings.NewReader(""))
	must(t, err)
	line := func(k ledger.Kept, rest string) string {
		key := "/artifact/" + k.ID
		return fmt.Sprintf(`{"artifact_id":%q,"tenant_id":%q,"ts":%q,%s,"refs":[],"sha256":%q,`+
			`"session_id":null,"channel":null,"sensitivity":"none","sealed":null,"key":%q}`, k.ID,
			d.place.Space, d.ts(key), rest, k.Sum, key)
	}
	d.same("SELECT * FROM mem.artifacts WHERE tenant_id = $1 ORDER BY artifact_id",
		line(kept, `"kind":"tool_output","bytes":10,"meta":{"tool":"sh"}`)+"\n"+
			line(bare, `"kind":"blob","bytes":0,"meta":{}`))
	d.same(`SELECT convert_from(string_agg(b.body, '' ORDER BY part), 'UTF8') AS file
		FROM mem.artifacts a JOIN mem.blobs b ON b.space = a.tenant_id AND b.sum = a.sha256
		WHERE a.tenant_id = $1 AND a.bytes = 10`, `{"file":"0123456789"}`)
}

// Of what is sealed the views show what is stored.
func TestViewsOfSealed(t *testing.T) {
	d := newDesk(t)
	ctx := context.Background()
	high := ledger.Scope{Session: "s1", Sensitivity: "high", Refs: []string{"/kb/go"}}
	d.record(ledger.Event{Sensitivity: "high", Content: json.RawMessage(`{"text":"hush"}`)})
	d.set("/kb/go", `"x"`)
	_, err := d.Decide(ctx, ledger.Decision{Text: "hush", Scope: high})
	must(t, err)
	_, err = d.PutTask(ctx, ledger.Task{Title: "hush", Scope: high})
	must(t, err)
	_, err = d.AddArtifact(ctx, ledger.Artifact{Scope: high}, strings.NewReader("hush"))
	must(t, err)
	for _, name := range []string{"events", "decisions", "tasks", "artifacts"} {
		got := d.ask(`SELECT sealed FROM mem.` + name +
			` WHERE tenant_id = $1 AND sensitivity = 'high' AND refs = '{}' AND session_id = 's1'`)
		var row struct{ Sealed string }
		must(t, json.Unmarshal([]byte(got), &row))
		plain, err := d.keys.Open([]byte(row.Sealed))
		must(t, err)
		if !strings.Contains(string(plain), `"refs":["/kb/go"]`) && name != "events" {
			t.Errorf("%s: sealed is %s", name, plain)
		}
	}
	d.same(`SELECT content->>'sealed' = sealed AS whole, kind, actor_id FROM mem.events
		WHERE tenant_id = $1`, `{"whole":true,"kind":"message","actor_id":null}`)
	d.same(`SELECT status, title, details FROM mem.tasks WHERE tenant_id = $1`,
		`{"status":null,"title":null,"details":null}`)
	d.same(`SELECT status, decision FROM mem.decisions WHERE tenant_id = $1`,
		`{"status":"active","decision":null}`)
	d.same(`SELECT bytes, meta, length(sha256) AS sum FROM mem.artifacts WHERE tenant_id = $1`,
		`{"bytes":null,"meta":null,"sum":64}`)
}

// What jsonb refuses is shown all the same.
func TestViewsOfWhatJSONBRefuses(t *testing.T) {
	d := newDesk(t)
	for _, c := range [][2]string{
		{`{"text":"a\u0000\u0000b"}`, "a\uFFFD\uFFFDb"},
		{`{"text":"a\\u0000b"}`, `a\u0000b`},
		{`{"text":"a\\\u0000b"}`, `a\` + "\uFFFDb"},
		{`{"text":"a\\\\u0000b"}`, `a\\u0000b`},
		{`{"n":1e200000,"text":"n"}`, "n"},
		{`{"\u0000":"x","text":"name"}`, "name"},
		{`{"text":"\u0001\u001f\""}`, "\u0001\u001f\""},
	} {
		id := d.said(c[0])
		var text string
		must(t, d.sql.QueryRow(context.Background(), `SELECT content->>'text' FROM mem.events
			WHERE tenant_id = $1 AND event_id = $2`, d.place.Space, id).Scan(&text))
		if text != c[1] {
			t.Errorf("%s: %q, want %q", c[0], text, c[1])
		}
	}
	d.same("SELECT content FROM mem.events WHERE tenant_id = $1 AND content->>'text' = 'n'",
		`{"content":{"n":1e200000,"text":"n"}}`)
}

// Other programs may have written halves of surrogate pairs.
func TestViewsOfHalfPairs(t *testing.T) {
	d := newDesk(t)
	for _, c := range [][2]string{
		{`\ud83d\ude00`, "😀"}, {`\ud83d`, "\uFFFD"}, {`\ude00`, "\uFFFD"},
		{`\uD83D\uD83D\uDE00\uDE00`, "\uFFFD😀\uFFFD"}, {`\ud83dx\\ude00`, "\uFFFD" + `x\ude00`},
		{`\\\ud83d\\\ude00`, `\` + "\uFFFD" + `\` + "\uFFFD"},
	} {
		var text string
		must(t, d.sql.QueryRow(context.Background(), `SELECT mem.json_of($1 || ',"checksum":"sha256:'
			|| encode(sha256(convert_to($1 || '}', 'UTF8')), 'hex') || '"}')->>'text'`,
			`{"text":"`+c[0]+`"`).Scan(&text))
		if text != c[1] {
			t.Errorf("%s: %q, want %q", c[0], text, c[1])
		}
	}
}

// What is damaged, or has not the members that the ledger gives it, does not hide the rest.
func TestViewsOfDamage(t *testing.T) {
	d := newDesk(t)
	ctx := context.Background()
	whole, damaged := d.said(`{"text":"whole"}`), d.said(`{"text":"damaged"}`)
	for i, content := range []string{`"text"`, `[1]`, `{"actor":"x","tags":"y","refs":{"a":1}}`,
		`{"actor":null,"tags":[null,1,{"a":2}],"bytes":"many","meta":3,"superseded_by":7}`} {
		for _, space := range []string{"event", "decision", "task", "artifact"} {
			d.set(fmt.Sprintf("/%s/x/y%d", space, i), content)
		}
	}
	tag, err := d.sql.Exec(ctx, `UPDATE mem.envelopes SET line = replace(line, '{"text"', '{text"')
		WHERE space = $1 AND key = '/event/s1/' || $2`, d.place.Space, damaged)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatal(tag, err)
	}
	d.same(`SELECT event_id, tags FROM mem.events WHERE tenant_id = $1 ORDER BY event_id`,
		`{"event_id":"`+whole+`","tags":[]}`+"\n"+`{"event_id":"y0","tags":[]}`+"\n"+
			`{"event_id":"y1","tags":[]}`+"\n"+`{"event_id":"y2","tags":[]}`+"\n"+
			`{"event_id":"y3","tags":[null,"1","{\"a\":2}"]}`)
	for _, name := range []string{"decisions", "tasks", "artifacts"} {
		if got := d.ask("SELECT * FROM mem." + name + " WHERE tenant_id = $1"); len(
			strings.Split(got, "\n")) != 4 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// tenant makes a space with a role of its own, an event and a task, and returns the role's address.
func tenant(t *testing.T, name string) string {
	t.Helper()
	ctx, base := context.Background(), database(t)
	_, err := pgstore.AddSpace(ctx, base, name, &pgstore.Login{Role: "mem_" + name, Password: "pw"})
	must(t, err)
	u, err := url.Parse(base)
	must(t, err)
	u.User = url.User("mem_" + name)
	place, err := pgstore.ParseURL(u.String() + "&space=" + name)
	must(t, err)
	space, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir()})
	must(t, err)
	store := mem.New(space, mem.Options{})
	defer store.Close()
	book := ledger.New(store, mem.Caller{}, ledger.Options{})
	_, err = book.Record(ctx, ledger.Event{Session: "s1", Kind: "message",
		Actor: ledger.Actor{Type: "human", ID: "ada"}, Content: json.RawMessage(`{"text":"of ` +
			name + `"}`)})
	must(t, err)
	_, err = book.PutTask(ctx, ledger.Task{Title: "of " + name})
	must(t, err)
	return u.String()
}

// A role sees the rows of its own space in the views, whatever it asks; the owner sees all.
func TestTenantsSeeTheirOwnRows(t *testing.T) {
	ctx := context.Background()
	ada, bob := tenant(t, "ada"), tenant(t, "bob")
	for name, url := range map[string]string{"ada": ada, "bob": bob, "ada|bob": database(t)} {
		conn := connect(t, url)
		for _, view := range []string{"events", "tasks"} {
			var got string
			must(t, conn.QueryRow(ctx, `SELECT string_agg(tenant_id, '|' ORDER BY tenant_id)
				FROM mem.`+view+` WHERE tenant_id IN ('ada', 'bob')`).Scan(&got))
			if got != name {
				t.Errorf("%s sees in %s the rows of %s", name, view, got)
			}
		}
	}
	conn := connect(t, ada)
	// Without an index the cheapest condition is asked first.
	_, err := conn.Exec(ctx, `SET enable_indexscan = off; SET enable_bitmapscan = off;
		SET enable_indexonlyscan = off; CREATE FUNCTION pg_temp.look(t text) RETURNS boolean LANGUAGE plpgsql
		COST 0.0000001 AS $$ BEGIN
			IF t LIKE '%bob%' THEN RAISE EXCEPTION 'I saw %', t; END IF; RETURN true;
		END $$`)
	must(t, err)
	for _, column := range []string{"events WHERE pg_temp.look(content::text)",
		"events WHERE pg_temp.look(tenant_id)", "events WHERE pg_temp.look(key)",
		"tasks WHERE pg_temp.look(title)"} {
		if _, err := conn.Exec(ctx, "SELECT * FROM mem."+column); err != nil {
			t.Errorf("%s: %v", column, err)
		}
	}
	for _, query := range []string{"SELECT * FROM mem.newest", "UPDATE mem.events SET kind = 'x'",
		"DELETE FROM mem.tasks"} {
		if _, err := conn.Exec(ctx, query); err == nil {
			t.Errorf("a role may %s", query)
		}
	}
}

// A role that was made before the views were is granted them when they are.
func TestOldRolesSeeNewViews(t *testing.T) {
	ctx := context.Background()
	tenant(t, "carl")
	server := pgtest.Shared(t)
	base := server.Database(t)
	_, err := pgstore.Migrate(ctx, base)
	must(t, err)
	u, err := url.Parse(base)
	must(t, err)
	u.User = url.User("mem_carl")
	_, err = connect(t, u.String()).Exec(ctx, "SELECT * FROM mem.events")
	must(t, err)
}
