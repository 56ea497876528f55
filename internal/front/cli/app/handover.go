package app

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
)

// mem links no server and no database: memd, the file beside mem's own, has them and the same
// verbs. mem hands a command line over to it as a whole, with the build of mem in the environment;
// memd refuses another build than its own.

// handedOver names in the environment the build of the mem that has handed over. memd takes it out.
const handedOver = "MEM_HANDED_OVER"

// HasDaemon reports whether this program is memd, which has nothing to hand over.
func (a *App) HasDaemon() bool { return a.Build.Verbs != nil }

// HandOver runs the command line in memd for a verb that needs it. Where a process can become
// another program, it returns only if that fails; else an *ended. read is what of standard input
// was read already. The error is of kind mem.KindInput where memd is not there.
func (a *App) HandOver(verb string, read []byte) error {
	a.JSON = a.JSON || slices.Contains(a.Args, "--json") // nobody has parsed the flags of memd
	if a.HasDaemon() {                                   // else it would become itself for ever
		return BadInput(verb, "this memd was built without it",
			"make build in mem's sources writes one with all verbs to bin/")
	}
	path, err := daemonBeside(a.Build, verb)
	if err != nil {
		return err
	}
	a.Close()
	env := slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, handedOver+"=") // of two the first would count
	})
	env = append(env, handedOver+"="+buildName(WithBuildInfo(a.Build)))
	if Replaces && len(read) == 0 {
		err = become(path, append([]string{path}, a.Args...), env)
	} else {
		err = runInstead(path, a.Args, env, read)
	}
	if IsEnded(err) {
		return err
	}
	return BadInput(verb, path+" cannot be run: "+err.Error(), whereDaemon(a.Build, path))
}

// ended is the exit code of the program that has done the work of this one, and said what there was
// to say.
type ended struct{ code int }

func (e *ended) Error() string { return "it ended" }

// Ended returns the error of a verb that ran elsewhere, and said there what there was to say; also
// for the code 0.
func Ended(code int) error { return &ended{code} }

// IsEnded reports whether an error is that of Ended.
func IsEnded(err error) bool { return errors.As(err, new(*ended)) }

// runInstead runs a program to its end with the streams of this one. Signals that are for this
// process alone are passed on; those of a terminal the program gets itself.
func runInstead(path string, args, env []string, read []byte) error {
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	if len(read) > 0 {
		cmd.Stdin = io.MultiReader(bytes.NewReader(read), os.Stdin)
	}
	got := make(chan os.Signal, 4)
	signal.Notify(got, append(passedOn, os.Interrupt)...)
	defer signal.Stop(got)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		for sig := range got {
			if sig != os.Interrupt {
				_ = cmd.Process.Signal(sig) // it may have ended
			}
		}
	}()
	err := cmd.Wait()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return err
	}
	return &ended{codeOf(cmd.ProcessState)}
}

// daemonBeside returns the path of memd: the file beside that of this program, links resolved. One
// from the PATH may be anybody's.
func daemonBeside(b Build, verb string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", BadInput(verb, "it needs memd, and the path of this program is unknown",
			"memd "+verb+" does the same")
	}
	path := filepath.Join(filepath.Dir(self), "memd")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", BadInput(verb, "it needs memd, which is not beside this program",
			whereDaemon(b, path))
	case err == nil && !fi.Mode().IsRegular():
		err = errors.New("it is no file")
	case err == nil:
		return path, nil
	}
	return "", BadInput(verb, "it needs memd: "+err.Error(), whereDaemon(b, path))
}

// whereDaemon says how memd gets beside this program.
func whereDaemon(b Build, path string) string {
	dir := advice.Quote(filepath.Dir(path))
	if info, ok := debug.ReadBuildInfo(); ok && isInstalled(b, info) {
		return "CGO_ENABLED=0 GOBIN=" + dir + " go install " + info.Main.Path + "/cmd/memd@" +
			info.Main.Version
	}
	return "make build in mem's sources writes both to bin/; memd belongs in " + dir
}

// TakenOver returns the build of the mem whose place this memd takes, and lets messages begin with
// its name; "" where nobody has handed over.
func (a *App) TakenOver() string {
	if !a.HasDaemon() {
		return ""
	}
	by := a.Getenv(handedOver)
	if by != "" {
		a.Build.Program = "mem"
		_ = os.Unsetenv(handedOver) // a child of this process may be any program
	}
	return by
}

// SameBuild returns an error of kind mem.KindInput where a mem of another build has handed over.
func (a *App) SameBuild(verb, by string) error {
	own := buildName(WithBuildInfo(a.Build))
	if by == own {
		return nil
	}
	path, err := os.Executable()
	if err != nil {
		path = "memd"
	}
	a.JSON = a.JSON || slices.Contains(a.Args, "--json")
	return BadInput(verb,
		path+" is of another build: "+own+", and mem is "+by, whereDaemon(a.Build, path))
}
