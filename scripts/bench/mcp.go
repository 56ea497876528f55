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

	"github.com/set-memory/mem/scripts/harness"
)

// A server is the two ends of a running MCP memory server. Messages are JSON, one a line.
type server struct {
	in  io.Writer
	out *bufio.Reader
}

// serve starts the server over a graph of the first n records, one entity each. It ends with ctx.
func (l *lab) serve(ctx context.Context, n int) (s server) {
	graph := l.file(fmt.Sprintf("graph-%d.jsonl", n), func(out *bufio.Writer) {
		for i := range n {
			fmt.Fprintln(out, recordAt(i).entity())
		}
	})
	process := exec.CommandContext(ctx, l.server)
	process.Env = append(os.Environ(), "MEMORY_FILE_PATH="+graph)
	return connect(process)
}

// hello are the parameters of the first message.
const hello = `{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"bench","version":"1"}}`

// connect starts a server, and returns when it has answered the first message.
func connect(process *exec.Cmd) (s server) {
	s.in = harness.Must(process.StdinPipe())
	out := harness.Must(process.StdoutPipe())
	s.out = bufio.NewReader(out)
	harness.Check(process.Start())
	go process.Wait() // the pipes end with it
	s.ask("initialize", hello, `"result"`)
	harness.Must(io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"))
	return s
}

// entity is the record as the server keeps it, and takes it.
func (r record) entity() string {
	return fmt.Sprintf(`{"type":"entity","name":%q,"entityType":"memory","observations":[%q]}`,
		r.key, r.text)
}

// ask returns how long an answer took. One that does not say want is an error.
func (s server) ask(method, params, want string) (took timing) {
	start := time.Now()
	fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params)
	answer, err := s.out.ReadBytes('\n')
	took.wall = time.Since(start)
	if err == nil && !bytes.Contains(answer, []byte(want)) {
		err = fmt.Errorf("%s %s: %.200s", method, params, answer)
	}
	harness.Check(err)
	return took
}

// calls returns the times of n calls of a tool.
func (s server) calls(n int, tool string, c call) (times sample) {
	times = make(sample, n)
	for i := range times {
		_, args, want := c(i)
		params := fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args)
		times[i] = s.ask("tools/call", params, want)
	}
	return times
}

// A call is a run of mem, and the arguments of a tool that does the same, with what it answers.
type call func(i int) (mem command, arguments, want string)

func mcpRows(ctx context.Context, l *lab) {
	if l.ownRows(ctx); l.server == "" {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	n := l.sizes.medium
	root := l.store(ctx, n)
	s := l.serve(ctx, n)
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
		mem := l.race(ctx, l.sizes.reps, func(i int) command { run, _, _ := c.call(i); return run })
		other := s.calls(l.sizes.reps, c.tool, c.call)
		l.add(row{what: "`mem " + c.verb + "`, " + records(n), mem: mem[0],
			rival: c.tool, other: other})
	}
}
