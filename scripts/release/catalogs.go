package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"text/template"

	"github.com/set-memory/mem/scripts/harness"
)

// serverName is that of mem in the registry of MCP, which looks for it in package.json.
const serverName = "io.github.set-memory/mem"

// writeBundle writes the bundle of a target for Claude Desktop: a zip file with the programs and a
// manifest (MCPB, version 0.3).
func (r release) writeBundle(t target, programs, licences []entry) {
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
	text := harness.Must(json.MarshalIndent(manifest, "", "  "))
	files := append([]entry{{"manifest.json", text, 0o644}}, licences...)
	for _, f := range programs {
		files = append(files, entry{"server/" + f.name, f.text, f.mode})
	}
	bundle := r.zip("", files)
	r.write(r.archiveName(t)+".mcpb", bundle)
}

// writeServer writes server.json for the registry of MCP: the package of npm, and the bundles.
func (r release) writeServer() {
	transport := map[string]string{"type": "stdio"}
	packages := []map[string]any{{
		"registryType": "npm", "identifier": nodePackage, "version": r.version,
		"transport": transport, "packageArguments": []map[string]string{
			{"type": "positional", "value": "mcp"}},
	}}
	for _, t := range targets {
		name := r.archiveName(t) + ".mcpb"
		if !r.has(name) {
			continue // of a target that was not wanted
		}
		packages = append(packages, map[string]any{"registryType": "mcpb",
			"identifier": r.address(name), "fileSha256": r.sum(name), "transport": transport})
	}
	text := harness.Must(json.MarshalIndent(map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    serverName, "title": "mem", "description": summary, "version": r.version,
		"repository": map[string]string{"url": homepage, "source": "github"}, "packages": packages,
	}, "", "  "))
	r.write("server.json", append(text, '\n'))
}

// address returns where a file of the release is published.
func (r release) address(name string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", homepage, r.version, name)
}

//go:embed formula.rb
var formula string

// writeFormula writes the formula for Homebrew, with the archives that there are.
func (r release) writeFormula() {
	type archive struct{ OS, Arch, URL, Sum string }
	var list []archive
	for _, t := range targets {
		if t.os == "windows" {
			continue
		}
		name := r.archiveName(t) + ".tar.gz"
		if !r.has(name) {
			continue // of a target that was not wanted
		}
		system := map[string]string{"linux": "linux", "darwin": "macos"}[t.os]
		cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch]
		list = append(list, archive{system, cpu, r.address(name), r.sum(name)})
	}
	var out bytes.Buffer
	harness.Check(template.Must(template.New("").Parse(formula)).Execute(&out, map[string]any{
		"Summary": summary, "Home": homepage, "Version": r.version, "Archives": list}))
	r.write("mem.rb", out.Bytes())
}

// pluginSkill is the front matter of the plugin's skill. A plugin adds nothing to CLAUDE.md, so its
// skill has the guidance that mem setup writes there.
const pluginSkill = "---\nname: mem\ndescription: A memory that outlives the session. Search it " +
	"before the first edit of a task, before a change is called done and before a question to " +
	"the user; note what matters next month.\n---\n\n"

// writePlugin writes the plugin for Claude Code, with the hooks and the guidance that mem setup
// writes for it: it needs mem in the PATH.
func (r release) writePlugin() {
	dir := harness.Must(os.MkdirTemp("", "mem-release-"))
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	bin, own := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	r.build(target{runtime.GOOS, runtime.GOARCH}, bin)
	cmd := exec.Command(filepath.Join(bin, "mem"), "setup", "claude-code", "--quiet")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + own, "PATH=" + bin}
	if out, err := cmd.CombinedOutput(); err != nil {
		harness.Failf("%s: %w: %s", cmd, err, out)
	}
	var settings struct {
		Hooks json.RawMessage `json:"hooks"`
	}
	text := harness.Must(os.ReadFile(filepath.Join(own, ".claude/settings.json")))
	harness.Check(json.Unmarshal(text, &settings))
	guidance := harness.Must(os.ReadFile(filepath.Join(own, ".claude/CLAUDE.md")))
	skill := append([]byte(pluginSkill), guidance...)
	manifest := harness.Must(json.MarshalIndent(map[string]any{
		"name": "mem", "version": r.version, "description": summary, "homepage": homepage,
		"repository": homepage, "license": "MIT",
		"author": map[string]string{"name": "the mem maintainers", "url": homepage},
	}, "", "  "))
	hooks := harness.Must(json.MarshalIndent(settings, "", "  "))
	plugin := r.zip("", []entry{{".claude-plugin/plugin.json", manifest, 0o644},
		{"hooks/hooks.json", hooks, 0o644}, {"skills/mem/SKILL.md", skill, 0o644}})
	r.write(fmt.Sprintf("mem_%s_claude-plugin.zip", r.version), plugin)
}
