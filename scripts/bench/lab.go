package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
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
	rows       []row // of the section that runs
	spawner
}

// The C sources travel inside the binary, so it does not matter where the harness is started.
//
//go:embed floor/*.c
var cSources embed.FS

// open makes the directories and the programs in them, until close is called.
func (l *lab) open(ctx context.Context, opt options) {
	*l = lab{sizes: fullSizes, sqlite: lookPath("sqlite3"), jq: lookPath("jq"),
		server: lookPath("mcp-server-memory")}
	if opt.quick {
		l.sizes = quickSizes
	}
	l.disk = scratch(opt.dir)
	if l.mem = l.path("mem"); opt.old == "" { // a copy, as it is installed: see copies in compare.go
		output(ctx, "cp", opt.mem, l.mem)
	}
	if l.memd = l.path("memd"); opt.old != "" {
		l.memd = ""
	} else if _, err := try(ctx, "cp", filepath.Join(filepath.Dir(opt.mem), "memd"),
		l.memd); err != nil {
		l.memd = ""
	}
	if kind, _ := try(ctx, "stat", "-f", "-c", "%T", opt.shm); kind == "tmpfs" {
		l.shm = scratch(opt.shm)
	}
	l.plan = l.path("plan")
	for name, at := range map[string]*string{"spawn": &l.binary, "floor": &l.least} {
		*at = l.path(name)
		buildC(ctx, name, *at)
	}
}

// scratch makes a directory of its own under parent. The dot keeps `go build ./...` from walking
// into it.
//
// chattr asks ext4 to place each new directory far from the others. When it makes a file, ext4
// passes one by one over the inodes deleted nearby in the last minutes: right after another run had
// cleaned up, every file cost a millisecond more. Where the file system knows no such flag, nothing
// is lost.
func scratch(parent string) string {
	harness.Check(os.MkdirAll(parent, 0o755))
	_ = exec.Command("chattr", "+T", parent).Run()
	return harness.Must(filepath.Abs(harness.Must(os.MkdirTemp(parent, ".mem-bench-"))))
}

func (l *lab) close() {
	for _, dir := range []string{l.disk, l.shm} {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, "bench: left behind:", err)
		}
	}
}

func (l *lab) add(rows ...row) { l.rows = append(l.rows, rows...) }

func (l *lab) path(name string) string { return filepath.Join(l.disk, name) }

func lookPath(name string) string {
	path, _ := exec.LookPath(name)
	return path
}

func buildC(ctx context.Context, name, to string) {
	source := harness.Must(cSources.ReadFile("floor/" + name + ".c"))
	harness.Check(os.WriteFile(to+".c", source, 0o644))
	output(ctx, "cc", "-O2", "-static", "-Wall", "-o", to, to+".c")
}

// output runs a tool and returns what it printed, trimmed.
func output(ctx context.Context, tool string, args ...string) string {
	return harness.Must(try(ctx, tool, args...))
}

// try is output where a failure is an answer.
func try(ctx context.Context, tool string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, tool, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", tool, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// facts returns what the figures were measured on and with, one fact a line.
func (l *lab) facts(ctx context.Context) string {
	const script = `sqlite=$(sqlite3 --version | cut -d ' ' -f 1)
echo "- beside it: sqlite3 $sqlite, $(jq --version), $(cc --version | head -n 1)"`
	beside, _ := try(ctx, "sh", "-c", script)
	return harness.Facts(ctx, l.disk) + beside
}
