package mem

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// The types of this file are answers as programs get them: each verb prints one with --json.
// Members may be added and are never renamed. [Outcome], [BatchReport], [Stat], [FsckReport],
// [CompactReport] and readout.Page are answers as they are.

// EncodeJSON returns an answer as compact JSON, with text in every script as it is.
func EncodeJSON(answer any) ([]byte, error) {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(doc.Bytes(), []byte{'\n'}), nil
}

// MemoryList answers a listing of keys, or of the versions of one.
type MemoryList struct {
	Count    int      `json:"count"` // of all there are; a limit may leave some out of Memories
	Memories []Memory `json:"memories"`
}

// Memory is one memory of a listing. A listing of keys has its type and a summary, one of versions
// its source and content.
type Memory struct {
	Key     keypath.Key `json:"key"`
	TS      log.Stamp   `json:"ts"`
	Time    *log.Stamp  `json:"time,omitempty"` // of the memory, where it is not ts
	Valid   bool        `json:"valid"`
	Type    string      `json:"type,omitempty"`
	Summary string      `json:"summary,omitempty"`
	Layer   string      `json:"layer,omitempty"` // which of two it is from
	// Untrusted: somebody else wrote it, and nobody has looked at it, see Store.Trusts.
	Untrusted bool `json:"untrusted,omitempty"`
	// SupersededBy is the key that has taken its place, of a live memory.
	SupersededBy string `json:"superseded_by,omitempty"`
	// Remark says that a file of it has changed or is gone, where the reader has the files.
	Remark string `json:"remark,omitempty"`

	Source  json.RawMessage `json:"source,omitempty"`
	Content json.RawMessage `json:"content,omitempty"`
}

// MemoryOf returns a live memory for a listing of keys.
func MemoryOf(rec log.Record) Memory {
	f := content.Parse(rec.Content)
	return Memory{
		Key: rec.Key, TS: rec.TS, Time: ownTime(f, rec.TS), Valid: true, Type: f.Type,
		Summary: readout.Short(rec.Content, f), Layer: rec.Layer,
		SupersededBy: f.SupersededBy,
	}
}

// Describe returns a live memory of the store for a listing of keys, with its trust.
func (s *Store) Describe(rec log.Record) Memory {
	m := MemoryOf(rec)
	m.Untrusted = !s.Trusts(rec)
	return m
}

// ownTime returns the time of a memory that was written at ts; nil where the two are one.
func ownTime(f content.Fields, ts log.Stamp) *log.Stamp {
	if at := f.Time(ts); at != ts {
		return &at
	}
	return nil
}

// Timestamp returns the time of the memory.
func (m *Memory) Timestamp() log.Stamp {
	if m.Time != nil {
		return *m.Time
	}
	return m.TS
}

// NewVersion returns a version of a key for a listing of them.
func NewVersion(v log.Record) Memory {
	return Memory{Key: v.Key, TS: v.TS, Valid: v.Valid(), Source: v.Source, Content: v.Content,
		Layer: v.Layer}
}

// WriteVersionList writes the answer to a history, a [MemoryList], one version after the other.
func WriteVersionList(w io.Writer, v Versions) error {
	fmt.Fprintf(w, `{"count":%d,"memories":[`, v.Count)
	comma := ""
	for rec, err := range v.Rows {
		if err != nil {
			return err
		}
		doc, err := EncodeJSON(NewVersion(rec))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", comma, doc); err != nil {
			return err
		}
		comma = ","
	}
	_, err := fmt.Fprintln(w, "]}")
	return err
}

// SearchResult answers a search.
type SearchResult struct {
	Count    int   `json:"count"`
	Memories []Hit `json:"memories"`

	Near []NearTerm `json:"near,omitempty"` // where nothing was found
}

// Hit is one memory that a search found. Its numbers have four decimals.
type Hit struct {
	Key   keypath.Key `json:"key"`
	TS    log.Stamp   `json:"ts"`
	Time  *log.Stamp  `json:"time,omitempty"` // of the memory, where it is not ts
	Score float64     `json:"score"`
	Type  string      `json:"type,omitempty"`
	Text  string      `json:"text"`
	Layer string      `json:"layer,omitempty"` // which of two it is from
	// Untrusted is as in Memory.
	Untrusted bool `json:"untrusted,omitempty"`
	// SupersededBy is the key that has taken its place.
	SupersededBy string `json:"superseded_by,omitempty"`
	Remark       string `json:"remark,omitempty"` // as in Memory

	Content json.RawMessage `json:"content"`
	Why     []HitPart       `json:"why,omitempty"` // with SearchOptions.Explain
}

