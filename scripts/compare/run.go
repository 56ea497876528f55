//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// commandLimit ends a command that hangs.
const commandLimit = 60 * time.Second

// A place is where a tool runs: an own HOME, and in it the folder of a project.
type place struct {
	home, project string

	limit time.Duration  // after which the command is killed, with SIGKILL
	hard  bool           // kill an MCP server as soon as it has answered
	took  *time.Duration // set to the time up to the exit, or to the answer of an MCP server
	open  *session       // an MCP server to use in place of a new one
}

// command prepares a process in a group of its own, so that its children can be killed with it.
func (p place) command(ctx context.Context, env string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = p.project
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, env}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}

// run returns the output of a command.
func (p place) run(input string, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.limit)
	defer cancel()
	cmd := p.command(ctx, "", argv...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	start := time.Now()
	err := cmd.Run()
	p.clock(start)
	if err != nil {
		err = fmt.Errorf("%w: %.300s", err, strings.TrimSpace(errs.String()))
	}
	return out.String(), err
}

func (p place) clock(start time.Time) {
	if p.took != nil {
		*p.took = time.Since(start)
	}
}

// A session is a running MCP server.
type session struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	cancel context.CancelFunc
	ids    int
}

const hello = `{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"compare","version":"1"}}`

// serve starts a server and returns when it has answered the first message.
func (p place) serve(env string, argv ...string) (*session, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &session{cmd: p.command(ctx, env, argv...), cancel: cancel}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := s.ask(p.limit, "initialize", hello); err != nil {
		s.end(true)
		return nil, err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

// end closes the server's input, and kills it if that does not end it. The answers are read up to
// the end before the wait, which closes the pipe.
func (s *session) end(hard bool) {
	defer s.cancel()
	if hard {
		s.cancel()
	}
	s.in.Close()
	defer time.AfterFunc(2*time.Second, s.cancel).Stop()
	io.Copy(io.Discard, s.out)
	s.cmd.Wait()
}

// A reply is the answer of a server to a request.
type reply struct {
	ID     int
	Error  *struct{ Message string }
	Result struct {
		IsError bool
		Content []struct{ Text string }
	}
}

// ask sends a request and returns the texts of its answer.
func (s *session) ask(limit time.Duration, method, params string) (string, error) {
	defer time.AfterFunc(limit, s.cancel).Stop()
	s.ids++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n",
		s.ids, method, params); err != nil {
		return "", err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return "", fmt.Errorf("%s: %w", method, err)
		}
		var r reply
		if json.Unmarshal(line, &r) != nil || r.ID != s.ids {
			continue // a notification, or what the server prints besides
		}
		if r.Error != nil {
			return "", errors.New(r.Error.Message)
		}
		var text strings.Builder
		for _, c := range r.Result.Content {
			text.WriteString(c.Text + "\n")
		}
		if r.Result.IsError {
			return "", errors.New(text.String())
		}
		return text.String(), nil
	}
}
