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

// A peer is a package, and how to drive it.
type peer struct {
	name, version string
	pkg           string                    // of npm, or with a slash-separated path of Go
	adapter       func(modules string) tool // nil if it never ran here
	without       string                    // why it is not worth to install
}

var peers = []peer{
	{name: "server-memory", pkg: "@modelcontextprotocol/server-memory", version: "2026.8.31",
		adapter: serverMemory},
	{name: "memory-libsql", pkg: "mcp-memory-libsql", version: "0.0.17", adapter: libsql},
	{name: "ai-devkit", pkg: "@ai-devkit/memory", version: "0.20.1", adapter: devkit},
	{name: "memorix", pkg: "memorix", version: "1.0.7", adapter: memorix},
	{name: "clawvault", pkg: "clawvault", version: "3.5.2", adapter: func(modules string) tool {
		return clawvault{filepath.Join(modules, ".bin/clawvault")}
	}},
	{name: "engram", pkg: "github.com/Gentleman-Programming/engram/cmd/engram",
		version: "latest"},
	{name: "deja-vu", pkg: "github.com/vshulcz/deja-vu/cmd/deja",
		version: "latest"},
	{name: "beads", pkg: "github.com/steveyegge/beads/cmd/bd", version: "latest"},
	{name: "beads (npm)", pkg: "@beads/bd", version: "1.3.0"},
	{name: "memories.sh", pkg: "@memories.sh/cli", version: "0.7.9"},
	{name: "claude-mem", pkg: "claude-mem", version: "13.25.3"},
	{name: "mem0", pkg: "mem0ai", version: "3.3.1",
		without: "not runnable without a model: it needs the key of an API"},
	{name: "basic-memory", pkg: "@basicmachines/basic-memory", version: "latest"},
}

// install puts a peer into its directory of the cache, once, and returns the folder of its modules
// or why it does not run.
func (p peer) install(cache string) (modules, why string) {
	dir := filepath.Join(cache, strings.NewReplacer("/", "_", " ", "_").Replace(p.name))
	outcome := filepath.Join(dir, "outcome "+p.version) // a failure is not waited for again either
	if have, err := os.ReadFile(outcome); err == nil || p.without != "" {
		return filepath.Join(dir, "node_modules"), string(have) + p.without
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 9*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund",
		"--loglevel=error", p.pkg+"@"+p.version)
	if strings.HasPrefix(p.pkg, "github.com/") {
		cmd = exec.CommandContext(ctx, "go", "install", p.pkg+"@"+p.version)
		cmd.Env = append(os.Environ(), "GOBIN="+dir)
	}
	cmd.Dir = dir // outside of this module
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		why = "not installed: npm did not end within 9 minutes"
	case err != nil:
		why = "not installed: " + reason(string(out))
	case p.adapter == nil:
		why = "it installs, but has no adapter here yet"
	}
	if err := os.WriteFile(outcome, []byte(why), 0o644); err != nil {
		return "", err.Error()
	}
	return filepath.Join(dir, "node_modules"), why
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
