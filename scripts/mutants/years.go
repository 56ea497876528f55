package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// years are the packages that a life is about (internal/test/life).
var years = []pkg{
	own("internal/view/exchange", ""),
	own("internal/view/transfer", ""),
	own("internal/view/forget", ""),
	own("internal/view/edit", "^undo"),
	own("internal/store/fsck", "^(adopt|cut|future|log|loss|purged|repair|reverify)"),
	own("internal/store/filestore", `^(buried|erase|half|heal\.|merge|quarantine|readmit)`),
}

// lives is the package whose test TestLives draws them.
const lives = "cmd/memd"

// own returns a package that its own tests test.
func own(dir, files string) pkg {
	return pkg{dir, dir[strings.LastIndexByte(dir, '/')+1:], []string{dir}, files}
}

// has reports whether the files of a package that are changed have a name among them.
func (p *pkg) has(name string) bool {
	return p.files == "" || regexp.MustCompile(p.files).MatchString(name)
}

// isOfCondition reports whether a mutant changes a condition, and is joined with others.
func (m *mutant) isOfCondition() bool { return m.kind != swap && m.form == lazy }

// fewLives are held against a mutant before the tests of its package are.
const fewLives = 8

// live runs lives on a mutant, those in which it changes something: all others are what they are
// without it. Where it survives the first, the tests of its package decide whether there is
// something to be killed at all.
func (r *runner) live(m *mutant) verdict {
	seeds := r.differs[m.number]
	few := min(len(seeds), fewLives)
	if r.dies(m, seeds[:few]) {
		return killed
	}
	if v := r.test(m); v != killed && v != hung {
		return v
	}
	if r.dies(m, seeds[few:]) {
		return killed
	}
	return missed
}

// dies reports whether a life with one of some seeds kills a mutant.
func (r *runner) dies(m *mutant, seeds []int) bool {
	for _, seed := range seeds {
		if out, err := r.runLife(m.number, seed); err != nil {
			fmt.Fprintf(os.Stderr, "mutants: life %d kills %s: %s\n", seed, m, failure.Find(out))
			return true
		}
	}
	return false
}

// failure finds what a life that fails says, or how its process ends.
var failure = regexp.MustCompile(`(?m)^ *(\[rapid\] (failed|panic).*|panic: .*)$`)

// longLife is longer than a life lasts, also on a busy machine.
const longLife = 2 * time.Minute

// runLife runs the life of a seed with a mutant.
func (r *runner) runLife(number, seed int) ([]byte, error) {
	cmd := exec.Command(r.binary("joined", lives), "-test.run=^TestLives$", "-rapid.nofailfile",
		"-rapid.shrinktime=1ms", fmt.Sprint("-rapid.seed=", seed),
		fmt.Sprint("-test.timeout=", longLife))
	cmd.Dir, cmd.Env = lives, append(os.Environ(), "MEM_LIVES=1",
		fmt.Sprintf(active+"=%d", number), differing+"="+r.differFile())
	return cmd.CombinedOutput()
}

func (r *runner) differFile() string { return filepath.Join(r.dir, "differ") }

// bear runs the lives without a mutant, and notes which ones would have changed something.
func (r *runner) bear() error {
	if out, err := r.compile("joined", lives); err != nil {
		return fmt.Errorf("%w:\n%s", err, out)
	}
	r.differs = map[int][]int{}
	for seed := 1; seed <= r.lives; seed++ {
		if err := os.WriteFile(r.differFile(), nil, 0o600); err != nil {
			return err
		}
		if out, err := r.runLife(-1, seed); err != nil {
			return fmt.Errorf("life %d fails without a mutant: %w:\n%s", seed, err, out)
		}
		text, err := os.ReadFile(r.differFile())
		if err != nil {
			return err
		}
		for number := range strings.FieldsSeq(string(text)) {
			n, _ := strconv.Atoi(number)
			r.differs[n] = append(r.differs[n], seed)
		}
	}
	return nil
}
