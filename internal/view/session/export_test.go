package session_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/log"
)

const anID = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"

// An entry has the members of the seed in their order, and a checksum that others can work out.
func TestEntries(t *testing.T) { onEach(t, testEntries) }

func testEntries(t *testing.T, f *fixture) {
	at := f.Clock
	f.Clock = f.Clock.Add(168 * time.Hour)
	for stored, want := range map[string]string{
		`{"importance":1,"type":"conversation","timestamp":"` + at.Format(time.RFC3339) +
			`","message":"\u0001é","role":"user","tags":["b","a"],"expired_at":"2099-01-01","x":1e-7,` +
			`"session_id":"other","references":["/a"],"schema_version":1}`: `"timestamp":"` +
			at.Format(time.RFC3339) + `","type":"conversation","content":{"message":"\u0001é",` +
			`"role":"user","expired_at":"2099-01-01","x":1e-7},"importance":1,"decay_factor":0.5,` +
			`"tags":["b","a"],"references":["/a"],"schema_version":1`,
		`{"text":"by hand","importance":8,"tags":"a","timestamp":"soon"}`: `"timestamp":"` +
			log.StampOf(f.Clock).String() + `","type":"","content":{"text":"by hand"},` +
			`"importance":0.8,"decay_factor":1,"tags":[],"references":[]`,
		`"text"`: `"timestamp":"` + log.StampOf(f.Clock).String() + `","type":"","content":"text",` +
			`"importance":0.5,"decay_factor":1,"tags":[],"references":[]`,
	} {
		f.Put("/session/"+f.id+"/"+anID, stored)
		got := entryLines(export(f.Store, session.ExportOptions{Format: session.JSONL}))
		head := `{"id":"` + anID + `","session_id":"` + f.id + `",`
		shown := regexp.MustCompile(`\.0000\d\dZ`).ReplaceAllString(got, ".000000Z")
		if !strings.HasPrefix(shown, head+want+`,"checksum":"sha256:`) {
			t.Errorf("%s\nwant %s", got, head+want)
		}
		if sum := sumOf(t, got); !strings.Contains(got, sum) {
			t.Errorf("%s: want %s", got, sum)
		}
	}
}

// sumOf works the checksum of an entry out as another program would.
func sumOf(t *testing.T, entry string) string {
	var members map[string]any
	d := json.NewDecoder(strings.NewReader(entry))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		t.Fatal(err)
	}
	delete(members, "checksum")
	delete(members, "decay_factor")
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(members); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(bytes.TrimSpace(text.Bytes())))
}

// What is exported is what is live, of the sessions that were asked for (S-57).
func TestExported(t *testing.T) { onEach(t, testExported) }

func testExported(t *testing.T, f *fixture) {
	first := f.id
	f.remember(session.Record{Type: "decision", Text: "kept"})
	_, _, err := f.delete(f.remember(session.Record{Text: "deleted"}))
	f.Must(err)
	f.Put("/session/"+first+"/"+anID, `{"type":"finding","finding":"over","expired_at":"2020-01-01"}`)
	f.Put("/session/"+first+"/other", `{"text":"no record"}`)
	_, err = session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "b"})
	f.Must(err)
	_, err = session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "gone"})
	f.Must(err)
	_, err = session.Delete(ctx, f.Store.Store, none, "gone", "")
	f.Must(err)
	all := export(f.Store, session.ExportOptions{})
	if n := strings.Count(all, `"metadata"`); n != 2 || strings.Count(all, `"id"`) != 1 ||
		!strings.HasPrefix(all, `{"sessions":[{"metadata":{"type":"session"`) ||
		!strings.Contains(all, `"total_entries":1,"total_size_bytes":`) ||
		!strings.Contains(all, `"statistics":{"conversations":0,"decisions":1,`) {
		t.Error(all)
	}
	one := export(f.Store, session.ExportOptions{ID: first})
	if !strings.Contains(all, strings.TrimSuffix(one, "\n")) {
		t.Errorf("%s is not in %s", one, all)
	}
	if got := export(f.Store, session.ExportOptions{Prefix: "b"}); strings.Contains(got, first) ||
		!strings.Contains(got, `"session_id":"b"`) {
		t.Error(got)
	}
	if got := export(f.Store, session.ExportOptions{Prefix: "/session/b"}); !strings.Contains(got,
		`"session_id":"b"`) {
		t.Error(got)
	}
	_, err = session.Export(ctx, f.Store.Store, none, &bytes.Buffer{},
		session.ExportOptions{Prefix: "x"})
	if !errors.Is(err, session.ErrNotFound) {
		t.Error(err)
	}
	_, err = session.Export(ctx, f.Store.Store, none, &bytes.Buffer{},
		session.ExportOptions{ID: "gone"})
	if !errors.Is(err, session.ErrNotFound) {
		t.Error(err)
	}
	_, err = session.Export(ctx, f.Store.Store, none, &bytes.Buffer{},
		session.ExportOptions{Format: "xml"})
	if !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
}

func export(s *storetest.Store, o session.ExportOptions) string {
	s.T.Helper()
	var out bytes.Buffer
	_, err := session.Export(ctx, s.Store, none, &out, o)
	s.Must(err)
	return out.String()
}

// entryLines returns the lines of entries.
func entryLines(text string) string {
	return regexp.MustCompile(`(?m)^\{"metadata".*\n`).ReplaceAllString(text, "")
}
