package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The arguments of a program are for everybody on the machine to see: the browser is told of a file
// that the person alone can read, which leads to the one-time URL.
func TestBrowserIsToldOfAFile(t *testing.T) {
	bin, home := programs(t), t.TempDir()
	told := filepath.Join(home, "told")
	if err := syscall.Mkfifo(told, 0o600); err != nil {
		t.Fatal(err)
	}
	stub := "#!/bin/sh\necho \"$@\" > " + told + "\n"
	if err := os.WriteFile(filepath.Join(home, "xdg-open"), []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "memd"), "page", "--yes")
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + home}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(syscall.SIGTERM)
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile(told)
	path := strings.TrimSpace(string(args))
	if err != nil || strings.Contains(path, "once=") {
		t.Fatalf("the browser is told %q, %v", path, err)
	}
	page, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(page), strings.TrimSpace(url)) {
		t.Errorf("it leads to %q, %v", page, err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
}
