//go:build unix

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	binary := flag.String("mem", "bin/mem", "the binary")
	records := flag.Int("records", 10_000, "how many records tasks 8 to 10 have")
	only := flag.String("only", "", "the tools to run, comma separated; all")
	flag.Parse()
	if err := compare(*binary, *records, *only); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func compare(binary string, records int, only string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	version, err := exec.Command(binary, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", binary, err)
	}
	root, err := os.MkdirTemp("", "mem-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	defer killLeft(root)
	tools[0].run = binary
	list, left, err := installed(only)
	if err != nil {
		return err
	}
	for _, t := range list {
		t.ids = map[string]string{}
		for size, p := range map[string]*place{"small": &t.small, "big": &t.big} {
			*p = place{home: filepath.Join(root, t.name, size), limit: commandLimit}
			if err := t.project(p, "project"); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, model, _ := strings.Cut(string(info), "model name\t: ")
	model, _, _ = strings.Cut(model, "\n")
	fmt.Printf("%s, %d CPUs of %s.\n%s\n\n", time.Now().UTC().Format("2006-01-02 15:04 MST"),
		runtime.NumCPU(), model, bytes.TrimSpace(version))
	printTable(list, records)
	fmt.Printf("\nNot run:\n\n%s", left)
	return nil
}

// installed returns the tools that can run, and a list of the others with the reasons.
func installed(only string) (list []*tool, left string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, "", err
	}
	for _, t := range tools {
		if only != "" && !slices.Contains(strings.Split(only, ","), t.name) {
			continue
		}
		if why := t.install(filepath.Join(cache, "mem-compare")); why != "" {
			left += fmt.Sprintf("- %s (`%s` %s): %s\n", t.name, t.pkg, t.version, why)
		} else {
			list = append(list, t)
		}
	}
	return list, left, nil
}

// project moves a place to another project of its home.
func (t *tool) project(p *place, name string) error {
	p.project = filepath.Join(p.home, name)
	if err := os.MkdirAll(p.project, 0o755); err != nil {
		return err
	}
	if _, err := p.run("", "git", "init", "-q", "."); err != nil || t.prepare == "" {
		return err
	}
	_, err := t.do(*p, t.prepare, fact{}, "")
	return err
}

// killLeft ends the processes that a tool left: those whose HOME is below root.
func killLeft(root string) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		env, err := os.ReadFile(name)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && pid > 1 && bytes.Contains(env, []byte("HOME="+root+"/")) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
