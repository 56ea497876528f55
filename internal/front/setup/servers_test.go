package setup

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

func serversOf(client string) servers { return servers{ClientByName(client).Server} }

func serverRequest(client string) Request {
	r := requestFor(client)
	r.Server, r.Scope, r.Located = true, User, "/opt/bin/mem"
	return r
}

// serverClients are the clients whose servers stand in JSON.
func serverClients() (list []string) {
	for _, a := range Clients() {
		if a.Server.Form == jsonServers {
			list = append(list, a.Name)
		}
	}
	return list
}

// strip removes what add inserted, to the byte; a second add changes nothing; every other value is
// what it was, and the client finds our server.
func TestStripRestoresServersByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		client := rapid.SampledFrom(serverClients()).Draw(t, "client")
		e, r := serversOf(client), serverRequest(client)
		x := drawServers(t, e.Member)
		y, err := e.add([]byte(x), r)
		if err != nil {
			t.Fatalf("%v in %s", err, x)
		}
		if again, err := e.add(y, r); err != nil || string(again) != string(y) {
			t.Fatalf("added twice: %v\n%s\nis not\n%s", err, again, y)
		}
		if !e.present(y) || !slices.Equal(e.command(y), r.serverWords()) {
			t.Fatalf("not as written: %s", y)
		}
		if back, err := e.strip(y, []byte(x)); err != nil || string(back) != x {
			t.Fatalf("%v\n got %q\nwant %q\nfrom %q", err, back, x, y)
		}
		before, after := decoded(t, x), decoded(t, string(y))
		all := after[e.Member].(map[string]any)
		entry := all[serverName].(map[string]any)
		if entry["command"] != r.serverWords()[0] || entry["args"].([]any)[0] != "mcp" {
			t.Fatalf("%v", entry)
		}
		if delete(all, serverName); len(all) == 0 && before[e.Member] == nil {
			delete(after, e.Member)
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%v became %v", before, after)
		}
	})
}

