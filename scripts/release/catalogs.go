package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"text/template"
)

// serverName is that of mem in the registry of MCP, which looks for it in package.json.
const serverName = "io.github.set-memory/mem"

// writeBundle writes the bundle of a target for Claude Desktop: a zip file with the programs and a
// manifest (MCPB, version 0.3).
func (r release) writeBundle(t target, programs, licences []entry) error {
	server := "server/mem" + t.ending()
	manifest := map[string]any{
		"manifest_version": "0.3", "name": "mem", "version": r.version, "description": summary,
		"author":     map[string]string{"name": "the mem maintainers", "url": homepage},
		"repository": map[string]string{"type": "git", "url": homepage}, "license": "MIT",
		"server": map[string]any{
			"type": "binary", "entry_point": server,
			"mcp_config": map[string]any{
				"command": "${__dirname}/" + server, "args": []string{"mcp"},
			},
		},
		"compatibility": map[string]any{"platforms": []string{nodeOS[t.os]}},
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	files := append([]entry{{"manifest.json", text, 0o644}}, licences...)
	for _, f := range programs {
		files = append(files, entry{"server/" + f.name, f.text, f.mode})
	}
	bundle, err := r.zip("", files)
	if err != nil {
		return err
	}
	return r.write(r.archiveName(t)+".mcpb", bundle)
}

// writeServer writes server.json for the registry of MCP: the package of npm, and the bundles.
func (r release) writeServer() error {
	transport := map[string]string{"type": "stdio"}
	packages := []map[string]any{{
		"registryType": "npm", "identifier": nodePackage, "version": r.version,
		"transport": transport, "packageArguments": []map[string]string{
			{"type": "positional", "value": "mcp"}},
	}}
	for _, t := range targets {
		name := r.archiveName(t) + ".mcpb"
		sum, err := r.sum(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // of a target that was not wanted
		}
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{"registryType": "mcpb",
			"identifier": r.address(name), "fileSha256": sum, "transport": transport})
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    serverName, "title": "mem", "description": summary, "version": r.version,
		"repository": map[string]string{"url": homepage, "source": "github"}, "packages": packages,
	}, "", "  ")
	if err != nil {
		return err
	}
	return r.write("server.json", append(text, '\n'))
}

// address returns where a file of the release is published.
func (r release) address(name string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", homepage, r.version, name)
}

//go:embed formula.rb
var formula string

// writeFormula writes the formula for Homebrew, with the archives that there are.
func (r release) writeFormula() error {
	type archive struct{ OS, Arch, URL, Sum string }
	var list []archive
	for _, t := range targets {
		if t.os == "windows" {
			continue
		}
		name := r.archiveName(t) + ".tar.gz"
		sum, err := r.sum(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		system := map[string]string{"linux": "linux", "darwin": "macos"}[t.os]
		cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch]
		list = append(list, archive{system, cpu, r.address(name), sum})
	}
	var out bytes.Buffer
	err := template.Must(template.New("").Parse(formula)).Execute(&out, map[string]any{
		"Summary": summary, "Home": homepage, "Version": r.version, "Archives": list})
	if err != nil {
		return err
	}
	return r.write("mem.rb", out.Bytes())
}

// writePlugin writes the plugin for Claude Code, with the hooks and the skill that mem setup writes
// for it: it needs mem in the PATH.
func (r release) writePlugin() error {
	dir, err := os.MkdirTemp("", "mem-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	bin, own := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	if err := r.build(target{runtime.GOOS, runtime.GOARCH}, bin); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(bin, "mem"), "setup", "claude-code", "--quiet")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + own, "PATH=" + bin}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cmd, err, out)
	}
	var settings struct {
		Hooks json.RawMessage `json:"hooks"`
	}
	text, err := os.ReadFile(filepath.Join(own, ".claude/settings.json"))
	if err == nil {
		err = json.Unmarshal(text, &settings)
	}
	if err != nil {
		return err
	}
	skill, err := os.ReadFile(filepath.Join(own, ".claude/skills/mem/SKILL.md"))
	if err != nil {
		return err
	}
	manifest, err := json.MarshalIndent(map[string]any{
		"name": "mem", "version": r.version, "description": summary, "homepage": homepage,
		"repository": homepage, "license": "MIT",
		"author": map[string]string{"name": "the mem maintainers", "url": homepage},
	}, "", "  ")
	if err != nil {
		return err
	}
	hooks, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return err
	}
	plugin, err := r.zip("", []entry{{".claude-plugin/plugin.json", manifest, 0o644},
		{"hooks/hooks.json", hooks, 0o644}, {"skills/mem/SKILL.md", skill, 0o644}})
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("mem_%s_claude-plugin.zip", r.version), plugin)
}
