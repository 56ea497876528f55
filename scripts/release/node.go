package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// The packages for npm, in the form of npm pack: one with a wrapper, and one of each target with
// its programs, of which npm installs the one for the machine.

const nodePackage = "@set-memory/mem"

//go:embed wrapper.js
var wrapper []byte

// nodeOS and nodeArch are the names that node has for targets.
var (
	nodeOS   = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}
	nodeArch = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

func nodeName(t target) string {
	return nodePackage + "-" + nodeOS[t.os] + "-" + nodeArch[t.arch]
}

// nodeManifest is a package.json.
type nodeManifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Licence     string            `json:"license"`
	Repository  string            `json:"repository"`
	ServerName  string            `json:"mcpName,omitempty"` // as in server.json
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Programs    map[string]string `json:"bin,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

func (r release) newManifest(name string) nodeManifest {
	return nodeManifest{Name: name, Version: r.version, Description: summary, Licence: "MIT",
		Repository: "github:set-memory/mem"}
}

// writeNode writes the package with the wrapper.
func (r release) writeNode() {
	own := harness.Must(os.ReadFile("LICENSE"))
	m := r.newManifest(nodePackage)
	m.ServerName = serverName
	m.Programs = map[string]string{"mem": "mem.js", "memd": "memd.js"}
	m.Optional = map[string]string{}
	for _, t := range targets {
		m.Optional[nodeName(t)] = r.version
	}
	r.packNode(m, []entry{{"LICENSE", own, 0o644},
		{"mem.js", wrapper, 0o755}, {"memd.js", wrapper, 0o755}})
}

// writeNodeOf writes the package with the programs of a target.
func (r release) writeNodeOf(t target, programs, licences []entry) {
	m := r.newManifest(nodeName(t))
	m.OS, m.CPU = []string{nodeOS[t.os]}, []string{nodeArch[t.arch]}
	files := slices.Clone(licences)
	for _, f := range programs {
		files = append(files, entry{"bin/" + f.name, f.text, f.mode})
	}
	r.packNode(m, files)
}

func (r release) packNode(m nodeManifest, files []entry) {
	text := harness.Must(json.MarshalIndent(m, "", "  "))
	archive := r.tar("package", append([]entry{{"package.json", text, 0o644}}, files...))
	name := strings.ReplaceAll(strings.TrimPrefix(m.Name, "@"), "/", "-")
	r.write(fmt.Sprintf("%s-%s.tgz", name, r.version), archive)
}
