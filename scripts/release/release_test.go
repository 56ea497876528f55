//go:build release

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
)

const version = "0.2.0"

// built is a release of this machine's archive, and the directory of the version as it is served.
type built struct {
	out, key string
}

// newBuilt builds a release from a clone of the working tree's commit.
func newBuilt(t *testing.T, signed bool) built {
	t.Helper()
	dir := t.TempDir()
	b := built{out: filepath.Join(dir, "dist")}
	clone := filepath.Join(dir, "clone")
	must(t, exec.Command("git", "clone", "-q", "../..", clone))
	args := []string{"run", "./scripts/release", "-version", version, "-out", b.out,
		"-only", runtime.GOOS + "/" + runtime.GOARCH}
	if signed {
		b.key = filepath.Join(dir, "key.pem")
		writeKey(t, b.key)
		args = append(args, "-key", b.key)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = clone
	must(t, cmd)
	return b
}

func writeKey(t *testing.T, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// Two builds from two directories have the same bytes, but for the signature.
func TestReproducible(t *testing.T) {
	first, second := newBuilt(t, false), newBuilt(t, false)
	a, err := os.ReadFile(filepath.Join(first.out, checksums))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(second.out, checksums))
	if err != nil || !bytes.Equal(a, b) || bytes.Count(a, []byte("\n")) < 11 {
		t.Errorf("%v\n%s\n%s", err, a, b)
	}
}

// home is a person's home directory, where the installer runs.
type home struct {
	*testing.T
	dir, url, script string
	path             string
}

// install runs the installer, and returns its exit code and output.
func (h home) install(args ...string) (code int, out string) {
	h.Helper()
	cmd := exec.Command("sh", append([]string{h.script}, args...)...)
	cmd.Env = []string{"HOME=" + h.dir, "PATH=" + h.path, "MEM_INSTALL_URL=" + h.url}
	text, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		h.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// newHome returns a home, and a server of a release whose files serve changes.
func newHome(t *testing.T, b built, serve func(name string, text []byte) []byte) home {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/v"+version+"/")
		text, err := os.ReadFile(filepath.Join(b.out, filepath.Base(name)))
		if text = serve(name, text); !ok || err != nil || text == nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	return home{t, t.TempDir(), server.URL, filepath.Join(b.out, "install.sh"), os.Getenv("PATH")}
}

func asBuilt(_ string, text []byte) []byte { return text }

func TestInstaller(t *testing.T) {
	signed, unsigned := newBuilt(t, true), newBuilt(t, false)
	h := newHome(t, signed, asBuilt)
	if code, out := h.install(); code != 0 || !strings.Contains(out, "mem "+version) {
		t.Fatalf("%d: %s", code, out)
	}
	if code, out := h.install(); code != 0 {
		t.Errorf("over the old one: %d: %s", code, out)
	}
	if code, out := h.install("--uninstall"); code != 0 { // no client is here
		t.Errorf("uninstall without clients: %d: %s", code, out)
	}
	if code, out := h.install("--version", "v"+version); code != 0 {
		t.Errorf("again: %d: %s", code, out)
	}
	mem := exec.Command(filepath.Join(h.dir, ".local/bin/mem"), "note", "kept")
	mem.Env = []string{"HOME=" + h.dir}
	must(t, mem)
	wire := exec.Command(filepath.Join(h.dir, ".local/bin/mem"), "setup", "claude-code")
	wire.Env = mem.Env
	must(t, wire)
	if code, out := h.install("--uninstall"); code != 0 {
		t.Errorf("uninstall: %d: %s", code, out)
	}
	left := strings.Fields(must(t, exec.Command("find", h.dir, "-type", "f")))
	for _, file := range left {
		if !strings.Contains(file, "/.local/share/mem") && !strings.Contains(file, "/state/mem/") {
			t.Errorf("left behind: %s", file)
		}
	}
	for name, c := range map[string]struct {
		from  built
		serve func(string, []byte) []byte
		args  []string
		code  int
		says  string
	}{
		"not signed":          {unsigned, asBuilt, nil, 1, "--unsigned accepts it"},
		"not signed, allowed": {unsigned, asBuilt, []string{"--unsigned"}, 0, "mem " + version},
		"other archive": {signed, func(name string, text []byte) []byte {
			if strings.HasSuffix(name, ".tar.gz") {
				return append(text, 'x')
			}
			return text
		}, nil, 1, "its checksum is wrong"},
		"other checksums": {signed, func(name string, text []byte) []byte {
			if name == checksums {
				return append(text, ' ')
			}
			return text
		}, nil, 1, "the signature is wrong"},
		"no signature": {signed, func(name string, text []byte) []byte {
			if strings.HasSuffix(name, ".sig") {
				return nil
			}
			return text
		}, nil, 1, "no such file"},
		"no such version": {signed, asBuilt, []string{"--version", "9.9.9"}, 1, "no such file"},
		"a relative prefix": {signed, asBuilt, []string{"--prefix", "x"}, 1,
			"not an absolute path"},
		"nothing to remove": {signed, asBuilt, []string{"--uninstall"}, 1, "there is no mem"},
		"a wrong flag":      {signed, asBuilt, []string{"--now"}, 1, "no such flag"},
	} {
		h := newHome(t, c.from, c.serve)
		code, out := h.install(c.args...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%s: %d: %s", name, code, out)
		}
		_, err := os.Stat(filepath.Join(h.dir, ".local/bin/mem"))
		if (err == nil) != (c.code == 0) {
			t.Errorf("%s: installed: %v", name, err)
		}
	}
	h = newHome(t, signed, asBuilt)
	h.url = "http://example.com"
	if code, out := h.install(); code != 1 || !strings.Contains(out, "not https") {
		t.Errorf("http: %d: %s", code, out)
	}
	h = newHome(t, signed, asBuilt)
	h.path = toolsWithout(t, "openssl")
	if code, out := h.install(); code != 1 || !strings.Contains(out, "the package openssl") {
		t.Errorf("without openssl: %d: %s", code, out)
	}
}

// The commands of SECURITY.md accept a release, and no changed file of it.
func TestVerifiedByHand(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Verify a release\n")
	_, block, _ := strings.Cut(section, "```sh\n")
	commands, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("SECURITY.md has no commands")
	}
	b := newBuilt(t, true)
	verify := func() (string, error) {
		cmd := exec.Command("sh", "-ec", commands)
		cmd.Dir = b.out
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := verify()
	if err != nil || !strings.HasPrefix(out, "Verified OK\n") ||
		!strings.Contains(out, ".tar.gz: OK\n") || !strings.Contains(out, "install.sh: OK\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if err := os.Remove(filepath.Join(b.out, "key.pem")); err != nil { // the commands make it
		t.Fatal(err)
	}
	files, err := os.ReadDir(b.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Join(b.out, file.Name())
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.Clone(whole)
		changed[len(changed)/2] ^= 1 // openssl reads nothing behind a signature of full length
		if err := os.WriteFile(name, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := verify(); err == nil {
			t.Errorf("%s is changed: %s", file.Name(), out)
		}
		if err := os.WriteFile(name, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A download that is cut off anywhere runs nothing.
func TestInstallerCutOff(t *testing.T) {
	text := strings.ReplaceAll(installer, "@VERSION@", version)
	for n := 0; n < len(text)-len("main \"$@\"\n"); n += 97 {
		dir := t.TempDir()
		cmd := exec.Command("sh", "-c", text[:n])
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"),
			"MEM_INSTALL_URL=http://127.0.0.1:9"}
		_ = cmd.Run()
		if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
			t.Fatalf("%d bytes: %v, %v", n, made, err)
		}
	}
}

// toolsWithout returns a PATH of one directory, with the tools of the installer but one.
func toolsWithout(t *testing.T, but string) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range []string{"sh", "uname", "mktemp", "rm", "curl", "tar", "gzip", "grep",
		"cut", "sha256sum", "mkdir", "cp", "chmod", "mv", "openssl"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if tool != but {
			if err := os.Symlink(path, filepath.Join(dir, tool)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}
