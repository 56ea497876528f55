//go:build linux

package e2e

// Requests that no honest client sends: the holder of an agent's token gets no more by the command
// line over HTTP than the rules give that agent, and nothing of the machine of the server.

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/site"
)

// forged are command lines of agent ada, and the exit codes that they get.
var forged = []struct {
	args []string
	env  map[string]string
	exit int
	says string // a part of the answer
}{
	{args: []string{"set", "/rules/r", `"x"`, "-s", "user"}, exit: 3},
	{args: []string{"set", "/fact/f", `"x"`, "--source", `{"kind":"user","name":"me"}`}, exit: 3},
	{args: []string{"set", "/fact/f", `"x"`, "--source", `{"kind":"user"}`, "--yes"}, exit: 3},
	{args: []string{"config", "set", "memory.max_total", "1", "--yes"}, exit: 3},
	{args: []string{"approve", "--all", "--yes"}, exit: 1},
	{args: []string{"approve", "--json"}, env: map[string]string{"XDG_STATE_HOME": "{srv}/state"},
		exit: 0, says: `"facts":[]`},
	{args: []string{"core", "mine now", "--agent", "bob"}, exit: 3},
	{args: []string{"journal", "mine now", "--agent", "bob"}, exit: 3},
	{args: []string{"ls", "--agent", "bob", "--json"}, exit: 3},
	{args: []string{"set", "/a", `"ghp_` + "Vb3kQ9xT2mL8sWz4RfN7aHc6YdJp1UeG0oKi" + `"`, "-s", "x"}, exit: 3},
	{args: []string{"get", "/a", "--root", "{srv}/tenants/t2"}, exit: 1},
	{args: []string{"--root", "{srv}/tenants/t2", "get", "/a"}, exit: 1},
	{args: []string{"--root={srv}/tenants/t2", "ls", "--json"}, exit: 0, says: `"count":0`},
	{args: []string{"get", "/a"}, env: map[string]string{"MEM_ROOT": "{srv}/tenants/t2"}, exit: 1},
	{args: []string{"ls", "--layer", "user"}, exit: 2},
	{args: []string{"ls", "--from-copy"}, exit: 2},
	{args: []string{"audit", "--all"}, exit: 2},
	{args: []string{"audit", "--moved"}, exit: 2},
	{args: []string{"fsck", "--repair"}, exit: 2},
	{args: []string{"fsck", "{srv}/secret"}, exit: 2},
	{args: []string{"export", "--out", "{srv}/stolen"}, exit: 2},
	{args: []string{"import", "--transcripts"}, exit: 2},
	{args: []string{"copy", "{srv}/tenants/t2", "x"}, exit: 2},
	{args: []string{"init"}, exit: 2},
	{args: []string{"where"}, exit: 2},
	{args: []string{"doctor"}, exit: 2},
	{args: []string{"hook", "claude"}, exit: 2},
	{args: []string{"serve", "--root", "{srv}"}, exit: 2},
	{args: []string{"token", "add", "t2", "--person", "--yes", "--root", "{srv}"}, exit: 2},
	{args: []string{"stat", "--log-level", "debug"}, exit: 2},
	{args: []string{"set", "/a", "1", "-s", "x", "--now", "2099-01-01T00:00:00Z"}, exit: 2},
	{args: []string{"set", "/a", "1", "-s", "x"}, env: map[string]string{
		"MEM_NOW": "2099-01-01T00:00:00Z"}, exit: 2},
	{args: []string{"undo", "--last", "--yes"}, exit: 1, says: "no version"},
	{args: []string{"ls"}, exit: 0},
	{args: []string{"ls", "--jq", "def f: f; f"}, exit: 0, says: `"count"`},
	{args: []string{"query", "/", "def f: f; f"}, exit: 2},
	{args: []string{"--foo", "get", "__complete", "get", "/"}, exit: 2},
}

// wanted are command lines that name a file of the server: it is asked for at the caller's machine.
var wanted = [][]string{
	{"set", "/a", "@{srv}/secret", "-s", "x"}, {"import", "{srv}/secret"}, {"import", "-"},
	{"artifact", "add", "{srv}/secret"}, {"event", "@{srv}/secret"},
	{"note", "x", "--source", "@{srv}/secret"}, {"set", "/a", "-", "-s", "x"},
	{"decide", "@{srv}/secret"}, {"task", "x", "--details", "@{srv}/secret"},
	{"session", "create", "--user", "ada", "--config", "@{srv}/secret"},
}

