package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

//go:embed first.sh
var script string

// The longest line of the setup breaks between two words at this width.
const columns = 98

// tools are what the script calls besides mem. Nothing else is on its PATH, so that no client that
// a machine happens to have changes what mem says.
var tools = []string{"sh", "git", "grep", "jq", "ls"}

func main() {
	mem := flag.String("mem", "bin/mem", "the `file` of the program that is filmed")
	out := flag.String("out", "docs/first.svg", "the `file` to draw into")
	flag.Parse()
	svg, err := film(*mem)
	if err == nil {
		err = os.WriteFile(*out, svg, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// A note's letters are drawn, and what follows from them differs: each film shows the same.
var (
	letters = regexp.MustCompile(`([mu]-\d+)-[a-z]{6}(@[0-9a-f]{6})?`)
	tokens  = regexp.MustCompile(`about (\d)\d tokens`)
)

// steady returns what a command printed with the same letters each time.
func steady(shown string) string {
	shown = letters.ReplaceAllStringFunc(shown, func(id string) string {
		bare, hash, _ := strings.Cut(id, "@")
		if hash != "" {
			hash = "@f8566b"
		}
		return bare[:len(bare)-len("kqzvwd")] + "kqzvwd" + hash
	})
	return tokens.ReplaceAllString(shown, "about ${1}0 tokens")
}

// film plays the script with a binary of mem and returns the picture.
func film(mem string) ([]byte, error) {
	s, err := openStage(mem)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.dir)
	var d drawing
	var titles, typed []string
	_, chapters, _ := strings.Cut(script, "\n\n") // what stands before them is for its editors
	for line := range strings.SplitSeq(strings.TrimSpace(chapters), "\n") {
		title, isTitle := strings.CutPrefix(line, "# ")
		typed = append(typed, line)
		switch {
		case line == "":
			d.row++
		case isTitle:
			titles = append(titles, title+".")
			d.appear("\x1b[3m" + line)
			d.time += reading
		case strings.HasSuffix(line, "|"):
			continue // it is half a command
		default:
			shown, err := s.play(strings.Join(typed, "\n"))
			if err != nil {
				return nil, err
			}
			d.command(typed, steady(shown))
		}
		typed = nil
	}
	return d.framed("A terminal. " + strings.Join(titles, " ")), nil
}

// stage is a directory with the programs and a home with an empty project, and the time there.
type stage struct {
	dir, home string
	now       time.Time
}

func openStage(mem string) (*stage, error) {
	dir, err := os.MkdirTemp("", "record-")
	if err != nil {
		return nil, err
	}
	s := &stage{dir, filepath.Join(dir, "home"), time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)}
	shop := exec.Command("git", "init", "-q", filepath.Join(s.home, "shop"))
	errs := []error{os.Mkdir(s.home, 0o700), shop.Run()}
	for _, tool := range append(tools, mem) {
		path, missing := exec.LookPath(tool)
		path, err := filepath.Abs(path)
		errs = append(errs, missing, err, os.Symlink(path, filepath.Join(dir, filepath.Base(tool))))
	}
	if err = errors.Join(errs...); err != nil {
		os.RemoveAll(dir)
	}
	return s, err
}

// play runs a command of the script and returns what a terminal shows of it. The hook may take its
// time, for the machine may be busy, and ls uses no tabs, for the picture has none.
func (s *stage) play(command string) (string, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return "", err
	}
	defer master.Close()
	cmd := exec.Command(filepath.Join(s.dir, "sh"), "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = slave, slave, slave,
		filepath.Join(s.home, "shop")
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + s.dir, "MEM_NOW=" + s.now.Format(time.RFC3339),
		"MEM_HOOK_DEADLINE=1m", "LC_ALL=C.UTF-8", "TABSIZE=0", "TERM=xterm", "TZ=UTC"}
	s.now = s.now.Add(20 * time.Second)
	started := cmd.Start()
	slave.Close()
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, master) // ends in an error when nobody has the terminal any more
	if err := errors.Join(started, cmd.Wait()); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, &shown)
	}
	return strings.NewReplacer("\r\n", "\n", s.home, "~").Replace(shown.String()), nil
}

// openTerminal returns both ends of a new terminal.
func openTerminal() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	unlocked := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	sized := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 60, Col: columns})
	number, numbered := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return master, slave, errors.Join(unlocked, sized, numbered, err)
}
