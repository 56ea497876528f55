package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

type fact struct{ name, value string }

// facts says what the figures were measured on and with.
func facts(ctx context.Context, l *lab) []fact {
	memory := "none"
	if l.shm != "" {
		memory = mountOf(l.shm)
	}
	return []fact{
		{"machine", fmt.Sprintf("%d × %s", runtime.NumCPU(), cpuModel())},
		{"kernel", firstLine(readFile("/proc/sys/kernel/osrelease"))},
		{"disk", mountOf(l.disk)},
		{"memory file system", memory},
		{"mem", memVersion(l.mem)},
		{"floors", strings.Join([]string{
			runtime.Version(), version(ctx, "cc"), version(ctx, "sqlite3"), version(ctx, "jq"), version(ctx, "sort"),
		}, "; ")},
	}
}

func cpuModel() string {
	for line := range strings.Lines(readFile("/proc/cpuinfo")) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// memVersion reads what the Go tool stamped into the binary, revision included, so it works whatever flags the binary has.
func memVersion(path string) string {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "unknown: " + err.Error()
	}
	return cmp.Or(info.Main.Version, "no version") + ", " + info.GoVersion
}

// version gives the first line of what a tool says about itself, without the build id that sqlite3 puts after its date.
func version(ctx context.Context, tool string) string {
	out, err := exec.CommandContext(ctx, tool, "--version").Output()
	if err != nil {
		return "no " + tool
	}
	line := firstLine(string(out))
	if !strings.Contains(line, tool) {
		line = tool + " " + line
	}
	words := strings.Fields(line)
	return strings.Join(words[:min(4, len(words))], " ")
}

// mountOf gives the file system that path is on: its type and mount options.
func mountOf(path string) string {
	return mountIn(readFile("/proc/mounts"), path)
}

// mountIn finds the longest mount point above path; of equal ones the last, which hides those before it.
func mountIn(mounts, path string) string {
	best, found := -1, "unknown"
	for line := range strings.Lines(mounts) {
		field := strings.Fields(line)
		if len(field) < 4 || len(field[1]) < best || !isUnder(field[1], path) {
			continue
		}
		best, found = len(field[1]), field[2]+" ("+field[3]+")"
	}
	return found
}

func isUnder(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func isTmpfs(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir() && strings.HasPrefix(mountOf(dir), "tmpfs ")
}

// readFile is for files that a system may not have: then there is nothing to say.
func readFile(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