func decoded(t *rapid.T, text string) (v map[string]any) {
	std, err := hujson.Standardize([]byte(strings.TrimPrefix(text, "\ufeff")))
	if err == nil {
		err = json.Unmarshal(std, &v)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func drawServers(t *rapid.T, member string) string {
	list := drawObject(t, []string{"other", "memory", "filesystem"}, 1)
	text := gap(t) + drawObject(t, []string{"theme", "hooks", "env"}, 0) + gap(t)
	if rapid.Bool().Draw(t, "servers") {
		text = gap(t) + "{" + gap(t) + quote(member) + gap(t) + ":" + gap(t) + list + gap(t) + "}"
	}
	if rapid.Bool().Draw(t, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom") + text
}

// What a person has added to our server stays, but for the command; another server stays as it is.
func TestServersThatArePresent(t *testing.T) {
	e, r := serversOf("claude-code"), serverRequest("claude-code")
	r.Flags = []string{"--agent", "ada"}
	for _, c := range []struct{ text, want string }{
		{`{"mcpServers": {"mem": {"type": "stdio", "command": "/old/memd", "args": ["mcp", ` +
			`"--tools", "all"], "env": {"A": "b"}}}}`,
			`{"mcpServers": {"mem": {"type": "stdio", "command": "mem", "args": ["mcp", "--agent", ` +
				`"ada", "--tools", "all"], "env": {"A": "b"}}}}`},
		{`{"mcpServers": {"mem": {"args": ["mcp"], "command": "mem.exe"}}}`,
			`{"mcpServers": {"mem": {"args": ["mcp", "--agent", "ada"], "command": "mem"}}}`},
		{`{"mcpServers": {"mem": {"command": "mem0", "args": ["mcp"]}}}`, ""},
		{`{"mcpServers": {"mem": {"url": "http://localhost/mcp"}}}`, ""},
	} {
		got, err := e.add([]byte(c.text), r)
		want := c.want
		if want == "" {
			want = c.text
		}
		if err != nil || string(got) != want || (len(e.custom(got)) > 0) != (c.want == "") {
			t.Errorf("%s: %s, %v", c.text, got, err)
		}
	}
	for text, want := range map[string]string{
		"[]":                     "line 1, column 1: it is a list, want an object",
		"{\n \"mcpServers\": 1}": "line 2, column 16: mcpServers is a number, want an object",
	} {
		if _, err := e.add([]byte(text), r); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
		r.Server = false
		if got, err := e.add([]byte(text), r); err != nil || string(got) != text {
			t.Errorf("%s: nobody has asked for a server: %v", text, err)
		}
		r.Server = true
	}
}

func TestTableOfServer(t *testing.T) {
	r := serverRequest("codex")
	got, err := newTable().add([]byte("model = \"x\"\n"), r)
	want := "model = \"x\"\n\n# mem:begin\n[mcp_servers.mem]\ncommand = \"mem\"\n" +
		"args = [\"mcp\"]\n# mem:end\n"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	chosen := strings.Replace(want, `"mcp"`, `"mcp", "--tools", "all"`, 1)
	chosen = strings.Replace(chosen, "# mem:end",
		"default_tools_approval_mode = \"approve\"\n# mem:end", 1)
	if got, err := newTable().add([]byte(chosen), r); err != nil || string(got) != chosen {
		t.Errorf("%q, %v", got, err)
	}
	for _, other := range []string{"[mcp_servers.mem]\n", "[ mcp_servers . \"mem\" ]\n",
		"[mcp_servers.mem.env]\n", "mcp_servers = {}\n", "mcp_servers.mem.command = \"x\"\n"} {
		text := "a = 1\n" + other
		if got, err := newTable().add([]byte(text), r); err != nil || string(got) != text ||
			newTable().custom(got)[0].Where != "line 2, mcp_servers" {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if list := newTable().custom([]byte("[mcp_servers.memory]\n# mcp_servers = 1\n")); list != nil {
		t.Errorf("%v", list)
	}
}

// A server that was asked for once is kept, also by a setup that says nothing of it, until all is
// taken out.
func TestServerIsKept(t *testing.T) {
	for _, client := range []string{"claude-code", "codex", "gemini"} {
		f := newFixture(t)
		r := f.request(client, User)
		f.install(r)
		hooksAlone := f.snapshotWithoutTimes()
		r.Server = true
		f.install(r)
		r.Server, r.Program = false, "/new/mem"
		f.install(r)
		path := r.serverFile().path
		if !strings.Contains(read(path), `"/new/mem"`) || !strings.Contains(read(path), `["mcp"]`) {
			t.Errorf("%s: %s", client, read(path))
		}
		f.uninstall(r)
		if left := f.snapshot(); len(left) != 0 || len(hooksAlone) == 0 {
			t.Errorf("%s: %v", client, left)
		}
	}
}

// A file of servers is nothing to who asks for hooks alone.
func TestServersNobodyAskedFor(t *testing.T) {
	f := newFixture(t)
	write(t, f.home+"/.claude.json", "{ broken")
	r := f.request("claude-code", User)
	f.install(r)
	f.uninstall(r)
	if got := f.snapshot(); len(got) != 1 || read(f.home+"/.claude.json") != "{ broken" {
		t.Errorf("%v", got)
	}
	r.Server = true
	if _, err := Install(r); err == nil || !strings.Contains(err.Error(), "cannot be edited") {
		t.Errorf("%v", err)
	}
}

func TestPlacesOfServers(t *testing.T) {
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	place := Surroundings{Home: "/h", Project: "/p", Getenv: getenv}
	for _, c := range []struct{ client, system, variable, path string }{
		{"claude-desktop", "linux", "", "/h/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", "linux", "XDG_CONFIG_HOME", "/x/Claude/claude_desktop_config.json"},
		{"claude-desktop", "darwin", "XDG_CONFIG_HOME",
			"/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", "APPDATA", "/x/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", "", "/h/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"vscode", "darwin", "", "/h/Library/Application Support/Code/User/mcp.json"},
		{"cursor", "darwin", "", "/h/.cursor/mcp.json"},
		{"windsurf", "windows", "APPDATA", "/h/.codeium/windsurf/mcp_config.json"},
		{"zed", "darwin", "XDG_CONFIG_HOME", "/h/.config/zed/settings.json"},
		{"zed", "linux", "XDG_CONFIG_HOME", "/x/zed/settings.json"},
		{"claude-code", "linux", "", "/h/.claude.json"},
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR", "/x/.claude.json"},
		{"codex", "linux", "CODEX_HOME", "/x/config.toml"},
	} {
		clear(env)
		env[c.variable] = "/x"
		r := Request{Client: ClientByName(c.client), Scope: User, Place: place}
		r.Place.OS = c.system
		if got := r.serverFile().path; got != c.path {
			t.Errorf("%s on %s: %s", c.client, c.system, got)
		}
	}
}

// A file for all projects names the program by its whole path where the client may not find it; a
// file of a project, which others share, by its name.
func TestProgramOfServer(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		client string
		scope  Scope
		want   string
	}{{"cursor", User, "/opt/bin/mem"}, {"cursor", Project, "mem"}, {"claude-code", User, "mem"}} {
		r := f.request(c.client, c.scope)
		r.Server, r.Located = true, "/opt/bin/mem"
		if got := r.serverWords()[0]; got != c.want {
			t.Errorf("%s, %s: %s", c.client, c.scope, got)
		}
	}
	os.RemoveAll(f.home)
}

// The agent of a server is kept, too, where the first file of a client runs nothing.
func TestServerKeepsItsAgent(t *testing.T) {
	f := newFixture(t)
	r := f.request("cursor", Project)
	r.Server, r.Flags = true, []string{"--agent", "ada"}
	f.install(r)
	r.Flags = nil
	if r = KeepFlags(r); Agent(r) != "ada" {
		t.Errorf("%v", r.Flags)
	}
	f.install(r)
	if got := read(f.home + "/project/.cursor/mcp.json"); !strings.Contains(got, `"--agent", "ada"`) {
		t.Errorf("%s", got)
	}
}
