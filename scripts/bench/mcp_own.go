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
)

// ownRows measures the server of mem itself: its start beside the shortest run of mem, and a call of
// a tool over standard input and output beside the same call of the Store in this process.
func (l *lab) ownRows(ctx context.Context) (rows []row, err error) {
	n := l.sizes.medium
	root, err := l.store(ctx, n)
	if err != nil {
		return nil, err
	}
	start, err := l.startOwn(ctx, root)
	if err != nil {
		return nil, err
	}
	store, err := mem.Open(root, mem.Options{Now: time.Now})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := connect(l.own(ctx, root))
	if err != nil {
		return nil, err
	}
	calls, err := l.ownCalls(ctx, s, store, n)
	return append([]row{start}, calls...), err
}

// own is the server over a store.
func (l *lab) own(ctx context.Context, root string) *exec.Cmd {
	process := exec.CommandContext(ctx, l.mem, "mcp", "--root", root)
	process.Env = cleanEnv(os.Environ())
	return process
}

// startOwn measures a process that answers initialize, and ends when there is no more to answer.
func (l *lab) startOwn(ctx context.Context, root string) (row, error) {
	first, err := l.file("initialize.jsonl", func(out *bufio.Writer) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}`+"\n", hello)
	})
	if err != nil {
		return row{}, err
	}
	serve := command{argv: []string{l.mem, "mcp", "--root", root}, stdin: first}
	took, err := l.race(ctx, 5*l.sizes.reps, always(serve), always(cmd(l.mem, "version")))
	if err != nil {
		return row{}, err
	}
	return row{what: "start of `mem mcp`", mem: took[0], rival: "`mem version`", other: took[1]}, nil
}

// ownCalls measures the tools.
func (l *lab) ownCalls(ctx context.Context, s server, store *mem.Store, n int) (
	rows []row, err error) {
	c := mem.Caller{Channel: "bench"}
	for _, t := range []struct {
		tool, arguments, want, what string
		call                        func(i int) error
	}{
		{"mem_get", `{"key":"` + keyOf(0) + `"}`, `"content"`, "Store.Get", func(int) error {
			_, err := store.Get(ctx, c, keypath.MustParse(keyOf(0)), false)
			return err
		}},
		{"mem_search", `{"query":"` + rareWord + `"}`, `"count"`, "Store.Search",
			func(int) error {
				_, err := store.Search(ctx, c, mem.SearchOptions{Query: rareWord, Limit: 10})
				return err
			}},
		{"mem_note", `{"text":"The database is PostgreSQL"}`, `"ok":true`, "note.Add",
			func(int) error {
				_, err := note.Add(ctx, store, c, "The database is PostgreSQL", note.Options{})
				return err
			}},
	} {
		var tool, direct sample
		for i := range 5 * l.sizes.reps {
			begin := time.Now()
			if err := t.call(i); err != nil {
				return rows, err
			}
			direct = append(direct, timing{wall: time.Since(begin)})
			params := fmt.Sprintf(`{"name":%q,"arguments":%s}`, t.tool, t.arguments)
			took, err := s.ask("tools/call", params, t.want)
			if err != nil {
				return rows, err
			}
			tool = append(tool, took)
		}
		rows = append(rows, row{what: t.tool + ", " + records(n), mem: tool, rival: t.what,
			other: direct})
	}
	return rows, nil
}