// HitPart is one of the numbers whose sum is a score, or whose product is a relevance.
type HitPart struct {
	Name  string  `json:"name"`
	What  string  `json:"what,omitempty"`
	In    string  `json:"in,omitempty"`
	Value float64 `json:"value"`
}

// NewSearchResult returns the answer to a search, with the terms that are near where it has none.
func NewSearchResult(found []Found, near []NearTerm) SearchResult {
	list := SearchResult{Count: len(found), Memories: make([]Hit, len(found)), Near: near}
	for i, f := range found {
		fields := content.Parse(f.Record.Content)
		list.Memories[i] = Hit{
			Key: f.Record.Key, TS: f.Record.TS, Time: ownTime(fields, f.Record.TS),
			Score: fourDecimals(f.Score), Type: fields.Type,
			Text: readout.Short(f.Record.Content, fields), Content: f.Record.Content,
			Layer: f.Record.Layer, Why: hitParts(f), SupersededBy: fields.SupersededBy,
			Untrusted: f.Untrusted, Remark: f.Remark,
		}
	}
	return list
}

func hitParts(f Found) (why []HitPart) {
	for _, p := range f.Factors {
		why = append(why, HitPart{Name: p.Name, Value: fourDecimals(p.Value)})
	}
	if why != nil {
		return why
	}
	for _, p := range f.Parts {
		why = append(why, HitPart{p.Name, p.What, p.In, fourDecimals(p.Value)})
	}
	return why
}

func fourDecimals(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// NoteReply answers a note, and other short requests.
type NoteReply struct {
	OK    bool   `json:"ok"`
	ID    string `json:"id,omitempty"`
	Known bool   `json:"known,omitempty"` // a note said the same, and was renewed

	Evicted  []string `json:"evicted,omitempty"`  // ids of the notes that made room
	Near     []string `json:"near,omitempty"`     // what says nearly the same, by id or key
	Replaced []string `json:"replaced,omitempty"` // what it has taken the place of, by key

	Layer string `json:"layer,omitempty"` // where it was written, if there are two
	Error string `json:"error,omitempty"` // of a note that was refused as a secret

	Proposal string `json:"proposal,omitempty"` // id of a change that waits for a person
}

// NoteList answers a search for notes, and a read of them.
type NoteList struct {
	Count    int         `json:"count"`
	Memories []NoteEntry `json:"memories"`
}

// NoteEntry is one note of a list.
type NoteEntry struct {
	ID    string     `json:"id"`
	Text  string     `json:"text"`
	Tags  []string   `json:"tags"`
	TS    log.Stamp  `json:"ts"`
	Time  *log.Stamp `json:"time,omitempty"`  // of the note, where it is not ts
	Layer string     `json:"layer,omitempty"` // which of two it is from
	Score float64    `json:"score,omitempty"` // of a read
	// Untrusted is as in Memory, of a search.
	Untrusted bool `json:"untrusted,omitempty"`
	// SupersededBy is the key that has taken its place, of a search.
	SupersededBy string `json:"superseded_by,omitempty"`
	Remark       string `json:"remark,omitempty"` // as in Memory
}

// NewNoteList returns the answer to a search for notes.
func NewNoteList(notes []readout.Note) NoteList {
	list := NoteList{Count: len(notes), Memories: make([]NoteEntry, len(notes))}
	for i, n := range notes {
		list.Memories[i] = newNoteEntry(n, 0)
	}
	return list
}

// NewNotePage returns the answer to a read of notes.
func NewNotePage(page readout.NotePage) NoteList {
	list := NoteList{Count: len(page.Entries), Memories: make([]NoteEntry, len(page.Entries))}
	for i, e := range page.Entries {
		list.Memories[i] = newNoteEntry(e.Note, e.Score.Total())
	}
	return list
}

func newNoteEntry(n readout.Note, score float64) NoteEntry {
	entry := NoteEntry{
		ID: n.ID, Text: n.Text, Tags: append([]string{}, n.Tags...), TS: n.TS, Layer: n.Layer,
		Score: score, SupersededBy: n.SupersededBy, Untrusted: n.Untrusted,
		Remark: n.Remark,
	}
	if at := n.Timestamp(); at != n.TS {
		entry.Time = &at
	}
	return entry
}
