package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/scripts/harness"
)

// bulkRows measures what brings many records into a store at once, in memory. The floor is a program
// in Go that checks and writes as much: scripts/bench/bulk.
func bulkRows(ctx context.Context, l *lab) {
	if l.shm == "" {
		l.add(row{what: "not measured: there is no memory file system at -shm"})
		return
	}
	b := bulkLab{lab: l, input: l.input(0, l.sizes.large), least: l.path("bulk")}
	output(ctx, "go", "build", "-trimpath", "-o", b.least, "./scripts/bench/bulk")
	b.prepare(ctx)
	b.row(ctx, "`mem set -`", func(home string) command {
		return l.memBatch(storeOf(home), b.input)
	})
	b.row(ctx, "`mem import`", func(home string) command {
		return cmd(l.mem, "import", b.input, "--root", storeOf(home))
	})
	b.row(ctx, "a first exchange", func(home string) command {
		return b.at(home, "sync", "join", b.depot, "--yes", "--key-file", keyOfDepots(home))
	})
	b.row(ctx, "`mem restore`", func(home string) command {
		return b.at(home, "restore", b.backup, "--yes")
	})
	b.row(ctx, "`mem copy`", func(home string) command {
		return cmd(l.mem, "copy", b.from, filepath.Join(home, "copy"))
	})
}

// bulkLab has what the commands of bulkRows read.
type bulkLab struct {
	*lab
	input, least        string
	from, depot, backup string // a store with the records, and the depots that have them
}

// prepare makes a home whose store has the records, and gives them to both depots.
func (b *bulkLab) prepare(ctx context.Context) {
	home := filepath.Join(b.shm, "first")
	b.from = storeOf(home)
	b.depot, b.backup = filepath.Join(b.shm, "depot"), filepath.Join(b.shm, "backup")
	quiet(b.from)
	b.run(ctx, cmd(b.mem, "import", b.input, "--prefix", "/user", "--root", b.from),
		b.at(home, "sync", "init", b.depot, "--yes"), b.at(home, "backup", b.backup, "--yes"))
}

func storeOf(home string) string { return filepath.Join(home, ".local/share/mem") }

// keyOfDepots is the file with the key that the machines of a person share.
func keyOfDepots(home string) string { return filepath.Join(home, ".local/state/mem/sync/key") }

// at returns a command of the user of a home, whatever the environment names.
func (b *bulkLab) at(home string, args ...string) command {
	env := []string{"/usr/bin/env", "-u", "XDG_DATA_HOME", "-u", "XDG_STATE_HOME",
		"-u", "XDG_CONFIG_HOME", "HOME=" + home, b.mem}
	return cmd(append(env, args...)...)
}

// row measures a command in new homes, that have the key, beside the floor.
func (b *bulkLab) row(ctx context.Context, what string, run func(home string) command) {
	home := filepath.Join(b.shm, "home")
	key := harness.Must(os.ReadFile(keyOfDepots(filepath.Join(b.shm, "first"))))
	anew := func() {
		harness.Check(os.RemoveAll(home))
		quiet(storeOf(home))
		harness.Check(os.MkdirAll(filepath.Dir(keyOfDepots(home)), 0o700),
			os.WriteFile(keyOfDepots(home), key, 0o600))
	}
	took := b.rounds(ctx, b.sizes.rounds,
		func(int) stage { return stage{run(home), anew} }, nil,
		func(int) stage {
			return stage{command{argv: []string{b.least, filepath.Join(home, "floor")},
				stdin: b.input}, anew}
		})
	harness.Check(os.RemoveAll(home))
	b.add(row{what: what + ", " + records(b.sizes.large), mem: took[0], floor: took[2],
		note: fmt.Sprintf("CPU %s, floor %s: %s ×; %s", harness.Duration(took[0].cpu()),
			harness.Duration(took[2].cpu()), harness.Number(ratio(took[0].cpu(), took[2].cpu())),
			peak(took[0]))})
}
