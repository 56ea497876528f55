package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// fill fills the table of chunks, and returns how many were stored.
func (d *desk) fill() int {
	d.t.Helper()
	n, err := pgstore.FillChunks(context.Background(), d.space, d.cut)
	must(d.t, err)
	return n
}

func (d *desk) cut(rec log.Record) ([]pgstore.Chunk, error) {
	r, err := d.Read(context.Background(), "", 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	parts, err := r.Chunks(rec)
	list := make([]pgstore.Chunk, len(parts))
	for i, p := range parts {
		list[i] = pgstore.Chunk{ID: ledger.ChunkID(rec.Key, i), Text: p.Text, Tokens: p.Tokens}
	}
	return list, err
}

func TestChunks(t *testing.T) {
	d := newDesk(t)
	if n := d.fill(); n != 0 {
		t.Fatalf("%d chunks of nothing", n)
	}
	id := d.record(ledger.Event{Channel: "team", Sensitivity: "low", Tags: []string{"a,b", "c"},
		Content: json.RawMessage(`{"text":"The foxes jumped \u0000 over"}`)})
	d.record(ledger.Event{Sensitivity: "high", Content: json.RawMessage(`{"text":"hush"}`)})
	d.record(ledger.Event{Sensitivity: "secret", Content: json.RawMessage(`{"text":"hush"}`)})
	long := d.said(`{"text":"` + strings.Repeat("word of many ", 1000) + `"}`)
	d.set("/kb/go", `{"text":"no event"}`)
	if n := d.fill(); n < 4 {
		t.Fatalf("%d chunks", n)
	}
	d.same(`SELECT chunk_id, event_id, ts, kind, channel, sensitivity, tags, importance, text, key
		FROM mem.chunks WHERE tenant_id = $1 AND tsv @@ to_tsquery('english', 'fox & jumping')`,
		fmt.Sprintf(`{"chunk_id":"chk_%s000","event_id":%q,"ts":%q,"kind":"message",`+
			`"channel":"team","sensitivity":"low","tags":["a,b","c"],"importance":0,`+
			`"text":"The foxes jumped %s over","key":%q}`, id[4:], id,
			d.ts("/event/s1/"+id), "\uFFFD", "/event/s1/"+id))
	d.same(`SELECT event_id, min(chunk_id) AS first, max(token_est) <= 400 AS fits,
		count(*) = max(('x' || right(chunk_id, 3))::bit(12)::int) + 1 AS numbered
		FROM mem.chunks WHERE tenant_id = $1 GROUP BY event_id HAVING count(*) > 1`,
		fmt.Sprintf(`{"event_id":%q,"first":"chk_%s000","fits":true,"numbered":true}`, long, long[4:]))
	d.same("SELECT text FROM mem.chunks WHERE tenant_id = $1 AND (text = 'no event' OR "+
		"sensitivity NOT IN ('none', 'low'))", "")
	if n := d.fill(); n != 0 {
		t.Errorf("%d chunks are stored again", n)
	}
	_, err := d.sql.Exec(context.Background(), "DELETE FROM mem.chunked WHERE space = $1",
		d.place.Space)
	must(t, err)
	const all = "SELECT chunk_id, text FROM mem.chunks WHERE tenant_id = $1 ORDER BY chunk_id"
	before := d.ask(all)
	d.fill()
	d.same(all, before)
}

// Many events are filled in several steps.
func TestChunksOfManyEvents(t *testing.T) {
	d := newDesk(t)
	var events []ledger.Event
	for i := range 600 {
		events = append(events, ledger.Event{Session: "s1", Kind: "message",
			Actor:   ledger.Actor{Type: "human", ID: "ada"},
			Content: json.RawMessage(fmt.Sprintf(`{"text":"number %d"}`, i))})
	}
	_, err := d.Record(context.Background(), events...)
	must(t, err)
	if n := d.fill(); n != len(events) {
		t.Errorf("%d chunks of %d events", n, len(events))
	}
	d.same(`SELECT count(DISTINCT event_id) AS n FROM mem.chunks WHERE tenant_id = $1`,
		`{"n":600}`)
}

// The chunks of an event go with it.
func TestChunksOfWhatIsGone(t *testing.T) {
	d := newDesk(t)
	kept, deleted := d.said(`{"text":"kept"}`), d.said(`{"text":"deleted"}`)
	purged, forgotten := d.said(`{"text":"purged"}`), d.said(`{"text":"forgotten"}`)
	d.fill()
	d.set("/event/s1/"+deleted, "null")
	for id, forget := range map[string]bool{purged: false, forgotten: true} {
		proof, err := d.space.Erase(context.Background(), backend.Caller{}, backend.Erasure{
			Keys: []keypath.Key{keypath.MustParse("/event/s1/" + id)}, Source: []byte(`"test"`),
			Forget: forget})
		if err != nil || len(proof.Remains) > 0 || proof.Versions != 1 {
			t.Fatal(proof, err)
		}
	}
	const all = "SELECT event_id FROM mem.chunks WHERE tenant_id = $1 ORDER BY event_id"
	d.same(all, `{"event_id":"`+kept+`"}`+"\n"+`{"event_id":"`+deleted+`"}`)
	d.fill()
	d.same(all, `{"event_id":"`+kept+`"}`)
}

// What is purged after it was read, and before it is stored, does not come back.
func TestPurgeWhileChunksAreFilled(t *testing.T) {
	d := newDesk(t)
	kept, purged := d.said(`{"text":"kept"}`), d.said(`{"text":"purged"}`)
	once := false
	n, err := pgstore.FillChunks(context.Background(), d.space,
		func(rec log.Record) ([]pgstore.Chunk, error) {
			if ledger.IDOf(rec.Key) == purged && !once {
				once = true
				_, err := d.space.Erase(context.Background(), backend.Caller{}, backend.Erasure{
					Keys: []keypath.Key{rec.Key}, Source: []byte(`"test"`)})
				must(t, err)
			}
			return d.cut(rec)
		})
	must(t, err)
	if !once || n != 1 {
		t.Errorf("%d chunks are stored", n)
	}
	d.same("SELECT event_id FROM mem.chunks WHERE tenant_id = $1", `{"event_id":"`+kept+`"}`)
}

// Nothing is noted as filled that was not.
func TestChunksThatAreRefused(t *testing.T) {
	d := newDesk(t)
	d.said(`{"text":"x"}`)
	broken := errors.New("broken")
	for _, cut := range []func(log.Record) ([]pgstore.Chunk, error){
		func(log.Record) ([]pgstore.Chunk, error) { return nil, broken },
		func(log.Record) ([]pgstore.Chunk, error) {
			return []pgstore.Chunk{{ID: "a", Text: "a"}, {ID: "b", Text: "\xff"}}, nil
		},
	} {
		n, err := pgstore.FillChunks(context.Background(), d.space, cut)
		if err == nil || n != 0 {
			t.Errorf("%d, %v", n, err)
		}
	}
	if n := d.fill(); n != 1 {
		t.Errorf("%d chunks after that", n)
	}
}

// A role fills the chunks of its own space, and sees no others.
func TestTenantsSeeTheirOwnChunks(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"dora", "emil"} {
		base := tenant(t, name)
		place, err := pgstore.ParseURL(base + "&space=" + name)
		must(t, err)
		space, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir()})
		must(t, err)
		d := &desk{t: t, place: place, space: space, sql: connect(t, base)}
		d.Book = ledger.New(mem.New(space, mem.Options{}), mem.Caller{}, ledger.Options{})
		if n := d.fill(); n != 1 {
			t.Errorf("%s: %d chunks", name, n)
		}
		must(t, space.Close())
		var seen string
		must(t, d.sql.QueryRow(ctx, `SELECT string_agg(tenant_id || ' ' || text, '|')
			FROM mem.chunks`).Scan(&seen))
		if want := name + " of " + name; seen != want {
			t.Errorf("%s sees %s", name, seen)
		}
		if _, err := d.sql.Exec(ctx, `INSERT INTO mem.chunked VALUES ('other', 1)`); err == nil {
			t.Error("a role may write into another space")
		}
	}
}
