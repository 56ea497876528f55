package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange"
)

// checkText is sealed in the description of a depot: a key that opens it is the right one.
const checkText = "mem-sync"

// noDepot is the fault of a place that is no depot.
const noDepot = "no depot is there"

// opened is a depot that is open.
type opened struct {
	place
	close func() error
}

// place is a depot in which leftovers can be looked for.
type place interface {
	exchange.Place
	Remains(begin []byte) ([]depot.Remain, error)
}

// openDest opens the depot at a destination, or with info makes one there.
func openDest(ctx context.Context, d exchange.Dest, info *depot.Info) (o *opened, err error) {
	if d.Path == "" {
		o, err = overSSH(ctx, d, info)
	} else {
		var f *depot.Folder
		if info != nil {
			f, err = depot.MakeFolder(d.Path, *info)
		} else {
			f, err = depot.OpenFolder(d.Path)
		}
		if err == nil {
			o = &opened{f, f.Close}
		}
	}
	return o, explain(d, err)
}

// explain says what to do about a destination that cannot be opened.
func explain(d exchange.Dest, err error) error {
	arg := d.Text
	switch {
	case errors.Is(err, depot.ErrNone):
		return &exchange.DestError{Dest: d.Text, Why: noDepot,
			Do: advice.Say("wait until it is copied or mounted; for a new one, ").
				Run("sync", "init", arg)}
	case errors.Is(err, depot.ErrPartial):
		return &exchange.DestError{Dest: d.Text, Why: "segments of a depot are there, but it is " +
			"not copied completely", Do: advice.Say("wait until "+depot.InfoFile+
			" is there, then ").
			Run("sync", "join", arg)}
	case errors.Is(err, depot.ErrOther):
		return &exchange.DestError{Dest: d.Text, Why: err.Error(),
			Do: advice.Say("choose a folder of its own, as " + advice.Quote(
				filepath.Join(d.Text, "mem")))}
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, fs.ErrExist) && d.Path != "":
		return &exchange.DestError{Dest: d.Text, Why: mem.Message(err),
			Do: advice.Say("choose a folder that you may write to")}
	case errors.Is(err, depot.ErrMade):
		return &exchange.DestError{Dest: d.Text, Why: "a depot is there already",
			Do: advice.Run("sync", "join", arg).Then(" takes part in it")}
	case errors.Is(err, depot.ErrNewer):
		return &exchange.DestError{Dest: d.Text, Why: "a newer mem made the depot",
			Do: advice.Say("install the newer mem")}
	case errors.Is(err, fs.ErrNotExist) && d.Path != "":
		return &exchange.DestError{Dest: d.Text, Why: "the folder above it is not there",
			Do: advice.Say("mount it, or make " + advice.Quote(filepath.Dir(d.Path)))}
	case errors.Is(err, depot.ErrNoServer):
		to := "ssh " + advice.Quote(d.Host)
		if d.Port != "" {
			to = "ssh -p " + d.Port + " " + advice.Quote(d.Host)
		}
		return app.Verdict(mem.KindIO, err.Error(), advice.Say("look whether "+to+
			" logs in without a question, and memd is in the PATH there"))
	}
	return err
}

// answerWait is how long the other machine has to send or take the next bytes, endWait to end.
// Tests wait less.
var (
	answerWait = time.Minute
	endWait    = 5 * time.Second
)

// farEnd is one end of a pipe: where it waits too long it ends the program at the other.
type farEnd struct {
	io.Reader
	io.WriteCloser
	end func()
}

func (a farEnd) Read(p []byte) (int, error) {
	defer time.AfterFunc(answerWait, a.end).Stop()
	return a.Reader.Read(p)
}

func (a farEnd) Write(p []byte) (int, error) {
	defer time.AfterFunc(answerWait, a.end).Stop()
	return a.WriteCloser.Write(p)
}

// overSSH starts memd on another machine. Words of the command line have no character that a shell
// there reads as anything but itself ([exchange.ParseDest]).
func overSSH(ctx context.Context, d exchange.Dest, info *depot.Info) (*opened, error) {
	args := []string{"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20",
		"-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"}
	if d.Port != "" {
		args = append(args, "-p", d.Port)
	}
	args = append(args, "--", d.Host,
		`PATH="$HOME/.local/bin:$HOME/go/bin:$PATH" exec memd depot `+d.Name)
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "ssh", args...)
	cmd.WaitDelay = 2 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &limited{&said}
	out, err := cmd.StdinPipe()
	var in io.ReadCloser
	if err == nil {
		in, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("%w: %w", depot.ErrNoServer, err)
	}
	end := func() error {
		defer cancel()
		defer time.AfterFunc(endWait, cancel).Stop()
		out.Close()
		_ = cmd.Wait() // all that was asked for was answered; one that does not end is ended
		return nil
	}
	far := farEnd{in, out, cancel}
	var p *depot.Pipe
	if info != nil {
		p, err = depot.MakePipe(far, far, *info)
	} else {
		p, err = depot.OpenPipe(far, far)
	}
	if err == nil {
		return &opened{p, end}, nil
	}
	end()
	if text := lastLine(said.String()); text != "" && errors.Is(err, depot.ErrNoServer) {
		err = fmt.Errorf("%s: %w: %s", d.Host, depot.ErrNoServer, text)
	}
	return nil, err
}

// lastLine returns the last line that ssh has printed, as one that is safe to show.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return app.OneLine(lines[len(lines)-1])
}

// limited keeps the first 64 KiB.
type limited struct{ to *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := 64<<10 - l.to.Len(); room > 0 {
		l.to.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// newInfo describes a depot for a key.
func newInfo(key parcel.Key) (depot.Info, error) {
	return depot.NewInfo(func(id string) ([]byte, error) { return key.Seal(id, []byte(checkText)) })
}

// keyFor returns the key of a depot. The error says that none of them is.
func keyFor(keys []parcel.Key, d exchange.Dest, info depot.Info) (key parcel.Key, err error) {
	for _, key := range keys {
		if text, err := key.Open(info.ID, info.Check); err == nil && string(text) == checkText {
			return key, nil
		}
	}
	return key, &exchange.DestError{Dest: d.Text, Why: "it was sealed with another key",
		Do: advice.Run("sync", "join", d.Text).Then(" asks for the key that mem sync init printed")}
}

// join returns the words after sync by which a machine takes part in a depot, and exchanges no more
// there than is said.
func join(d exchange.Dest, plain, project bool) []string {
	list := []string{"join"}
	if plain {
		list = append(list, "--plain")
	}
	if project {
		list = append(list, "--project")
	}
	return append(list, d.Text)
}

// checkPlain refuses a depot that is plain where a sealed one was chosen, and the other way round:
// its owner may have changed it.
func checkPlain(d exchange.Dest, info depot.Info, wanted, project bool) error {
	switch {
	case info.Plain == wanted:
		return nil
	case wanted:
		return &exchange.DestError{Dest: d.Text, Why: "the depot is sealed",
			Do: advice.Run("sync", join(d, false, project)...).Then(" asks for its key")}
	}
	return &exchange.DestError{Dest: d.Text, Why: "the depot is not sealed: everybody with " +
		"access to it reads your memory, and may write there",
		Do: advice.Run("sync", join(d, true, project)...).Then(" takes part all the same")}
}
