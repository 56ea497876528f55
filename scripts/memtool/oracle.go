package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/set-memory/mem/scripts/harness"
)

// answer is one of the oracle's.
type answer struct {
	Text  *string           `json:"text"`
	Error string            `json:"error"`
	Files map[string]string `json:"files"`
}

// oracle is the process that runs the SDK's tool.
type oracle struct {
	in  io.Writer
	out *bufio.Scanner
}

func (o oracle) ask(c command) (a answer) {
	line := harness.Must(json.Marshal(c))
	harness.Must(o.in.Write(append(line, '\n')))
	if !o.out.Scan() {
		harness.Failf("the oracle has ended (%v)", o.out.Err())
	}
	harness.Check(json.Unmarshal(o.out.Bytes(), &a))
	return a
}

// start runs the oracle on files below a directory, until stop is called.
func start(cache, dir string) (o oracle, stop func()) {
	cmd := exec.Command("node", filepath.Join("scripts", "memtool", "oracle.cjs"), cache, dir)
	cmd.Stderr = os.Stderr
	in := harness.Must(cmd.StdinPipe())
	out := harness.Must(cmd.StdoutPipe())
	harness.Check(cmd.Start())
	o = oracle{in, bufio.NewScanner(out)}
	o.out.Buffer(nil, 1<<24)
	return o, func() { in.Close(); cmd.Wait() }
}
