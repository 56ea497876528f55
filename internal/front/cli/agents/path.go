package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/doctor"
)

// pathFault returns why a shell does not find this program as mem, and what to do; ""
// if it finds it. A client's hooks can name the program by its whole path, but what an agent is
// asked to type is mem.
func pathFault() (why, do string) {
	self, err := ownMem()
	if err != nil {
		return "", ""
	}
	found, err := exec.LookPath("mem")
	switch {
	case err != nil:
		why = "mem is not in the PATH, so no agent's shell finds it"
	case isSameFile(self, found) || setup.ByNode(self) && setup.ByNode(found):
		return "", ""
	default:
		why = "mem in the PATH is another program, " + found
	}
	return why, putFirst(self)
}

// ownMem returns the file of this program, behind links; of memd that of the mem beside it.
func ownMem() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	dir, name := filepath.Split(self)
	ending := filepath.Ext(name)
	beside := filepath.Join(dir, "mem"+ending)
	if _, err := os.Stat(beside); err != nil || strings.TrimSuffix(name, ending) != "memd" {
		return self, nil
	}
	return beside, nil
}

// putFirst returns the command that makes a shell find a program as mem.
func putFirst(self string) string {
	dir, name := filepath.Split(filepath.Clean(self))
	dir = filepath.Clean(dir)
	switch {
	case runtime.GOOS == "windows":
		return `setx PATH "` + dir + `;%PATH%"`
	case name != "mem":
		return "install " + advice.Quote(self) + " /usr/local/bin/mem"
	}
	return "export PATH=" + advice.Quote(dir) + `:"$PATH"`
}

func isSameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// pathWarning returns what setup says if no agent's shell finds mem, "" if it does.
func pathWarning() string {
	why, do := pathFault()
	if why == "" {
		return ""
	}
	return why + ": type " + do + ", and put it into your shell's profile"
}

func pathCheck() doctor.Check {
	why, do := pathFault()
	if why == "" {
		return doctor.Check{What: "path", Level: doctor.OK,
			Message: "this PATH finds this mem; a login shell, as Codex starts, may have another"}
	}
	return doctor.Check{What: "path", Message: why, Level: doctor.Warn, Fix: do}
}

// buildChecks returns the check of how this program is linked, where it costs time at each start.
func buildChecks() []doctor.Check {
	info, ok := debug.ReadBuildInfo()
	if !ok || runtime.GOOS != "linux" {
		return nil
	}
	if do := app.SlowBuild(info); do != "" {
		return []doctor.Check{{What: "program", Level: doctor.Warn, Fix: do,
			Message: "built with cgo, so it is not static, and each start takes longer"}}
	}
	return nil
}

// outdatedCopy returns the copy of npm's programs that an update has left behind, "" for none.
func outdatedCopy(ask setup.Request) string {
	self, err := ownMem()
	if err != nil {
		return ""
	}
	return ask.OutdatedCopy(self)
}