func TestForgedCommands(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	dir := t.TempDir()
	srv := filepath.Join(dir, "srv")
	port := startServer(t, bin, srv)
	if err := os.WriteFile(filepath.Join(srv, "secret"), []byte(`"words of a file"`), 0o600); err != nil {
		t.Fatal(err)
	}
	runMem(t, bin, "set", "/a", `"of t2"`, "-s", "x", "-q", "--root", srv+"/tenants/t2")
	runMem(t, bin, "core", "of bob", "--agent", "bob", "--root", srv+"/tenants/t1")
	token, err := exec.Command(filepath.Join(bin, "mem"), "token", "add", "t1", "--agent", "ada",
		"--yes", "-q", "--root", srv).Output()
	if err != nil {
		t.Fatal(err)
	}
	at, err := site.ParseAddress("http://127.0.0.1:" + port + "/t1")
	if err != nil {
		t.Fatal(err)
	}
	client, err := remote.NewClient(at, remote.Login{Token: strings.TrimSpace(string(token))}, "",
		time.Now)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args []string, env map[string]string) (wire.Reply, string) {
		in := &wire.Request{Root: at.URL(), Env: map[string]string{}}
		for _, arg := range args {
			in.Args = append(in.Args, []byte(strings.ReplaceAll(arg, "{srv}", srv)))
		}
		for name, value := range env {
			in.Env[name] = strings.ReplaceAll(value, "{srv}", srv)
		}
		reply, err := client.Run(t.Context(), in)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		var says strings.Builder
		for _, piece := range reply.Printed {
			says.Write(piece.Text)
		}
		for _, hidden := range []string{"of t2", "words of a file", "of bob", srv} {
			typed := strings.Contains(strings.Join(args, " "), "{srv}") && hidden == srv
			if strings.Contains(says.String(), hidden) && !typed {
				t.Errorf("%q prints %q: %s", args, hidden, says.String())
			}
		}
		return reply, says.String()
	}
	for _, f := range forged {
		reply, says := run(f.args, f.env)
		if reply.Exit != f.exit || !strings.Contains(says, f.says) {
			t.Errorf("%q: exit %d, want %d with %q: %s", f.args, reply.Exit, f.exit, f.says, says)
		}
	}
	for _, args := range wanted {
		if reply, says := run(args, nil); reply.Want == nil || reply.Want.File == "" {
			t.Errorf("%q: exit %d, want a question for the file: %s", args, reply.Exit, says)
		}
	}
	if _, err := os.Stat(srv + "/stolen"); !os.IsNotExist(err) {
		t.Errorf("an export wrote to the server: %v", err)
	}
	for _, tenant := range []string{"t1", "t2"} {
		runMem(t, bin, "fsck", "--root", srv+"/tenants/"+tenant)
	}
}

// greedy are answers of a server that wants more than a command has.
var greedy = map[string]string{
	"mem search secret":       `{"exit":0,"want":{"file":"secret"}}`,
	"mem search @secret":      `{"exit":0,"want":{"file":"secret"}}`,
	"mem note @secret":        `{"exit":0,"want":{"file":"secret"}}`,
	"mem notes --tag=@secret": `{"exit":0,"want":{"file":"secret"}}`,
	"mem get /a < secret":     `{"exit":0,"want":{"file":"-"}}`,
	"mem get - < secret":      `{"exit":0,"want":{"file":"-"}}`,
	"mem ls":                  `{"exit":0,"want":{"draft":{"text":"YQ==","of":"2026-02-22T10:00:00Z"}}}`,
	"mem set /a @secret -s x": `{"exit":0,"want":{"file":"secret"}}`, // more than once
	"mem forget /a":           `{"exit":0,"want":{"question":"really?"}}`,
	"mem notes":               `{"exit":0,"want":{"person":true}}`,
	"mem audit":               `{"exit":0,"want":{"person":true}}`,
	"mem session list":        `{"exit":0,"want":{"person":true}}`,
	"mem approve a":           `{"exit":0,"want":{"person":true}}`,
}

// A server gets a file, an answer or a token once, where the command has it.
func TestGreedyServer(t *testing.T) {
	t.Parallel()
	bin, home := buildMem(t), t.TempDir()
	if err := os.WriteFile(home+"/secret", []byte(`"of the laptop"`), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, answer := range greedy {
		sent := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in wire.Request
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			sent += len(in.Files)
			_, _ = io.WriteString(w, answer)
		}))
		err := os.WriteFile(home+"/tokens", []byte(s.URL+" x\n"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		exit, says := atTerminal(t, bin, home, "export EDITOR='touch edited' MEM_TOKEN_FILE=tokens "+
			"MEM_ROOT="+s.URL+"/t1; "+line, "y\ny\ny\n")
		refuses := strings.Contains(says, "does not need") || strings.Contains(says, "no person's")
		isAsked := strings.Contains(says, "your own token")
		if exit != 2 || !refuses || isAsked && !strings.HasPrefix(line, "mem approve") ||
			sent > strings.Count(line, " -s ") {
			t.Errorf("%s: exit %d after %d files: %s", line, exit, sent, says)
		}
		s.Close()
	}
	if _, err := os.Stat(home + "/edited"); err == nil {
		t.Error("an editor ran for mem ls")
	}
}

