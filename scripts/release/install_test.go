//go:build release

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Anybody installs a tagged version with go, which packs the module out of the repository.
func TestGoInstall(t *testing.T) {
	const module, tag = "github.com/set-memory/mem", "v" + version
	dir := t.TempDir()
	clone, bin := filepath.Join(dir, "clone"), filepath.Join(dir, "bin")
	cache := filepath.Join(dir, "mod")
	must(t, exec.Command("git", "clone", "-q", "../..", clone))
	must(t, exec.Command("git", "-C", clone, "tag", tag))
	downloaded := strings.TrimSpace(must(t, exec.Command("go", "env", "GOMODCACHE")))
	env := append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "CGO_ENABLED=0", "GOMODCACHE="+cache,
		"GOPROXY=file://"+downloaded+"/cache/download,https://proxy.golang.org",
		"GONOPROXY="+module, "GONOSUMDB="+module, "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.file://"+clone+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+module)
	t.Cleanup(func() {
		clean := exec.Command("go", "clean", "-modcache") // its files are read-only
		clean.Env = env
		must(t, clean)
	})
	cmd := exec.Command("go", "install", module+"/cmd/...@"+tag)
	cmd.Env = env
	must(t, cmd)
	for _, program := range []string{"mem", "memd"} {
		said := must(t, exec.Command(filepath.Join(bin, program), "version"))
		if !strings.Contains(said, version) {
			t.Errorf("%s: %s", program, said)
		}
	}
}
