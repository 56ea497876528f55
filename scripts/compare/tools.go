//go:build unix

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A fact is a text under a key; old is the text that it corrects.
type fact struct{ key, text, old string }

// A tool is an adapter: the shape of its commands. In their words $key, $text, $old, $id, $dir,
// $project, $home and $items are replaced. A command of an MCP server is a call, and its arguments
// in JSON; several have a line each. An empty command is one that the tool does not have.
type tool struct {
	name, pkg, version string

	why string // it is not worth to install
	run string // the program below node_modules, with arguments; empty if there is no adapter
	mcp bool
	env string

	prepare, store, search, correct, remove string

	storeAll, item string // a command with $items on it, or on its standard input
	size           int    // how many items
	id             *regexp.Regexp
	ids            map[string]string // of keys, from the answers to stores

	small, big place // for the small tasks, and for those with many records
	stored     int
}

const entity = `{"name":"$key","entityType":"fact","observations":["$text"]}`

var tools = []*tool{
	{name: "mem",
		store:   "set /fact/$key --type fact --text $text --source compare",
		correct: "set /fact/$key --type fact --text $text --source compare",
		search:  "search $text --limit 5", remove: "forget /fact/$key --purge --yes",
		storeAll: "set - --source compare", size: 1e6,
		item: `{"key":"/fact/$key","content":{"type":"fact","text":"$text"}}` + "\n"},
	{name: "server-memory", pkg: "@modelcontextprotocol/server-memory", version: "2026.8.31",
		run: ".bin/mcp-server-memory", mcp: true, env: "MEMORY_FILE_PATH=$home/memory.jsonl",
		store: `create_entities {"entities":[` + entity + `]}`, search: `search_nodes {"query":"$text"}`,
		correct: `delete_observations {"deletions":[{"entityName":"$key","observations":["$old"]}]}
add_observations {"observations":[{"entityName":"$key","contents":["$text"]}]}`,
		remove:   `delete_entities {"entityNames":["$key"]}`,
		storeAll: `create_entities {"entities":[$items]}`, item: entity, size: 500},
	{name: "memory-libsql", pkg: "mcp-memory-libsql", version: "0.0.17",
		run: ".bin/mcp-memory-libsql", mcp: true, env: "LIBSQL_URL=file:$home/memory-tool.db",
		store:   `create_entities {"entities":[` + entity + `]}`,
		search:  `search_nodes {"query":"$text","limit":5}`,
		correct: `create_entities {"entities":[` + entity + `]}`,
		remove:  `delete_entity {"name":"$key"}`,
		// 50 is the most that it takes.
		storeAll: `create_entities {"entities":[$items]}`, item: entity, size: 50},
	{name: "ai-devkit", pkg: "@ai-devkit/memory", version: "0.20.1",
		run: "@ai-devkit/memory/dist/index.js", mcp: true,
		store: `memory_storeKnowledge {"title":"$text","content":"$text","scope":"project:$project"}`,
		search: `memory_searchKnowledge ` +
			`{"query":"$text","limit":5,"scope":"project:$project"}`,
		correct: `memory_updateKnowledge {"id":"$id","title":"$text","content":"$text"}`,
		id:      regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4,12}){4}`)},
	// A search of memorix prints titles, so the fact is the title too. Resolving a memory is the
	// nearest that it has to a deletion.
	{name: "memorix", pkg: "memorix", version: "1.0.7", run: ".bin/memorix serve", mcp: true,
		store: `memorix_store {"entityName":"$key","type":"decision","title":"$text",` +
			`"narrative":"$text","topicKey":"fact/$key"}`,
		search: `memorix_search {"query":"$text","limit":5}`,
		correct: `memorix_store {"entityName":"$key","type":"decision","title":"$text",` +
			`"narrative":"$text","topicKey":"fact/$key"}`,
		remove: `memorix_resolve {"ids":[$id],"status":"archived"}`,
		id:     regexp.MustCompile(`[0-9]+`)},
	// Its index for qmd, another program, is left out: without that each store would fail.
	{name: "clawvault", pkg: "clawvault", version: "3.5.2", run: ".bin/clawvault",
		prepare: "init $dir --minimal",
		store:   "store -c facts -t $key --content $text --overwrite --no-index",
		search:  "search $text -n 5",
		correct: "store -c facts -t $key --content $text --overwrite --no-index"},
	{name: "engram", pkg: "github.com/Gentleman-Programming/engram/cmd/engram", version: "latest"},
	{name: "deja-vu", pkg: "github.com/vshulcz/deja-vu/cmd/deja", version: "latest"},
	{name: "beads", pkg: "github.com/steveyegge/beads/cmd/bd", version: "latest"},
	{name: "beads-npm", pkg: "@beads/bd", version: "1.3.0"},
	{name: "memories.sh", pkg: "@memories.sh/cli", version: "0.7.9"},
	{name: "claude-mem", pkg: "claude-mem", version: "13.25.3"},
	{name: "mem0", pkg: "mem0ai", version: "3.3.1",
		why: "not runnable without a model: it needs the key of an API"},
	{name: "basic-memory", pkg: "@basicmachines/basic-memory", version: "latest"},
}

// fill puts the values of a fact into a template.
func (t *tool) fill(p place, template string, f fact, items string) string {
	return strings.NewReplacer("$key", f.key, "$text", f.text, "$old", f.old, "$id", t.ids[f.key],
		"$dir", p.project, "$project", filepath.Base(p.project), "$home", p.home,
		"$items", items).Replace(template)
}

// do runs a command of a tool and returns its answer.
func (t *tool) do(p place, command string, f fact, items string) (out string, err error) {
	if command == "" {
		return "", errors.New("n/a (none)")
	}
	if t.mcp {
		out, err = t.ask(p, strings.Split(t.fill(p, command, f, items), "\n"))
	} else {
		argv := strings.Fields(t.run)
		for _, arg := range strings.Fields(command) {
			argv = append(argv, t.fill(p, arg, f, ""))
		}
		out, err = p.run(items, argv...)
	}
	var exit *exec.ExitError
	if t.name == "mem" && errors.As(err, &exit) && exit.ExitCode() == 1 && out == "" {
		err = nil // nothing found
	}
	if err == nil && t.id != nil && command == t.store {
		t.ids[f.key] = t.id.FindString(out)
	}
	return out, err
}

func (t *tool) serve(p place) (*session, error) {
	if !t.mcp {
		return nil, errors.New("n/a (a command)")
	}
	return p.serve(t.fill(p, t.env, fact{}, ""), strings.Fields(t.run)...)
}

// ask puts calls to one server, a new one if none is open, and returns the last answer.
func (t *tool) ask(p place, calls []string) (text string, err error) {
	start, s := time.Now(), p.open
	if s == nil {
		if s, err = t.serve(p); err != nil {
			return "", err
		}
		defer func() { s.end(p.hard) }()
		timer := time.AfterFunc(p.limit-time.Since(start), s.cancel)
		defer timer.Stop()
	}
	for _, call := range calls {
		name, arguments, _ := strings.Cut(call, " ")
		if text, err = s.ask(p.limit, "tools/call",
			fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	p.clock(start)
	return text, nil
}

// storeMany stores facts until the time is up, in batches if the tool has them.
func (t *tool) storeMany(p place, facts []fact, until time.Time) (n int, err error) {
	if t.mcp {
		if p.open, err = t.serve(p); err != nil {
			return 0, err
		}
		defer p.open.end(false)
	}
	for n < len(facts) && time.Now().Before(until) && err == nil {
		next := min(n+max(t.size, 1), len(facts))
		if t.storeAll == "" {
			_, err = t.do(p, t.store, facts[n], "")
		} else {
			var items []string
			for _, f := range facts[n:next] {
				items = append(items, t.fill(p, t.item, f, ""))
			}
			between := map[bool]string{true: ","}[t.mcp] // of JSON, or the lines end by themselves
			_, err = t.do(p, t.storeAll, fact{}, strings.Join(items, between))
		}
		n = next
	}
	return n, err
}
