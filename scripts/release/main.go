package main

import (
	"context"
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

	"github.com/set-memory/mem/scripts/harness"
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
	harness.Main("release", func(context.Context) { run(*version, *out, *only, *key) })
}

var (
	errVersion = errors.New("want a version like 0.2.0 or 0.2.0-rc.1: make release VERSION=0.2.0")
	errTarget  = errors.New("no such target")

	versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)
)

func run(version, out, only, key string) {
	if !versionForm.MatchString(version) {
		harness.Failf("version %q: %w", version, errVersion)
	}
	wanted := slices.DeleteFunc(slices.Clone(targets), func(t target) bool {
		return only != "" && only != t.os+"/"+t.arch
	})
	if len(wanted) == 0 {
		harness.Failf("-only %s: %w", only, errTarget)
	}
	r := newRelease(version, out)
	if key != "" {
		r.key = readKey(key)
	}
	var common []entry
	step("documents, completions and manual pages", func() { common = r.commonFiles() })
	for _, t := range wanted {
		r.writeTarget(t, common)
	}
	step("npm package", r.writeNode)
	step("plugin", r.writePlugin)
	step("formula", r.writeFormula)
	step("registry entry", r.writeServer)
	step("sbom.json", r.writeSBOM)
	step("install.sh", r.writeInstaller)
	step("checksums.txt", r.writeChecksums)
	step("signature", r.sign)
	if r.key == nil {
		fmt.Fprintln(os.Stderr, "release: unsigned: its install.sh needs --unsigned; "+
			"make release RELEASE_KEY=FILE signs")
	}
}

// step runs one step of a release, and names it first: a step may take minutes.
func step(name string, fn func()) {
	fmt.Fprintln(os.Stderr, "release: "+name)
	harness.Within(name, fn)
}

// writeTarget writes the files with the programs of a target.
func (r release) writeTarget(t target, common []entry) {
	var programs []entry
	name := t.os + "/" + t.arch
	step(name+": programs", func() { programs = r.programs(t) })
	step(name+": archive", func() { r.archive(t, programs, common) })
	if t.os == "linux" {
		step(name+": deb and rpm", func() { r.writePackages(t, slices.Concat(programs, common)) })
	}
	licences := slices.DeleteFunc(slices.Clone(common), func(f entry) bool {
		return f.name != "LICENSE" && f.name != "NOTICES"
	})
	step(name+": npm package", func() { r.writeNodeOf(t, programs, licences) })
	step(name+": bundle", func() { r.writeBundle(t, programs, licences) })
}

// newRelease empties the directory of the files, and asks git for the commit.
func newRelease(version, out string) (r release) {
	commit := output("git", "rev-parse", "--short=12", "HEAD")
	seconds := output("git", "log", "-1", "--format=%ct")
	at := harness.Must(strconv.ParseInt(seconds, 10, 64))
	if output("git", "status", "--porcelain") != "" {
		commit += "+modified"
	}
	// A crash before this leaves the former release, after it a directory without checksums.txt.
	harness.Check(os.RemoveAll(out), os.MkdirAll(out, 0o755))
	return release{version: version, commit: commit, time: time.Unix(at, 0).UTC(), out: out}
}

// output returns what a command prints, without the last newline.
func output(name string, args ...string) string {
	text, err := exec.Command(name, args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	harness.Check(err)
	return strings.TrimSuffix(string(text), "\n")
}

// build builds both programs for a target into a directory.
func (r release) build(t target, dir string) {
	flags := fmt.Sprintf("-s -w -buildid= -X main.version=%s -X main.commit=%s -X main.date=%s",
		r.version, r.commit, r.time.Format(time.RFC3339))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags,
		"-o", dir+string(filepath.Separator), "./cmd/mem", "./cmd/memd")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=",
		"GOAMD64=v1", "GOARM64=v8.0")
	cmd.Stderr = os.Stderr
	harness.Check(cmd.Run())
}

// commonFiles returns the files that all archives have: documents, completions and manual pages, of
// which the last two are printed by the program for this machine.
func (r release) commonFiles() (files []entry) {
	readme := absoluteLinks(harness.Must(os.ReadFile("README.md")), r.version)
	files = append(files, entry{"LICENSE", harness.Must(os.ReadFile("LICENSE")), 0o644},
		entry{"README.md", readme, 0o644}, notices())
	dir := harness.Must(os.MkdirTemp("", "mem-release-"))
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	r.build(target{runtime.GOOS, runtime.GOARCH}, dir)
	mem := filepath.Join(dir, "mem")
	for shell, name := range map[string]string{"bash": "mem.bash", "zsh": "_mem",
		"fish": "mem.fish", "powershell": "mem.ps1"} {
		text := []byte(output(mem, "completion", shell) + "\n")
		files = append(files, entry{"completions/" + name, text, 0o644})
	}
	return append(files, manual(mem, r.version, r.time)...)
}
