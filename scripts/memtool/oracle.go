package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

func (o oracle) ask(c command) (a answer, err error) {
	line, err := json.Marshal(c)
	if err != nil {
		return a, err
	}
	if _, err := o.in.Write(append(line, '\n')); err != nil {
		return a, err
	}
	if !o.out.Scan() {
		return a, errors.Join(errors.New("the oracle has ended"), o.out.Err())
	}
	return a, json.Unmarshal(o.out.Bytes(), &a)
}

// start runs the oracle on files below a directory, until stop is called.
func start(cache, dir string) (o oracle, stop func(), err error) {
	cmd := exec.Command("node", filepath.Join("scripts", "memtool", "oracle.cjs"), cache, dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return o, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return o, nil, err
	}
	if err := cmd.Start(); err != nil {
		return o, nil, err
	}
	o = oracle{in, bufio.NewScanner(out)}
	o.out.Buffer(nil, 1<<24)
	return o, func() { in.Close(); cmd.Wait() }, nil
}
