//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// install puts a tool into its directory of the cache, once, and returns why it does not run.
func (t *tool) install(cache string) (why string) {
	if t.pkg == "" || t.why != "" {
		return t.why
	}
	dir := filepath.Join(cache, t.name)
	t.run = filepath.Join(dir, "node_modules", t.run)
	if strings.HasSuffix(t.run, ".js") {
		t.run = "node " + t.run
	}
	outcome := filepath.Join(dir, "outcome "+t.version) // a failure is not waited for again either
	if have, err := os.ReadFile(outcome); err == nil {
		return string(have)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 9*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund",
		"--loglevel=error", t.pkg+"@"+t.version)
	if strings.HasPrefix(t.pkg, "github.com/") {
		cmd = exec.CommandContext(ctx, "go", "install", t.pkg+"@"+t.version)
		cmd.Env = append(os.Environ(), "GOBIN="+dir)
	}
	cmd.Dir = dir // outside of this module
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		why = "not installed: the installer did not end within 9 minutes"
	case err != nil:
		why = "not installed: " + reason(string(out))
	case t.store == "":
		why = "it installs, but has no adapter here yet"
	}
	if err := os.WriteFile(outcome, []byte(why), 0o644); err != nil {
		return err.Error()
	}
	return why
}

var telling = regexp.MustCompile(`ENOTFOUND|E404|40[34] |[Ee]rror:|no such`)

var address = regexp.MustCompile(`https?://\S+[^\s:]`)

// reason picks the line of an installer that tells why, without the addresses in it.
func reason(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	why := lines[len(lines)-1]
	for _, line := range lines {
		if telling.MatchString(line) {
			why = line
			break
		}
	}
	return "`" + strings.TrimSpace(address.ReplaceAllString(why, "(address)")) + "`"
}
