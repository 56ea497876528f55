//go:build release && linux

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// debian is a fresh Debian without Go, in a directory of its own.
type debian struct {
	*testing.T
	root string
}

// newDebian makes one with debootstrap, with the tools of installers: curl, openssl and node. npm
// is that of this machine, for Debian's has 400 packages.
func newDebian(t *testing.T) debian {
	t.Helper()
	d := debian{t, filepath.Join(t.TempDir(), "root")}
	must(t, exec.Command("debootstrap", "--variant=minbase",
		"--include=curl,openssl,ca-certificates,nodejs", "bookworm", d.root))
	npm, err := exec.LookPath("npm")
	if err == nil {
		npm, err = filepath.EvalSymlinks(npm)
	}
	if err != nil {
		t.Fatal(err)
	}
	from, to := filepath.Dir(filepath.Dir(npm)), filepath.Join(d.root, "usr/lib/node_modules")
	must(t, exec.Command("mkdir", "-p", to, filepath.Join(d.root, "dist")))
	must(t, exec.Command("cp", "-a", from, filepath.Join(to, "npm")))
	must(t, exec.Command("ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js",
		filepath.Join(d.root, "usr/bin/npm")))
	proc := filepath.Join(d.root, "proc")
	must(t, exec.Command("mount", "-t", "proc", "proc", proc))
	t.Cleanup(func() { must(t, exec.Command("umount", proc)) })
	return d
}

// run runs a line of a shell inside, in the home of a person.
func (d debian) run(home, line string, env ...string) string {
	d.Helper()
	at := "/home/" + home
	if err := os.MkdirAll(d.root+at, 0o755); err != nil {
		d.Fatal(err)
	}
	cmd := exec.Command("chroot", d.root, "/bin/sh", "-euc", "cd "+at+"; "+line)
	cmd.Env = append(env, "HOME="+at,
		"PATH="+at+"/node/bin:"+at+"/.local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.Fatalf("%s: %s: %v\n%s", home, line, err, out)
	}
	return string(out)
}

// files lists all files inside, but those of the package manager.
func (d debian) files() (list []string) {
	d.Helper()
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, d.root)
		switch name {
		case "/var/lib/dpkg", "/var/log", "/var/cache", "/tmp", "/dev", "/proc":
			return fs.SkipDir
		}
		if err == nil && !e.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return list
}

// The commands after each way of installing: a client is set up, a note is stored, and a hook
// gives it.
const used = `mkdir -p .claude
mem setup claude-code
mem note 'The port is 5433'
printf '{"hook_event_name":"SessionStart","session_id":"1","cwd":"%s"}' "$PWD" >event
sh -c "$(grep -m1 -o '"command": "[^"]*"' .claude/settings.json |
	cut -d '"' -f 4) hook claude-code" <event
rm event
`

// On a fresh Debian without Go, mem is installed in three ways, used and removed, and nothing is
// left but the store.
func TestOnDebian(t *testing.T) {
	b := newBuilt(t, true)
	d := newDebian(t)
	for _, glob := range []string{"*.deb", "*.tgz"} {
		files, err := filepath.Glob(filepath.Join(b.out, glob))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", glob, files, err)
		}
		for _, file := range files {
			must(t, exec.Command("cp", file, filepath.Join(d.root, "dist")))
		}
	}
	must(t, exec.Command("cp", filepath.Join(b.out, "install.sh"), filepath.Join(d.root, "dist")))
	url := newHome(t, b, asBuilt).url
	for _, way := range []struct{ name, install, remove string }{
		{"deb", "dpkg -i /dist/*.deb", "mem setup --all --remove; dpkg -r mem"},
		{"script", "sh /dist/install.sh", "sh /dist/install.sh --uninstall"},
		{"npm", "npm install -g --offline --cache .npm --prefix node /dist/*.tgz",
			"mem setup --all --remove; npm uninstall -g --cache .npm --prefix node " +
				"$(ls node/lib/node_modules/@set-memory | sed s,^,@set-memory/,); " +
				"rm -rf .npm node"},
	} {
		before := d.files()
		env := "MEM_INSTALL_URL=" + url
		d.run(way.name, way.install, env)
		if said := d.run(way.name, "mem version"); !strings.Contains(said, "mem "+version) {
			t.Errorf("%s: %s", way.name, said)
		}
		if said := d.run(way.name, used); !strings.Contains(said, "additionalContext") ||
			!strings.Contains(said, "The port is 5433") {
			t.Errorf("%s: the hook says\n%s", way.name, said)
		}
		if way.name == "npm" { // another version of node takes its packages away, and hooks go on
			next := strings.ReplaceAll(used[strings.Index(used, "printf"):], `"1"`, `"2"`)
			said := d.run(way.name, "mv node other; "+next+"mv other node")
			if !strings.Contains(said, "The port is 5433") {
				t.Errorf("without node the hook says\n%s", said)
			}
		}
		d.run(way.name, way.remove, env)
		stores := 0
		for _, file := range d.files() {
			if strings.HasPrefix(file, "/home/"+way.name+"/.local/share/mem/") ||
				strings.HasPrefix(file, "/home/"+way.name+"/.local/state/mem/") {
				stores++
				continue
			}
			if !slices.Contains(before, file) {
				t.Errorf("%s: left behind: %s", way.name, file)
			}
		}
		if stores == 0 {
			t.Errorf("%s: the store is gone", way.name)
		}
	}
}

// The package of RPM is installed, run and removed in a root of its own.
func TestRPM(t *testing.T) {
	b := newBuilt(t, false)
	root := t.TempDir()
	files, err := filepath.Glob(filepath.Join(b.out, "*.rpm"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	must(t, exec.Command("rpm", "--root", root, "--initdb"))
	must(t, exec.Command("rpm", "--root", root, "-i", "--nodeps", files[0]))
	said := must(t, exec.Command("chroot", root, "/usr/bin/mem", "version"))
	if !strings.Contains(said, "mem "+version) {
		t.Error(said)
	}
	must(t, exec.Command("rpm", "--root", root, "-e", "mem"))
	if _, err := os.Stat(filepath.Join(root, "usr/bin/mem")); err == nil {
		t.Error("mem is left")
	}
}

// The formula is Ruby, and the bundle starts a server that answers.
func TestCatalogs(t *testing.T) {
	b := newBuilt(t, false)
	must(t, exec.Command("ruby", "-c", filepath.Join(b.out, "mem.rb")))
	bundles, err := filepath.Glob(filepath.Join(b.out, "*.mcpb"))
	if err != nil || len(bundles) != 1 {
		t.Fatalf("%v, %v", bundles, err)
	}
	dir := t.TempDir()
	must(t, exec.Command("unzip", "-q", bundles[0], "-d", dir))
	cmd := exec.Command(filepath.Join(dir, "server/mem"), "mcp")
	cmd.Env = []string{"HOME=" + dir}
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` +
		`"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	if said := must(t, cmd); !strings.Contains(said, `"serverInfo"`) {
		t.Error(said)
	}
	plugins, err := filepath.Glob(filepath.Join(b.out, "*_claude-plugin.zip"))
	if err != nil || len(plugins) != 1 {
		t.Fatalf("%v, %v", plugins, err)
	}
	must(t, exec.Command("unzip", "-q", plugins[0], "-d", filepath.Join(dir, "plugin")))
	for _, file := range []string{".claude-plugin/plugin.json", "hooks/hooks.json",
		"skills/mem/SKILL.md"} {
		if fi, err := os.Stat(filepath.Join(dir, "plugin", file)); err != nil || fi.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
