package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// set is one corpus in a store of its own, and its queries.
type set struct {
	mem     string
	dir     string
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

func load(mem, dir, name string) (s *set, err error) {
	s = &set{mem: mem}
	if s.dir, err = os.MkdirTemp("", "recall-*"); err != nil {
		return nil, err
	}
	if err = s.fill(filepath.Join(dir, name+".corpus.jsonl")); err == nil {
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

func (s *set) close() { os.RemoveAll(s.dir) }

// fill makes the store.
func (s *set) fill(corpus string) error {
	lines, err := os.Open(corpus)
	if err != nil {
		return err
	}
	defer lines.Close()
	if _, err := s.run("", lines, "set", "-", "--source", "recall"); err != nil {
		return err
	}
	if _, err := s.run("", nil, "compact"); err != nil {
		return err
	}
	out, err := s.run("", nil, "ls", "--jq", ".count")
	if err != nil {
		return err
	}
	s.records, err = strconv.Atoi(strings.TrimSpace(string(out)))
	return err
}

// run runs the binary at a time; "" is now. That it found nothing is no error.
func (s *set) run(now string, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.Command(s.mem, append([]string{"--root", s.dir}, args...)...)
	cmd.Env = append(os.Environ(), "MEM_NOW="+now)
	cmd.Stdin = in
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("mem %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return out, nil
}

// keys runs the binary and gives the keys in its answer.
func (s *set) keys(now string, args ...string) ([]string, error) {
	out, err := s.run(now, nil, append([]string{"--jq", ".memories[].key"}, args...)...)
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), err
}

func (s *set) ask(q query) (a answer, err error) {
	scope := "/" + strings.Trim(q.Scope, "/")
	if a.found, err = s.keys(q.Now, "search", "--prefix", scope, "--limit", strconv.Itoa(depth), "--", q.Query); err != nil {
		return a, err
	}
	clear, err := s.keys(q.Now, "search", "--relevant", "--prefix", scope, "--limit", "10", "--", q.Query)
	if err != nil {
		return a, err
	}
	a.clear = len(clear)
	a.packed, err = s.keys(q.Now, "read", "--prefix", scope, "--token-limit", "2000", "--query="+q.Query)
	return a, err
}

// offTopic counts the prompts at which the hook says anything, each in a conversation of its own.
func (s *set) offTopic(prompts []string) (told int, err error) {
	for i, prompt := range prompts {
		event, err := json.Marshal(map[string]string{"hook_event_name": "UserPromptSubmit", "session_id": strconv.Itoa(i), "prompt": prompt})
		if err != nil {
			return told, err
		}
		out, err := s.run("", bytes.NewReader(event), "hook", "claude-code")
		if err != nil {
			return told, err
		}
		if len(out) > 0 {
			told++
		}
	}
	return told, s.checkHook(len(prompts))
}

// checkHook makes sure that the hook was silent by choice: it has recorded every prompt.
func (s *set) checkHook(prompts int) error {
	out, err := s.run("", nil, "injections", "--limit", strconv.Itoa(prompts+1), "--jq", ".count")
	if got := strings.TrimSpace(string(out)); err == nil && got != strconv.Itoa(prompts) {
		err = errors.New("the hook was asked " + strconv.Itoa(prompts) + " times and recorded " + got)
	}
	return err
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
