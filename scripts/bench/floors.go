package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The C sources travel inside the binary, so it does not matter where the harness is started.
//
//go:embed floor/*.c
var cSources embed.FS

const goPackages = "github.com/set-memory/mem/scripts/bench/"

// floors are the programs that mem is measured over, by full path. Those that the system may lack are empty if it does.
type floors struct {
	spawn, cset, ctail, noop string // floor/*.c
	hello, files             string // hello/, files/
	sh, jq, sqlite3          string
}

func buildFloors(ctx context.Context, dir string) (floors, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return floors{}, err
	}
	f := floors{sh: lookPath("sh"), jq: lookPath("jq"), sqlite3: lookPath("sqlite3")}
	for name, at := range map[string]*string{"spawn": &f.spawn, "cset": &f.cset, "ctail": &f.ctail, "noop": &f.noop} {
		*at = filepath.Join(dir, name)
		if err := buildC(ctx, name, *at); err != nil {
			return floors{}, err
		}
	}
	for name, at := range map[string]*string{"hello": &f.hello, "files": &f.files} {
		*at = filepath.Join(dir, name)
		if err := buildGo(ctx, goPackages+name, *at); err != nil {
			return floors{}, err
		}
	}
	return f, nil
}

func lookPath(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
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
	return build(exec.CommandContext(ctx, "cc", "-O2", "-static", "-Wall", "-o", to, to+".c"))
}

// buildGo builds the way mem itself is built: static, and without the paths of this machine.
func buildGo(ctx context.Context, pkg, to string) error {
	tool := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", to, pkg)
	tool.Env = append(os.Environ(), "CGO_ENABLED=0")
	return build(tool)
}

func build(tool *exec.Cmd) error {
	if out, err := tool.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", tool, err, out)
	}
	return nil
}

func (f floors) setC(dir, name string) command {
	return cmd(f.cset, filepath.Join(dir, "lock"), filepath.Join(dir, "log"), filepath.Join(dir, name))
}

// shell runs a script with positional arguments. The script must be one line without tabs, as every argument of a plan.
func (f floors) shell(script string, args ...string) command {
	return cmd(append([]string{f.sh, "-c", script, "sh"}, args...)...)
}

// sqliteInsert makes the table when it is not there and inserts one row. The shell closes the only connection, so the write-ahead
// log is folded back each time: that is what one row from a shell costs.
func (f floors) sqliteInsert(db string, r record) command {
	return cmd(f.sqlite3, "-cmd", ".timeout 60000", db, fmt.Sprintf("PRAGMA synchronous=FULL; INSERT INTO memory VALUES('%s','%s','%s');",
		r.Key, encode(r.Content), encode(r.Source)))
}

func (f floors) sqliteCreate(db string) command {
	return cmd(f.sqlite3, db, "PRAGMA journal_mode=WAL; CREATE TABLE memory(key TEXT, content TEXT, source TEXT);")
}
