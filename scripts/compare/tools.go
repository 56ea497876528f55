package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A fact is a text under a key.
type fact struct{ key, text string }

// A tool is the way to one memory. Each call is a process of its own, unless the place has one open.
type tool interface {
	prepare(p place) error // once for each project
	store(p place, f fact) error
	storeAll(p place, facts []fact, until time.Time) (int, error)
	search(p place, query string) (string, error) // the best five, if the tool has a limit
	correct(p place, old, f fact) error
	remove(p place, f fact) error
}

// none is the reason why a tool has no such operation.
type none string

func (n none) Error() string { return "n/a (" + string(n) + ")" }

// oneByOne stores facts until the time is up.
func oneByOne(t tool, p place, facts []fact, until time.Time) (int, error) {
	for i, f := range facts {
		if time.Now().After(until) {
			return i, nil
		}
		if err := t.store(p, f); err != nil {
			return i, err
		}
	}
	return len(facts), nil
}

type mem struct{ binary string }

func (m mem) prepare(place) error { return nil }

func (m mem) store(p place, f fact) error {
	_, err := p.run("", m.binary, "set", "/fact/"+f.key, "--type", "fact", "--text", f.text,
		"--source", "compare")
	return err
}

func (m mem) storeAll(p place, facts []fact, _ time.Time) (int, error) {
	var lines strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&lines, `{"key":"/fact/%s","content":{"type":"fact","text":%q}}`+"\n", f.key,
			f.text)
	}
	_, err := p.run(lines.String(), m.binary, "set", "-", "--source", "compare")
	return len(facts), err
}

func (m mem) search(p place, query string) (string, error) {
	out, err := p.run("", m.binary, "search", query, "--limit", "5")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && out == "" {
		err = nil // nothing found
	}
	return out, err
}

func (m mem) correct(p place, _, f fact) error { return m.store(p, f) }

func (m mem) remove(p place, f fact) error {
	_, err := p.run("", m.binary, "forget", "/fact/"+f.key, "--purge", "--yes")
	return err
}

// clawvault keeps a vault in the folder of a project. Its index for qmd, another program, is left
// out, for each store would fail without it.
type clawvault struct{ binary string }

func (c clawvault) prepare(p place) error {
	_, err := p.run("", c.binary, "init", p.project, "--minimal")
	return err
}

func (c clawvault) store(p place, f fact) error {
	_, err := p.run("", c.binary, "store", "-c", "facts", "-t", f.key, "--content", f.text,
		"--overwrite", "--no-index")
	return err
}

func (c clawvault) storeAll(p place, facts []fact, until time.Time) (int, error) {
	return oneByOne(c, p, facts, until)
}

func (c clawvault) search(p place, query string) (string, error) {
	return p.run("", c.binary, "search", query, "-n", "5")
}

func (c clawvault) correct(p place, _, f fact) error { return c.store(p, f) }

func (c clawvault) remove(place, fact) error { return none("no verb") }

// A call is that of a tool of an MCP server.
type call struct {
	Name string `json:"name"`
	Args any    `json:"arguments"`
}

type object = map[string]any

// An mcpTool is a memory behind an MCP server on standard input and output.
type mcpTool struct {
	argv  []string
	env   func(home string) []string
	batch int            // how many facts a call can store
	id    *regexp.Regexp // finds the id in the answer to a store

	put  func(p place, facts []fact) call
	find func(p place, query string) call
	fix  func(p place, old, f fact, id string) []call
	drop func(f fact, id string) []call // nil if there is no such tool

	ids map[string]string // of keys
}

func (m *mcpTool) prepare(place) error { return nil }

func (m *mcpTool) serve(p place) (*session, error) {
	var env []string
	if m.env != nil {
		env = m.env(p.home)
	}
	return p.serve(env, m.argv...)
}

