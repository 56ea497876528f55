package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// dataset is a public set in the files that its authors publish.
type dataset struct {
	name   string
	files  []string // patterns, for a cleaned version has another name
	read   func(in []io.Reader, yield func(haystack))
	scored bool // deja-vu has a scorer for rankings
}

var datasets = []dataset{
	{"locomo-turns", []string{"locomo10.json"}, readLocomo(false), false},
	{"locomo-sessions", []string{"locomo10.json"}, readLocomo(true), false},
	{"longmemeval-s", []string{"longmemeval_s*.json"}, readLongMemEval, true},
	{"madial-en", []string{"MADial-Bench-en-memory.json", "MADial-Bench-en-dialogue.json"},
		readMADial, false},
	{"madial-zh", []string{"MADial-Bench-zh-memory.json", "MADial-Bench-zh-dialogue.json"},
		readMADial, false},
}

// find returns the paths of a set's files, and the names of those that a directory lacks.
func (d dataset) find(dir string) (paths, lacks []string) {
	for _, file := range d.files {
		found, err := fs.Glob(os.DirFS(dir), file)
		if err != nil || found == nil {
			lacks = append(lacks, file)
			continue
		}
		paths = append(paths, filepath.Join(dir, found[0]))
	}
	return paths, lacks
}

// each reads the files once, for the haystacks in them and for their sums: sets circulate in
// several versions under one name.
func (d dataset) each(paths []string, yield func(haystack)) (sums string) {
	var in []io.Reader
	var hashes []hash.Hash
	for _, path := range paths {
		f := harness.Must(os.Open(path))
		defer f.Close()
		hashes = append(hashes, sha256.New())
		in = append(in, io.TeeReader(f, hashes[len(hashes)-1]))
	}
	d.read(in, yield)
	for i, path := range paths { // what stands behind the last value counts in the sum
		if _, err := io.Copy(io.Discard, in[i]); err != nil {
			harness.Failf("%s: %w", path, err)
		}
		sums += fmt.Sprintf("  sha256 %x %s\n", hashes[i].Sum(nil), filepath.Base(path))
	}
	return sums
}

// haystack holds the records that a question searches, in a store of its own.
type haystack struct {
	records   []record
	questions []question
	skipped   int
}

type record struct {
	id      string    // as the set names it
	Key     string    `json:"key"`
	TS      time.Time `json:"ts"`
	Content any       `json:"content"`
}

// question is a question, its evidence, and the ids that were found for it, best first.
type question struct {
	Set    string   `json:"set"`
	ID     string   `json:"question_id"`
	Query  string   `json:"query"`
	Gold   []string `json:"gold"`
	Ranked []string `json:"ranked"`
	now    time.Time
}

// ask adds a question. Evidence that names no record cannot be found by anybody and does not count;
// without any, nothing is measured and the question is skipped.
func (h *haystack) ask(q question) {
	var gold []string
	for _, id := range q.Gold {
		isID := func(r record) bool { return r.id == id }
		if slices.ContainsFunc(h.records, isID) && !slices.Contains(gold, id) {
			gold = append(gold, id)
		}
	}
	if q.Gold = gold; gold == nil {
		h.skipped++
		return
	}
	if q.now.IsZero() { // the set does not say when it asks: a day after the newest record
		byTime := func(a, b record) int { return a.TS.Compare(b.TS) }
		q.now = slices.MaxFunc(h.records, byTime).TS.AddDate(0, 0, 1)
	}
	h.questions = append(h.questions, q)
}

// eachValue decodes the values of a JSON array, or those that stand one behind the other, one at a
// time: LongMemEval-S is larger than the memory that a small machine can spare.
func eachValue[T any](in io.Reader, fn func(n int, value T)) {
	buffered := bufio.NewReader(in)
	decoder := json.NewDecoder(buffered)
	first, err := buffered.Peek(1)
	isArray := err == nil && first[0] == '['
	if isArray {
		_, err = decoder.Token()
	}
	for n := 0; err == nil && decoder.More(); n++ {
		var value T
		if err := decoder.Decode(&value); err != nil {
			harness.Failf("value %d: %w", n, err)
		}
		fn(n, value)
	}
	if err == nil {
		_, err = decoder.Token() // the end of the array
	}
	if !isArray && errors.Is(err, io.EOF) {
		err = nil
	}
	harness.Check(err)
}

// store holds one haystack.
type store struct {
	harness.Store
	stored int
	ids    map[string]string // by key
}

// depth is how many hits are asked for; deja-vu's scorer looks at as many.
const depth = 20

// The exit codes of mem that are no failure of a run.
const (
	foundNothing = 1
	refusedSome  = 3
)

// fill stores records as an import does: at once, with their times, and compacted. What stays after
// an error is in the directory for temporary files.
func fill(mem string, records []record) *store {
	s := &store{Store: harness.NewStore(mem), ids: map[string]string{}}
	s.write(records)
	return s
}

// write counts the stored records, for a text that looks like a secret is refused.
func (s *store) write(records []record) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, r := range records {
		s.ids[r.Key] = r.id
		if err := encoder.Encode(r); err != nil {
			harness.Failf("record %s: %w", r.id, err)
		}
	}
	out := s.Run("", &lines, refusedSome, "set", "-", "--source", "eval",
		"--keep-going", "--jq", ".written")
	s.stored = harness.Must(strconv.Atoi(strings.TrimSpace(string(out))))
	s.Run("", nil, 0, "compact")
}

// search adds to a question the ids of the hits, and returns how long the binary took from
// its start to its end.
func (s *store) search(q *question) time.Duration {
	begin := time.Now()
	out := s.Run(q.now.Format(time.RFC3339), nil, foundNothing, "search",
		"--limit", strconv.Itoa(depth), "--jq", ".memories[].key", "--", q.Query)
	took := time.Since(begin)
	q.Ranked = []string{} // null would be a question that nobody asked
	for key := range strings.Lines(string(out)) {
		id := s.ids[strings.TrimSpace(key)]
		if !slices.Contains(q.Ranked, id) { // a haystack may have a session twice
			q.Ranked = append(q.Ranked, id)
		}
	}
	return took
}
