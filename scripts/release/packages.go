package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// nfpm writes packages of Debian and of RPM; its sum is in the Go checksum database.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.1"

const (
	summary  = "An agent's memory as plain files"
	homepage = "https://github.com/set-memory/mem"
)

// completionsOfZsh are the directories in which the zsh of a system looks.
var completionsOfZsh = map[string]string{"deb": "vendor-completions", "rpm": "site-functions"}

// installedAt returns where a kind of package puts a file of an archive; "" for nowhere.
func installedAt(kind, name string) string {
	switch dir, base := path.Split(name); {
	case name == "mem" || name == "memd":
		return "/usr/bin/" + name
	case name == "LICENSE":
		return "/usr/share/doc/mem/copyright"
	case name == "README.md" || name == "NOTICES":
		return "/usr/share/doc/mem/" + name
	case dir == "man/man1/":
		return "/usr/share/" + name
	case base == "mem.bash":
		return "/usr/share/bash-completion/completions/mem"
	case base == "_mem":
		return "/usr/share/zsh/" + completionsOfZsh[kind] + "/_mem"
	case base == "mem.fish":
		return "/usr/share/fish/vendor_completions.d/mem.fish"
	}
	return ""
}

// packageFile is a file in the configuration of nfpm, which reads JSON as the YAML that it is.
type packageFile struct {
	Source string          `json:"src,omitempty"`
	Type   string          `json:"type,omitempty"`
	At     string          `json:"dst"`
	Info   packageFileInfo `json:"file_info"`
}

type packageFileInfo struct {
	Mode  uint32 `json:"mode"`
	Time  string `json:"mtime"`
	Owner string `json:"owner"`
	Group string `json:"group"`
}

// writePackages writes the packages of Debian and of RPM for a target.
func (r release) writePackages(t target, files []entry) {
	dir := harness.Must(os.MkdirTemp("", "mem-release-"))
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	for i, f := range files {
		harness.Check(os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), f.text, 0o644))
	}
	for _, kind := range [...]string{"deb", "rpm"} {
		harness.Within(kind, func() { r.writePackage(t, kind, dir, files) })
	}
}

// writePackage writes a package of the files that lie in a directory under their numbers.
func (r release) writePackage(t target, kind, dir string, files []entry) {
	at := r.time.Format(time.RFC3339)
	contents := []packageFile{{Type: "dir", At: "/usr/share/doc/mem",
		Info: packageFileInfo{0o755, at, "root", "root"}}}
	for i, f := range files {
		if to := installedAt(kind, f.name); to != "" {
			contents = append(contents, packageFile{filepath.Join(dir, fmt.Sprint(i)), "", to,
				packageFileInfo{uint32(f.mode), at, "root", "root"}})
		}
	}
	config := harness.Must(json.Marshal(map[string]any{
		"name": "mem", "arch": t.arch, "platform": "linux", "version": r.version,
		"maintainer":  "the mem maintainers <set-memory@users.noreply.github.com>",
		"description": summary, "homepage": homepage, "license": "MIT", "section": "utils",
		"mtime": at, "contents": contents, "rpm": map[string]string{"buildhost": "mem"},
	}))
	file := filepath.Join(dir, "nfpm.yaml")
	harness.Check(os.WriteFile(file, config, 0o644))
	to := filepath.Join(r.out, r.archiveName(t)+"."+kind)
	cmd := exec.Command("go", "run", nfpm, "package", "-f", file, "-p", kind, "-t", to)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()))
	if out, err := cmd.CombinedOutput(); err != nil {
		harness.Failf("%w: %s", err, strings.TrimSpace(string(out)))
	}
}
