package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"

	"github.com/set-memory/mem/scripts/harness"
)

// ownRows measures the server of mem itself: its start beside the shortest run of mem, and a call of
// a tool over standard input and output beside the same call of the Store in this process.
func (l *lab) ownRows(ctx context.Context) {
	n := l.sizes.medium
	root := l.store(ctx, n)
	l.startOwn(ctx, root)
	store := harness.Must(mem.Open(root, mem.Options{Now: time.Now}))
	defer store.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := connect(l.own(ctx, root))
	l.ownCalls(ctx, s, store, n)
}

// own is the server over a store.
func (l *lab) own(ctx context.Context, root string) *exec.Cmd {
	process := exec.CommandContext(ctx, l.mem, "mcp", "--root", root)
	process.Env = cleanEnv(os.Environ())
	return process
}

// startOwn measures a process that answers initialize, and ends when there is no more to answer.
func (l *lab) startOwn(ctx context.Context, root string) {
	first := l.file("initialize.jsonl", func(out *bufio.Writer) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}`+"\n", hello)
	})
	serve := command{argv: []string{l.mem, "mcp", "--root", root}, stdin: first}
	took := l.race(ctx, 5*l.sizes.reps, always(serve), always(cmd(l.mem, "version")))
	l.add(row{what: "start of `mem mcp`", mem: took[0], rival: "`mem version`", other: took[1]})
}

// ownCalls measures the tools.
func (l *lab) ownCalls(ctx context.Context, s server, store *mem.Store, n int) {
	c := mem.Caller{Channel: "bench"}
	for _, t := range []struct {
		tool, arguments, want, what string
		call                        func(i int)
	}{
		{"mem_get", `{"key":"` + keyOf(0) + `"}`, `"content"`, "Store.Get", func(int) {
			harness.Must(store.Get(ctx, c, keypath.MustParse(keyOf(0)), false))
		}},
		{"mem_search", `{"query":"` + rareWord + `"}`, `"count"`, "Store.Search",
			func(int) {
				harness.Must(store.Search(ctx, c, mem.SearchOptions{Query: rareWord, Limit: 10}))
			}},
		{"mem_note", `{"text":"The database is PostgreSQL"}`, `"ok":true`, "note.Add",
			func(int) {
				harness.Must(note.Add(ctx, store, c, "The database is PostgreSQL", note.Options{}))
			}},
	} {
		var tool, direct sample
		for i := range 5 * l.sizes.reps {
			begin := time.Now()
			t.call(i)
			direct = append(direct, timing{wall: time.Since(begin)})
			params := fmt.Sprintf(`{"name":%q,"arguments":%s}`, t.tool, t.arguments)
			took := s.ask("tools/call", params, t.want)
			tool = append(tool, took)
		}
		l.add(row{what: t.tool + ", " + records(n), mem: tool, rival: t.what,
			other: direct})
	}
}
