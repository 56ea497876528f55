package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/fts"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// set is one corpus, indexed, and its queries.
type set struct {
	dir     string
	root    *disk.Dir
	index   *fts.Index
	queries []query
}

type query struct {
	ID, Query, Context, Scope, Now string
	Evidence                       []string
	Alt                            map[string][]string
}

// stateSum stands for that of a state: there is none here, and the sidecar only has to name the same one.
var stateSum = strings.Repeat("00", 32)

// depth is how many hits are looked at.
const depth = 20

func load(dir, name string) (s *set, err error) {
	s = &set{}
	if s.dir, err = os.MkdirTemp("", "recall-*"); err != nil {
		return nil, err
	}
	if err = s.build(filepath.Join(dir, name+".corpus.jsonl")); err == nil {
		err = eachLine(filepath.Join(dir, name+".queries.jsonl"), func(line []byte) error {
			var q query
			err := json.Unmarshal(line, &q)
			s.queries = append(s.queries, q)
			return err
		})
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *set) close() {
	if s.index != nil {
		s.index.Close()
	}
	if s.root != nil {
		s.root.Close()
	}
	os.RemoveAll(s.dir)
}

// build makes the sidecar as a compaction does, and opens it.
func (s *set) build(corpus string) (err error) {
	var records []log.Record
	err = eachLine(corpus, func(line []byte) error {
		r, err := parseRecord(line)
		records = append(records, r)
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(records, func(a, b log.Record) int { return a.Key.Compare(b.Key) })
	if s.root, err = disk.Open(s.dir); err != nil {
		return err
	}
	b := fts.NewBuilder(s.root)
	for _, r := range records {
		b.Add(r)
	}
	if err := b.Write(0, stateSum); err != nil {
		return err
	}
	s.index, err = fts.Open(s.root, 0, stateSum)
	return err
}

func parseRecord(line []byte) (r log.Record, err error) {
	var raw struct {
		Key, TS string
		Content json.RawMessage
	}
	if err = json.Unmarshal(line, &raw); err != nil {
		return r, err
	}
	if r.Key, err = keypath.Parse(raw.Key); err != nil {
		return r, err
	}
	if r.TS, err = log.ParseTime(raw.TS); err != nil {
		return r, err
	}
	r.Content, err = log.CompactJSON(nil, raw.Content)
	return r, err
}

func eachLine(file string, fn func([]byte) error) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := fn(line); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return nil
}

// ask gives the keys found, and how many of the first ten are clearly relevant.
func (s *set) ask(q query) (found []string, clear int, err error) {
	scope, err := keypath.ParsePrefix(q.Scope)
	if err != nil {
		return nil, 0, err
	}
	now, err := log.ParseTime(q.Now)
	if err != nil {
		return nil, 0, err
	}
	res, err := fts.Search(s.index, nil, fts.Words(q.Query).Within(scope), fts.Options{Limit: depth, Now: now})
	if err != nil {
		return nil, 0, err
	}
	found = []string{} // a run file says so, too
	for _, h := range res.Hits {
		found = append(found, h.Key)
	}
	res.Hits = res.Hits[:min(len(res.Hits), 10)]
	relevant, err := res.Relevant()
	return found, len(relevant), err
}

// offTopic asks every prompt in every scope, and counts those that bring anything past the floor.
func (s *set) offTopic(prompts []string) (passed, asked int, err error) {
	seen := map[string]bool{}
	for _, q := range s.queries {
		if seen[q.Scope] {
			continue
		}
		seen[q.Scope] = true
		for _, prompt := range prompts {
			q.Query = prompt
			_, clear, err := s.ask(q)
			if err != nil {
				return 0, 0, err
			}
			if asked++; clear > 0 {
				passed++
			}
		}
	}
	return passed, asked, nil
}
