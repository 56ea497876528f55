package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// years are the packages that a life is about (internal/test/life).
var years = []pkg{
	own("internal/view/exchange", ""),
	own("internal/view/transfer", ""),
	own("internal/view/forget", ""),
	own("internal/view/edit", "^undo"),
	own("internal/store/fsck", "^(adopt|cut|future|log|loss|purged|repair|reverify)"),
	own("internal/store/filestore", "^(buried|erase|half|heal|merge|quarantine|readmit)"),
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

// live runs lives on a mutant, and the tests of its package where it survives them.
func (r *runner) live(m *mutant) verdict {
	_, err := r.exec("joined", lives, m.number, "-test.run=^TestLives$", "-rapid.nofailfile",
		"-rapid.shrinktime=1ms", fmt.Sprint("-rapid.seed=", m.number))
	if err != nil {
		return killed
	}
	if v := r.test(m); v != killed && v != hung {
		return v
	}
	return missed
}

// bear compiles the lives, and runs some without a mutant.
func (r *runner) bear() error {
	if err := os.Setenv("MEM_LIVES", fmt.Sprint(r.lives)); err != nil {
		return err
	}
	if out, err := r.compile("joined", lives); err != nil {
		return fmt.Errorf("%w:\n%s", err, out)
	}
	out, err := r.exec("joined", lives, 0, "-test.run=^TestLives$", "-rapid.nofailfile")
	if err != nil {
		return fmt.Errorf("a life fails without a mutant: %w:\n%s", err, out)
	}
	return nil
}
