package main

import (
	"crypto/ecdsa"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a machine that archives are built for.
type target struct{ os, arch string }

// ending returns that of the name of a program.
func (t target) ending() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// release is one run: the version, and the commit that it is built from.
type release struct {
	version, commit string
	time            time.Time // of the commit
	out             string
	key             *ecdsa.PrivateKey // nil: the release is not signed
}

func main() {
	version := flag.String("version", "", "the version, as 0.2.0")
	out := flag.String("out", "dist", "the directory of the files; it is made anew")
	only := flag.String("only", "", "one target, as linux/amd64; empty: all")
	key := flag.String("key", "", "the file of the private key; empty: the release is not signed")
	flag.Parse()
	if err := run(*version, *out, *only, *key); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var (
	errVersion = errors.New("want a version like 0.2.0 or 0.2.0-rc.1: make release VERSION=0.2.0")
	errTarget  = errors.New("no such target")

	versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)
)

func run(version, out, only, key string) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("version %q: %w", version, errVersion)
	}
	wanted := slices.DeleteFunc(slices.Clone(targets), func(t target) bool {
		return only != "" && only != t.os+"/"+t.arch
	})
	if len(wanted) == 0 {
		return fmt.Errorf("-only %s: %w", only, errTarget)
	}
	r, err := newRelease(version, out)
	if err != nil {
		return err
	}
	if key != "" {
		if r.key, err = readKey(key); err != nil {
			return err
		}
	}
	common, err := r.commonFiles()
	if err != nil {
		return err
	}
	for _, t := range wanted {
		if err := r.writeTarget(t, common); err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
	}
	for _, step := range []func() error{r.writeNode, r.writePlugin, r.writeFormula,
		r.writeServer, r.writeSBOM, r.writeInstaller, r.writeChecksums, r.sign} {
		if err := step(); err != nil {
			return err
		}
	}
	if r.key == nil {
		fmt.Fprintln(os.Stderr, "release: unsigned: its install.sh needs --unsigned; "+
			"make release RELEASE_KEY=FILE signs")
	}
	return nil
}

// writeTarget writes the files with the programs of a target.
func (r release) writeTarget(t target, common []entry) error {
	programs, err := r.programs(t)
	if err != nil {
		return err
	}
	if err := r.archive(t, programs, common); err != nil {
		return err
	}
	if t.os == "linux" {
		if err := r.writePackages(t, slices.Concat(programs, common)); err != nil {
			return err
		}
	}
	licences := slices.DeleteFunc(slices.Clone(common), func(f entry) bool {
		return f.name != "LICENSE" && f.name != "NOTICES"
	})
	if err := r.writeNodeOf(t, programs, licences); err != nil {
		return err
	}
	return r.writeBundle(t, programs, licences)
}

// newRelease empties the directory of the files, and asks git for the commit.
func newRelease(version, out string) (r release, err error) {
	commit, err := output("git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return r, err
	}
	seconds, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return r, err
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return r, err
	}
	if changed, err := output("git", "status", "--porcelain"); err != nil || changed != "" {
		commit += "+modified"
	}
	// A crash before this leaves the former release, after it a directory without checksums.txt.
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return r, err
	}
	return release{version: version, commit: commit, time: time.Unix(at, 0).UTC(), out: out}, nil
}

// output returns what a command prints, without the last newline.
func output(name string, args ...string) (string, error) {
	text, err := exec.Command(name, args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return strings.TrimSuffix(string(text), "\n"), err
}

// build builds both programs for a target into a directory.
func (r release) build(t target, dir string) error {
	flags := fmt.Sprintf("-s -w -buildid= -X main.version=%s -X main.commit=%s -X main.date=%s",
		r.version, r.commit, r.time.Format(time.RFC3339))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags,
		"-o", dir+string(filepath.Separator), "./cmd/mem", "./cmd/memd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=",
		"GOAMD64=v1", "GOARM64=v8.0")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// commonFiles returns the files that all archives have: documents, completions and manual pages, of
// which the last two are printed by the program for this machine.
func (r release) commonFiles() (files []entry, err error) {
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{name, text, 0o644})
	}
	others, err := notices()
	if err != nil {
		return nil, err
	}
	files = append(files, others)
	dir, err := os.MkdirTemp("", "mem-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	if err := r.build(target{runtime.GOOS, runtime.GOARCH}, dir); err != nil {
		return nil, err
	}
	mem := filepath.Join(dir, "mem")
	for shell, name := range map[string]string{"bash": "mem.bash", "zsh": "_mem",
		"fish": "mem.fish", "powershell": "mem.ps1"} {
		text, err := output(mem, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{"completions/" + name, []byte(text + "\n"), 0o644})
	}
	pages, err := manual(mem, r.version, r.time)
	return append(files, pages...), err
}
