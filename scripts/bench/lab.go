package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sizes are the numbers of records in the stores and of repetitions in a series.
type sizes struct {
	small, medium, large int
	huge                 int // in memory only: a disk would be busy with the files for minutes
	reps                 int // of a run that takes milliseconds
	rounds               int // of a run that takes seconds
}

var (
	fullSizes = sizes{
		small: 1_000, medium: 10_000, large: 100_000, huge: 1_000_000, reps: 200, rounds: 5,
	}
	quickSizes = sizes{small: 100, medium: 1_000, large: 10_000, huge: 20_000, reps: 20, rounds: 2}
)

// A lab holds what every measurement needs: the subject, the floors, and room on a disk and in
// memory.
type lab struct {
	mem        string
	memd       string // the daemon beside it; empty where there is none
	disk       string
	shm        string // empty where there is no memory file system
	least      string // the floor of a write and of an answer
	sqlite, jq string // empty where they are not installed
	server     string // the MCP memory server, likewise
	sizes      sizes
	spawner
}

// The C sources travel inside the binary, so it does not matter where the harness is started.
//
//go:embed floor/*.c
var cSources embed.FS

func newLab(ctx context.Context, opt options) (_ *lab, err error) {
	l := &lab{sizes: fullSizes, sqlite: lookPath("sqlite3"), jq: lookPath("jq"),
		server: lookPath("mcp-server-memory")}
	if opt.quick {
		l.sizes = quickSizes
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.disk, err = scratch(opt.dir); err != nil {
		return nil, err
	}
	if l.mem = l.path("mem"); opt.old == "" { // a copy, as it is installed: see copies in compare.go
		if _, err := output(ctx, "cp", opt.mem, l.mem); err != nil {
			return nil, err
		}
	}
	if l.memd = l.path("memd"); opt.old != "" {
		l.memd = ""
	} else if _, err := output(ctx, "cp", filepath.Join(filepath.Dir(opt.mem), "memd"),
		l.memd); err != nil {
		l.memd = ""
	}
	if kind, _ := output(ctx, "stat", "-f", "-c", "%T", opt.shm); kind == "tmpfs" {
		if l.shm, err = scratch(opt.shm); err != nil {
			return nil, err
		}
	}
	l.plan = l.path("plan")
	for name, at := range map[string]*string{"spawn": &l.binary, "floor": &l.least} {
		*at = l.path(name)
		if err := buildC(ctx, name, *at); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// scratch makes a directory of its own under parent. The dot keeps `go build ./...` from walking
// into it.
//
// chattr asks ext4 to place each new directory far from the others. When it makes a file, ext4
// passes one by one over the inodes deleted nearby in the last minutes: right after another run had
// cleaned up, every file cost a millisecond more. Where the file system knows no such flag, nothing
// is lost.
func scratch(parent string) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	_ = exec.Command("chattr", "+T", parent).Run()
	dir, err := os.MkdirTemp(parent, ".mem-bench-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

func (l *lab) close() {
	for _, dir := range []string{l.disk, l.shm} {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, "bench: left behind:", err)
		}
	}
}

func (l *lab) path(name string) string { return filepath.Join(l.disk, name) }

func lookPath(name string) string {
	path, _ := exec.LookPath(name)
	return path
}

func buildC(ctx context.Context, name, to string) error {
	source, err := cSources.ReadFile("floor/" + name + ".c")
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".c", source, 0o644); err != nil {
		return err
	}
	_, err = output(ctx, "cc", "-O2", "-static", "-Wall", "-o", to, to+".c")
	return err
}

// output runs a tool and returns what it printed, trimmed.
func output(ctx context.Context, tool string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, tool, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", tool, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// facts says what the figures were measured on and with, one fact a line.
func (l *lab) facts(ctx context.Context) string {
	const script = `cpu=$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)
echo "machine: $(nproc) × $cpu"
echo "kernel: $(uname -r)"
echo "disk: $(findmnt -n -o FSTYPE,OPTIONS -T "$1" | tr -s " ")"
echo "mem: revision $(git describe --always --dirty), $(go version | cut -d ' ' -f 3)"
sqlite=$(sqlite3 --version | cut -d ' ' -f 1)
echo "beside it: sqlite3 $sqlite, $(jq --version), $(cc --version | head -n 1)"`
	text, err := output(ctx, "sh", "-c", script, "sh", l.disk)
	if err != nil {
		return "not known: " + err.Error()
	}
	return text
}