// ask puts calls to one server and returns the last answer.
func (m *mcpTool) ask(p place, calls ...call) (text string, err error) {
	start, s := time.Now(), p.open
	if s == nil {
		if s, err = m.serve(p); err != nil {
			return "", err
		}
		defer func() { s.end(p.hard) }()
		timer := time.AfterFunc(p.limit-time.Since(start), s.cancel)
		defer timer.Stop()
	}
	for _, c := range calls {
		if text, err = s.ask(p.limit, "tools/call", c); err != nil {
			return "", fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	p.clock(start)
	return text, nil
}

func (m *mcpTool) store(p place, f fact) error {
	text, err := m.ask(p, m.put(p, []fact{f}))
	if err == nil && m.id != nil {
		m.ids[f.key] = m.id.FindString(text)
	}
	return err
}

func (m *mcpTool) storeAll(p place, facts []fact, until time.Time) (n int, err error) {
	if p.open, err = m.serve(p); err != nil {
		return 0, err
	}
	defer p.open.end(false)
	if m.batch == 1 {
		return oneByOne(m, p, facts, until)
	}
	for n < len(facts) && time.Now().Before(until) {
		next := min(n+m.batch, len(facts))
		if _, err := m.ask(p, m.put(p, facts[n:next])); err != nil {
			return n, err
		}
		n = next
	}
	return n, nil
}

func (m *mcpTool) search(p place, query string) (string, error) {
	return m.ask(p, m.find(p, query))
}

func (m *mcpTool) correct(p place, old, f fact) error {
	_, err := m.ask(p, m.fix(p, old, f, m.ids[f.key])...)
	return err
}

func (m *mcpTool) remove(p place, f fact) error {
	if m.drop == nil {
		return none("no tool")
	}
	_, err := m.ask(p, m.drop(f, m.ids[f.key])...)
	return err
}

// entities stores facts as two graph servers take them.
func entities(_ place, facts []fact) call {
	var list []object
	for _, f := range facts {
		list = append(list, object{"name": f.key, "entityType": "fact",
			"observations": []string{f.text}})
	}
	return call{"create_entities", object{"entities": list}}
}

func serverMemory(modules string) tool {
	return &mcpTool{
		argv: []string{filepath.Join(modules, ".bin/mcp-server-memory")},
		env: func(home string) []string {
			return []string{"MEMORY_FILE_PATH=" + home + "/memory.jsonl"}
		},
		batch: 500, put: entities,
		find: func(_ place, q string) call { return call{"search_nodes", object{"query": q}} },
		fix: func(_ place, old, f fact, _ string) []call {
			gone := object{"entityName": f.key, "observations": []string{old.text}}
			added := object{"entityName": f.key, "contents": []string{f.text}}
			return []call{{"delete_observations", object{"deletions": []object{gone}}},
				{"add_observations", object{"observations": []object{added}}}}
		},
		drop: func(f fact, _ string) []call {
			return []call{{"delete_entities", object{"entityNames": []string{f.key}}}}
		},
	}
}

func libsql(modules string) tool {
	return &mcpTool{
		argv: []string{filepath.Join(modules, ".bin/mcp-memory-libsql")},
		env: func(home string) []string {
			return []string{"LIBSQL_URL=file:" + home + "/memory-tool.db"}
		},
		batch: 50, put: entities,
		find: func(_ place, q string) call {
			return call{"search_nodes", object{"query": q, "limit": 5}}
		},
		fix: func(p place, _, f fact, _ string) []call { return []call{entities(p, []fact{f})} },
		drop: func(f fact, _ string) []call {
			return []call{{"delete_entity", object{"name": f.key}}}
		},
	}
}

// devkit takes titles of 10 to 100 characters and texts of 50 and more.
func devkit(modules string) tool {
	scope := func(p place) string { return "project:" + filepath.Base(p.project) }
	return &mcpTool{
		argv:  []string{"node", filepath.Join(modules, "@ai-devkit/memory/dist/index.js")},
		batch: 1, ids: map[string]string{}, id: regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4,12}){4}`),
		put: func(p place, f []fact) call {
			return call{"memory_storeKnowledge", object{"title": fmt.Sprintf("%.99s", f[0].text),
				"content": f[0].text, "scope": scope(p)}}
		},
		find: func(p place, q string) call {
			return call{"memory_searchKnowledge", object{"query": q, "limit": 5, "scope": scope(p)}}
		},
		fix: func(_ place, _, f fact, id string) []call {
			return []call{{"memory_updateKnowledge", object{"id": id, "content": f.text,
				"title": fmt.Sprintf("%.99s", f.text)}}}
		},
	}
}

// memorix prints titles when it searches, so the fact is the title too. What it calls resolving is
// the nearest that it has to a deletion.
func memorix(modules string) tool {
	put := func(_ place, f []fact) call {
		return call{"memorix_store", object{"entityName": f[0].key, "type": "decision",
			"title": f[0].text, "narrative": f[0].text, "topicKey": "fact/" + f[0].key}}
	}
	return &mcpTool{
		argv:  []string{filepath.Join(modules, ".bin/memorix"), "serve"},
		batch: 1, ids: map[string]string{}, id: regexp.MustCompile(`[0-9]+`), put: put,
		find: func(_ place, q string) call {
			return call{"memorix_search", object{"query": q, "limit": 5}}
		},
		fix: func(p place, _, f fact, _ string) []call { return []call{put(p, []fact{f})} },
		drop: func(_ fact, id string) []call {
			return []call{{"memorix_resolve", object{"ids": []json.Number{json.Number(id)},
				"status": "archived"}}}
		},
	}
}