// A person decides over HTTP with a token of their own that is typed for one command; a coding agent
// is not asked for it. The editor and questions are those of the caller's machine.
func TestPersonElsewhere(t *testing.T) {
	t.Parallel()
	bin := buildMem(t)
	home := t.TempDir()
	srv := filepath.Join(home, "srv")
	cert, key := makeCertificate(t)
	origin := "https://127.0.0.1:" + startServer(t, bin, srv, "--tls-cert", cert, "--tls-key", key)
	tokenOf := func(of ...string) string {
		out, err := exec.Command(filepath.Join(bin, "mem"), append([]string{"token", "add", "t1",
			"--yes", "-q", "--root", srv}, of...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if err := os.WriteFile(filepath.Join(home, "token"), []byte(tokenOf("--agent", "ada")),
		0o600); err != nil {
		t.Fatal(err)
	}
	person := tokenOf("--person")
	root := "SSL_CERT_FILE=" + cert + " MEM_ROOT=" + origin + "/t1 "
	for _, c := range []struct {
		line, answer string
		exit         int
		says         string
	}{
		{"SSL_CERT_FILE= mem token login $MEM_ROOT < token", "", 3, "not trusted"},
		{"SSL_CERT_FILE= mem token login $MEM_ROOT --ca " + cert + " < token", "", 0, "as ada"},
		{"mem token login $MEM_ROOT --ca " + cert, person, 2, "it is a person's"},
		{"SSL_CERT_FILE= mem ls", "", 0, "no store at https:"},
		{`mem set /a '{"text":"tea"}' -s chat`, "", 0, "/a"},
		{"mem config set memory.max_total 7", person, 0, "your own token"},
		{"mem config set memory.max_total 8", "wrong\n", 3, "not valid"},
		{"CLAUDECODE=1 mem config set memory.max_total 9", person, 3, "only a person"},
		{"mem config set memory.max_total 9 < /dev/null", "", 3, "only a person"},
		{"mem config get memory.max_total", "", 0, "7"},
		{"EDITOR='sed -i s/tea/coffee/' mem edit /a", "", 0, "/a"},
		{"mem get /a", "", 0, "coffee"},
		{"EDITOR='sed -i s/coffee/{/' mem edit /a && mem get /a", "", 0, "{"},
		{"EDITOR='sed -i s/:/,/' mem edit /a", "", 2, "your text is kept in "},
		{"mem forget /a --purge", person + "n\n", 1, "[y/N]"},
		{"mem get /a", "", 0, "{"},
		{"mem forget /a --purge", person + "y\n", 0, "purged 3 versions"},
		{"mem get /a", "", 1, "no such memory"},
		{"mem token login $MEM_ROOT < /dev/null", "", 2, "there is none"},
		{"mem token logout $MEM_ROOT", "", 0, "logged out"},
		{"mem ls", "", 3, "there is no token"},
		{"mem ls --root http://memd.example/t1", "", 2, "https alone"},
	} {
		exit, says := atTerminal(t, bin, home, "export "+root+"; "+c.line, c.answer)
		if exit != c.exit || !strings.Contains(says, c.says) {
			t.Errorf("%s: exit %d, want %d with %q: %s", c.line, exit, c.exit, c.says, says)
		}
	}
	runMem(t, bin, "fsck", "--root", srv+"/tenants/t1")
}

// A certificate that was replaced counts for the next connection; half of a pair leaves the one
// before.
func TestReplacedCertificate(t *testing.T) {
	t.Parallel()
	bin, home := buildMem(t), t.TempDir()
	cert, key := makeCertificate(t)
	port := startServer(t, bin, filepath.Join(home, "srv"), "--tls-cert", cert, "--tls-key", key)
	served := func() []byte {
		conn, err := tls.Dial("tcp", "127.0.0.1:"+port, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].Raw
	}
	first := served()
	otherCert, otherKey := makeCertificate(t)
	for i, c := range []struct{ from, to string }{{otherCert, cert}, {otherKey, key}} {
		if err := os.Rename(c.from, c.to); err != nil {
			t.Fatal(err)
		}
		if got := served(); bytes.Equal(got, first) != (i == 0) {
			t.Errorf("after %d of two files the first certificate is served: %t", i+1, i != 0)
		}
	}
}
