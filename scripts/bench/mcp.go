package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A server is the two ends of a running MCP memory server. Messages are JSON, one a line.
type server struct {
	in  io.Writer
	out *bufio.Reader
}

// serve starts the server over a graph of the first n records, one entity each. It ends with ctx.
func (l *lab) serve(ctx context.Context, n int) (s server, err error) {
	graph, err := l.file(fmt.Sprintf("graph-%d.jsonl", n), func(out *bufio.Writer) {
		for i := range n {
			fmt.Fprintln(out, recordAt(i).entity())
		}
	})
	if err != nil {
		return s, err
	}
	process := exec.CommandContext(ctx, l.server)
	process.Env = append(os.Environ(), "MEMORY_FILE_PATH="+graph)
	return connect(process)
}

// hello are the parameters of the first message.
const hello = `{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"bench","version":"1"}}`

// connect starts a server, and returns when it has answered the first message.
func connect(process *exec.Cmd) (s server, err error) {
	if s.in, err = process.StdinPipe(); err != nil {
		return s, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return s, err
	}
	s.out = bufio.NewReader(out)
	if err := process.Start(); err != nil {
		return s, err
	}
	go process.Wait() // the pipes end with it
	if _, err := s.ask("initialize", hello, `"result"`); err != nil {
		return s, err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

// entity is the record as the server keeps it, and takes it.
func (r record) entity() string {
	return fmt.Sprintf(`{"type":"entity","name":%q,"entityType":"memory","observations":[%q]}`,
		r.key, r.text)
}

// ask returns how long an answer took. One that does not say want is an error.
func (s server) ask(method, params, want string) (took timing, err error) {
	start := time.Now()
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params)
	answer, err := s.out.ReadBytes('\n')
	took.wall = time.Since(start)
	if err == nil && !bytes.Contains(answer, []byte(want)) {
		err = fmt.Errorf("%s %s: %.200s", method, params, answer)
	}
	return took, err
}

// calls returns the times of n calls of a tool.
func (s server) calls(n int, tool string, c call) (times sample, err error) {
	times = make(sample, n)
	for i := range times {
		_, args, want := c(i)
		params := fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args)
		if times[i], err = s.ask("tools/call", params, want); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// A call is a run of mem, and the arguments of a tool that does the same, with what it answers.
type call func(i int) (mem command, arguments, want string)

func mcpRows(ctx context.Context, l *lab) (rows []row, err error) {
	if rows, err = l.ownRows(ctx); err != nil || l.server == "" {
		return rows, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	n := l.sizes.medium
	root, err := l.store(ctx, n)
	if err != nil {
		return nil, err
	}
	s, err := l.serve(ctx, n)
	if err != nil {
		return nil, err
	}
	get := func(i int) (command, string, string) {
		key := keyOf(scattered(i, n))
		return l.memGet(root, key), `{"names":["` + key + `"]}`, key
	}
	search := func(int) (command, string, string) {
		return l.memSearch(root, rareWord), `{"query":"` + rareWord + `"}`, rareWord
	}
	set := func(i int) (command, string, string) {
		r := recordAt(i)
		r.key = "/bench/mcp/" + newName(i)
		return l.memSet(root, r.key, r), `{"entities":[` + r.entity() + "]}", r.key
	}
	for _, c := range []struct {
		verb, tool string
		call
	}{{"get", "open_nodes", get}, {"search", "search_nodes", search},
		{"set", "create_entities", set}} {
		mem, err := l.race(ctx, l.sizes.reps, func(i int) command { run, _, _ := c.call(i); return run })
		if err != nil {
			return rows, err
		}
		other, err := s.calls(l.sizes.reps, c.tool, c.call)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{what: "`mem " + c.verb + "`, " + records(n), mem: mem[0],
			rival: c.tool, other: other})
	}
	return rows, nil
}
