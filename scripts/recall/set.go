package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// set is one corpus in a store of its own, and its queries.
type set struct {
	harness.Store
	records int
	queries []query
}

type query struct {
	ID, Query, Context, Scope, Now string
	Evidence                       []string
	Alt                            map[string][]string
}

// answer is what the binary gave for a query.
type answer struct {
	found  []string // by mem search, best first
	clear  int      // of the first ten, those above the floor
	packed []string // by mem read
}

// depth is how many hits are looked at.
const depth = 20

func load(mem, dir, name string) *set {
	s := &set{Store: harness.NewStore(mem)}
	s.fill(filepath.Join(dir, name+".corpus.jsonl"))
	s.queries = readLines[query](dir, name+".queries.jsonl")
	return s
}

// fill makes the store.
func (s *set) fill(corpus string) {
	lines := harness.Must(os.Open(corpus))
	defer lines.Close()
	s.run("", lines, "set", "-", "--source", "recall")
	s.run("", nil, "compact")
	out := s.run("", nil, "ls", "--jq", ".count")
	s.records = harness.Must(strconv.Atoi(strings.TrimSpace(string(out))))
}

// run runs the binary at a time; "" is now. That it found nothing is no error.
func (s *set) run(now string, in io.Reader, args ...string) []byte {
	return s.Run(now, in, 1, args...)
}

// keys runs the binary and gives the keys in its answer.
func (s *set) keys(now string, args ...string) []string {
	out := s.run(now, nil, append([]string{"--jq", ".memories[].key"}, args...)...)
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

func (s *set) ask(q query) (a answer) {
	scope := "/" + strings.Trim(q.Scope, "/")
	a.found = s.keys(q.Now, "search", "--prefix", scope, "--limit", strconv.Itoa(depth), "--", q.Query)
	clear := s.keys(q.Now, "search", "--relevant", "--prefix", scope, "--limit", "10", "--", q.Query)
	a.clear = len(clear)
	a.packed = s.keys(q.Now, "read", "--prefix", scope, "--token-limit", "2000", "--query="+q.Query)
	return a
}

// offTopic counts the prompts at which the hook says anything, each in a conversation of its own.
func (s *set) offTopic(prompts []string) (told int) {
	for i, prompt := range prompts {
		event := harness.Must(json.Marshal(map[string]string{"hook_event_name": "UserPromptSubmit", "session_id": strconv.Itoa(i), "prompt": prompt}))
		if len(s.run("", bytes.NewReader(event), "hook", "claude-code")) > 0 {
			told++
		}
	}
	s.checkHook(len(prompts))
	return told
}

// checkHook makes sure that the hook was silent by choice: it has recorded every prompt.
func (s *set) checkHook(prompts int) {
	out := s.run("", nil, "injections", "--limit", strconv.Itoa(prompts+1), "--jq", ".count")
	if got := strings.TrimSpace(string(out)); got != strconv.Itoa(prompts) {
		harness.Failf("the hook was asked %d times and recorded %s", prompts, got)
	}
}
