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
	only := flag.String("only", "", "the peers to run, comma separated; all")
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
	entrants := []*entrant{{name: "mem", tool: mem{binary}}}
	more, left, err := installed(only)
	if err != nil {
		return err
	}
	entrants = append(entrants, more...)
	for _, e := range entrants {
		if err := e.place(root); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	fmt.Printf("%s, %s, %d CPUs.\n%s\n\n", time.Now().UTC().Format("2006-01-02 15:04 MST"),
		machine(), runtime.NumCPU(), bytes.TrimSpace(version))
	printTable(entrants, records)
	fmt.Printf("\nNot run:\n\n%s", left)
	return nil
}

// installed returns the peers that can run, and a list of the others with the reasons.
func installed(only string) (list []*entrant, left string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, "", err
	}
	for _, p := range peers {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "install", p.name)
		modules, why := p.install(filepath.Join(cache, "mem-compare"))
		if why == "" && p.adapter != nil {
			list = append(list, &entrant{name: p.name + " " + p.version, tool: p.adapter(modules)})
			continue
		}
		left += fmt.Sprintf("- %s (`%s` %s): %s\n", p.name, p.pkg, p.version, why)
	}
	return list, left, nil
}

// place makes the homes of a tool, each with the repository of a project in it.
func (e *entrant) place(root string) error {
	for size, p := range map[string]*place{"small": &e.small, "big": &e.big} {
		home := filepath.Join(root, strings.Fields(e.name)[0], size)
		*p = place{home: home, limit: commandLimit}
		if err := e.project(p, "project"); err != nil {
			return err
		}
	}
	return nil
}

// project moves a place to another project of its home.
func (e *entrant) project(p *place, name string) error {
	p.project = filepath.Join(p.home, name)
	if err := os.MkdirAll(p.project, 0o755); err != nil {
		return err
	}
	if _, err := p.run("", "git", "init", "-q", "."); err != nil {
		return fmt.Errorf("git init: %w", err)
	}
	return e.tool.prepare(*p)
}

func printTable(entrants []*entrant, records int) {
	heads := []string{"task"}
	for _, e := range entrants {
		heads = append(heads, e.name)
	}
	row := func(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }
	row(heads...)
	fmt.Println(strings.Repeat("|---", len(heads)) + "|")
	for _, task := range []struct {
		name string
		do   func(*entrant) (string, error)
	}{
		{"1 store a fact", storeOne},
		{"2 found by other words", otherWords},
		{"3 kept to its project", otherProject},
		{"4 corrected: only the new one", correction},
		{"5 deleted from all files", deletion},
		{"6 lost of those acknowledged, kill -9", kills},
		{"7 secret refused", secret},
		{fmt.Sprintf("8 %d records: time, disk", records), many(records)},
		{"9 tokens of a search, top 5", tokens},
	} {
		cells := []string{task.name}
		for _, e := range entrants {
			fmt.Fprintln(os.Stderr, task.name, e.name)
			cells = append(cells, cell(task.do(e)))
		}
		row(cells...)
	}
	row(append([]string{"10 search, store: a process each"}, speed(entrants, false)...)...)
	row(append([]string{"10b the same, server running"}, speed(entrants, true)...)...)
}

func machine() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, model, _ := strings.Cut(string(info), "model name\t: ")
	model, _, _ = strings.Cut(model, "\n")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return model + ", Linux " + strings.TrimSpace(string(kernel))
}

// killLeft ends what a tool left running: the processes whose HOME is below root.
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
