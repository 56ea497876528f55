package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// colleagues are a server with a memory, and the laptops of people who have it as that of a project.
type colleagues struct {
	testing.TB
	bin, srv, url, cert string
	server              *exec.Cmd
}

func newColleagues(t testing.TB) *colleagues {
	t.Helper()
	testkit.Program(t, "git")
	tm := &colleagues{TB: t, bin: buildMem(t), srv: filepath.Join(t.TempDir(), "srv")}
	cert, key := makeCertificate(t)
	cmd, port := launchServer(t, tm.bin, tm.srv, "--tls-cert", cert, "--tls-key", key)
	tm.server, tm.cert, tm.url = cmd, cert, "https://127.0.0.1:"+port+"/t1"
	return tm
}

// laptop returns the home of a person with a repository, in app, and with a token of an agent.
func (tm *colleagues) laptop(agent string) string {
	home, err := filepath.EvalSymlinks(tm.TempDir())
	if err != nil {
		tm.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(tm.bin, "mem"), "token", "add", "t1", "--agent", agent,
		"--yes", "-q", "--root", tm.srv).Output()
	if err == nil {
		err = os.WriteFile(home+"/token", out, 0o600)
	}
	if err == nil {
		err = os.Mkdir(home+"/app", 0o700)
	}
	if err != nil {
		tm.Fatal(err)
	}
	tm.run(home, "git init -q . && mem token login $URL --ca $CA < ../token", 0, "as "+agent)
	return home
}

// run runs a line in the repository of a laptop; want is part of what it prints. It returns that.
func (tm *colleagues) run(home, line string, exit int, want string) string {
	tm.Helper()
	got, out := tm.output(home, line)
	if got != exit || !strings.Contains(out, want) || want == "" && out != "" {
		tm.Errorf("%s: exit %d, want %d with %q: %s", line, got, exit, want, out)
	}
	return out
}

func (tm *colleagues) output(home, line string) (exit int, out string) {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = home + "/app"
	cmd.Env = append(sessionEnv(tm.bin, home, ""), "URL="+tm.url, "CA="+tm.cert, "SRV="+tm.srv,
		"MEM_HOOK_DEADLINE=")
	text, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(text)
}

// hookLine is a line that passes an event to the hook.
func hookLine(event, conversation, prompt string) string {
	return `echo '{"hook_event_name":"` + event + `","session_id":"` + conversation + `","prompt":"` +
		prompt + `","cwd":"'$PWD'","source":"startup","tool_name":"Edit",` +
		`"tool_input":{"file_path":"'$PWD/src/a.go'"}}' | mem hook claude-code`
}

func (tm *colleagues) signal(s syscall.Signal) {
	if err := tm.server.Process.Signal(s); err != nil {
		tm.Fatal(err)
	}
}

// A project has its memory at a server; what is a person's own stays with the person, and a URL
// counts that its owner has let in.
func TestProjectAtServer(t *testing.T) {
	t.Parallel()
	tm := newColleagues(t)
	ada, ben := tm.laptop("ada"), tm.laptop("ben")
	for _, c := range []struct {
		home, line string
		exit       int
		want       string
	}{
		{ada, "mem init --remote http://memd.example/t1 --yes", 2, "https alone"},
		{ada, "mem init --remote https://u:p@memd.example/t1 --yes", 2, "never stands in a URL"},
		{ada, "mem init --remote $URL < /dev/null", 2, "whether a person wants this"},
		{ada, "mem init --remote $URL --yes", 0, "/app/.mem"},
		{ada, "mem init --remote $URL --yes", 0, "/app/.mem"},
		{ada, "mem note 'the build uses make'", 0, "m-1"},
		{ada, "mem note 'prefers tabs' --scope user", 0, "u-1"},
		{ada, "mem set /user/name '\"Ada\"' -s chat", 0, "/user/name"},
		{ada, "mem journal 'a day' --agent ada", 0, "journal"},
		{ada, "mem read --format private --agent ada", 0, "a day"},
		{ada, "mem --root .mem ls", 0, "leave --root out"},
		{ada, "mem setup claude-code", 0, "memories of the project too, from https"},
		{ada, "mem setup claude-code | grep -c 'stores what you ask'", 1, "0"},
		{ada, "mem serve --root $SRV --tls-cert a --tls-key b", 2, "--listen"},
		{ada, "mem get u-1", 0, "prefers tabs"},
		{ada, "mem get /user/name", 0, "Ada"},
		{ada, "mem ls --layer project", 0, "the build uses make"},
		{ada, "mem ls --layer user", 0, "prefers tabs"},
		{ada, "mem stat --all", 0, "live        2 (0 expired, 0 untrusted, 1 of other agents"},
		{ada, "mem where", 0, "project\t1\tsince"},
		{ada, "mem doctor | head -1", 0, "answers: 1 memory"},
		{ada, "mem note 'user names are emails'", 0, "m-2"}, // a text, and no key
		{ada, "mem search user", 0, "are emails"},
		{ada, "mem forget m-2", 0, "ok"},
		{ada, "mem set /project/home '\"/user/x\"' -s chat", 0, "/project/home"},
		{ada, "mem rm /project/home", 0, ""},
		{ada, "mem ls /user", 0, "Ada"},
		{ada, "mem where --layer project", 0, "at https://127.0.0.1"},
		{ada, "mem set /user/x 1 -s chat --layer project", 3, "a person's own"},
		{ada, "mem init --remote $URL-typo --yes", 3, "there is no token for"},
		{ada, "cat .mem/remote | grep -c typo", 1, "0"},
		{ada, "MEM_ROOT=${URL#https://} mem note x", 2, "looks like a URL"},
		{ada, "mem query .key", 2, "does not work on a memory behind a server"},
		{ada, "mem --root $URL move m-1 --to project", 2, "from a store beside you"},
		// Keys in a batch are seen at the server.
		{ada, `echo '{"key":"/user/x","content":1,"source":"chat"}' | mem set -`, 3, "a person's own"},
		{ada, "mem --root $SRV/tenants/t1 ls", 0, "/note/workspace/m-1"},
		{ada, "! grep -E 'key\":\"/(user|note/user|agent)' $SRV/tenants/t1/log.jsonl", 0, ""},
		{ada, "git add .mem && git -c user.name=a -c user.email=a@b commit -qm 1", 0, ""},

		{ben, "rm -rf ../app/.git && git clone -q " + ada + "/app .", 0, ""},
		{ben, "mem ls", 0, "is not used: it is not trusted"},
		{ben, "mem note 'early'", 0, "m-1"}, // in the store beside the user's
		{ben, "mem trust < /dev/null", 2, "keeps its memories at https://127.0.0.1"},
		{ben, "MEM_TRUST=$PWD mem ls", 0, "which is not trusted"},
		{ben, "MEM_TRUST=$PWD MEM_TRUST_REMOTE=${URL}x mem ls", 0, "which is not trusted"},
		{ben, "MEM_TRUST=$PWD MEM_TRUST_REMOTE=$URL mem ls", 0, "the build uses make"},
		{ben, "mem trust --yes", 0, "1 memory of this repository in"},
		{ben, "mem doctor", 0, "moves them to the server"},
		{ben, "mem get m-1", 0, "the build uses make"},
		{ben, "mem where", 0, "project\t1\tsince"},
		{ben, "cp .mem/remote old; echo https://evil.example/t1 > .mem/remote; mem ls", 0,
			"evil.example/t1, which is not trusted"},
		{ben, "mem note 'stays here'", 0, "m-2"}, // as in any repository without a .mem
		{ben, "mv old .mem/remote; mem note 'from ben'", 0, "m-3"},
		{ada, "mem undo --last", 0, "rm of"}, // her own, though ben's is newer
		{ben, "mem get m-3", 0, "from ben"},
		// A commit cannot take the user's own memory away.
		{ben, "mem note mine --scope user", 0, "u-1"},
		{ben, "mv .mem/remote old; ln -s /etc/hostname .mem/remote; mem get u-1", 0, "mine"},
		{ben, hookLine("SessionStart", "b1", ""), 0, "mine"},
		{ben, "rm .mem/remote; mv old .mem/remote", 0, ""},
		{ben, "mem trust --revoke", 0, "no longer used"},
		{ben, "mem ls", 0, "stays here"},
		{ada, "mem search ben", 0, "from ben"},
	} {
		tm.run(c.home, c.line, c.exit, c.want)
	}
	runMem(t, tm.bin, "fsck", "--root", tm.srv+"/tenants/t1")
}

// A hook adds the block of the project's server to that of the user's store; while the server is
// out of reach the last start stands in.
func TestHookAtServer(t *testing.T) {
	t.Parallel()
	tm := newColleagues(t)
	ada, ben := tm.laptop("ada"), tm.laptop("ben")
	tm.run(ada, "mem init --remote $URL/ --yes", 0, ".mem")
	tm.run(ada, "mem note 'src/a.go holds the parser'", 0, "m-1")
	tm.run(ada, "mem set /project/db '\"postgres 15 is the database\"' -s chat", 0, "/project/db")
	tm.run(ada, "mem note 'answers in German' --scope user", 0, "u-1")
	start := tm.run(ada, hookLine("SessionStart", "c1", ""), 0, "answers in German")
	for _, want := range []string{"(m-1, ", "the parser", "(project/db, ", "(u-1-"} {
		if !strings.Contains(start, want) {
			t.Errorf("a start lacks %q: %s", want, start)
		}
	}
	if n := strings.Count(start, "finds more"); n != 1 {
		t.Errorf("a start teaches %d times: %s", n, start)
	}
	tm.run(ada, "mem injections --conversation c1", 0, "/note/workspace/m-1")
	tm.run(ada, "mem injections --conversation c1 --json | grep -c '\"layer\":\"project\"'", 0, "1")
	tm.run(ada, hookLine("UserPromptSubmit", "c1", "which database?"), 0, "") // it has that
	tm.run(ada, hookLine("UserPromptSubmit", "c2", "which database?"), 0, "postgres 15")
	tm.run(ada, hookLine("PreToolUse", "c3", ""), 0, "holds the parser")
	tm.run(ada, "mem off && "+hookLine("SessionStart", "c4", "")+"; mem on", 0, "hooks")
	copies := ada + "/.local/state/mem/starts"
	files, err := filepath.Glob(copies + "/*.json")
	if err != nil || len(files) != 1 {
		t.Fatalf("there are %d copies: %v", len(files), err)
	}
	if fi, err := os.Stat(files[0]); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("a copy: %v, %v", fi.Mode(), err)
	}

	// A colleague's event in a conversation takes nothing from it.
	tm.run(ben, "cp -r "+ada+"/app/.mem . && rm -f .mem/id && mem trust --yes", 0, "trusted")
	tm.run(ben, hookLine("SessionStart", "c0", ""), 0, "the parser")
	tm.run(ben, "mem injections --conversation c0", 0, "/note/workspace/m-1") // he has nothing else
	tm.run(ada, hookLine("SessionStart", "c0", ""), 0, "the parser")

	tm.signal(syscall.SIGSTOP)
	began := time.Now()
	out := tm.run(ada, hookLine("SessionStart", "c5", ""), 0, "is out of reach. This is its answer of ")
	if !strings.Contains(out, "the parser") || !strings.Contains(out, "answers in German") {
		t.Errorf("a start without its server: %s", out)
	}
	t.Logf("a start without its server took %v", time.Since(began))
	tm.run(ada, hookLine("UserPromptSubmit", "c6", "which database?"), 0, "") // nobody waits again
	tm.run(ada, "mem injections --limit 1", 0, "out of reach a moment ago")
	older := "sed -i 's/\"at\":\"[^\"]*/\"at\":\"'$(date -u -d '-8 days' +%FT%T.000000Z)/ " + copies + "/*; "
	if out := tm.run(ada, older+hookLine("SessionStart", "c7", ""), 0, "answers in German"); strings.
		Contains(out, "the parser") {
		t.Errorf("a copy of a week ago stands in: %s", out)
	}
	tm.signal(syscall.SIGCONT)

	tm.run(ada, hookLine("SessionStart", "c8", ""), 0, "the parser")
	tm.run(ada, "mem forget m-1", 0, "ok")
	isGone := func(what string) {
		t.Helper()
		if files, err := filepath.Glob(copies + "/*.json"); err != nil || len(files) > 0 {
			t.Errorf("a copy is left after %s: %v", what, err)
		}
	}
	isGone("a deletion")
	tm.run(ada, hookLine("SessionStart", "c9", ""), 0, "postgres 15")
	tm.run(ada, "mem trust --revoke", 0, "no longer used")
	isGone("trust --revoke")
	tm.run(ada, "mem trust --yes", 0, "trusted")
	tm.run(ada, hookLine("SessionStart", "d1", ""), 0, "postgres 15")
	tm.run(ada, "mem token login $URL < "+ben+"/token", 0, "as ben")
	tm.signal(syscall.SIGSTOP) // a copy is of its token
	if out := tm.run(ada, hookLine("SessionStart", "d2", ""), 0, "answers in German"); strings.
		Contains(out, "postgres 15") {
		t.Errorf("a copy of another token stands in: %s", out)
	}
	tm.signal(syscall.SIGCONT)
	tm.run(ada, hookLine("SessionStart", "d3", ""), 0, "postgres 15")
	id := tm.run(ada, "mem token list --root $SRV --json | jq -r '.tokens[] | "+
		"select(.agents[] == \"ben\") | .id'", 0, "\n")
	tm.run(ada, "mem token revoke --root $SRV --yes "+strings.TrimSpace(id), 0, "revoked")
	tm.run(ada, hookLine("SessionStart", "d4", ""), 0, "does not take the token")
	isGone("a token that was revoked")
	tm.run(ada, "mem token logout $URL", 0, "logged out")
	runMem(t, tm.bin, "fsck", "--root", tm.srv+"/tenants/t1")
}

// A client's tools are those of the server, and fail one by one while it is out of reach.
func TestToolsAtServer(t *testing.T) {
	t.Parallel()
	tm := newColleagues(t)
	ada := tm.laptop("ada")
	tm.run(ada, "mem init --remote $URL --yes", 0, ".mem")
	call := func(id, tool, arguments string) string {
		return `echo '{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` +
			tool + `","arguments":` + arguments + `}}'; `
	}
	const hello = `echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":` +
		`"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'; ` +
		`echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'; echo junk; `
	note := "(" + hello + call("1", "mem_note", `{"text":"the database is postgres"}`) + ") | mem mcp"
	out := tm.run(ada, note, 0, `{\"ok\":true,\"id\":\"m-1\"}`)
	if !strings.Contains(out, `"id":null`) || !strings.Contains(out, `"protocolVersion"`) {
		t.Errorf("a session: %s", out)
	}
	tm.run(ada, "("+call("1", "mem_search", `{"query":"database"}`)+") | mem mcp", 0, "m-1")
	tm.run(ada, hookLine("SessionStart", "m1", ""), 0, "m-1")
	tm.run(ada, "ls ~/.local/state/mem/starts | wc -l", 0, "1")
	tm.run(ada, "("+call("1", "mem_forget", `{"key":"m-1"}`)+") | mem mcp", 0, "result")
	tm.run(ada, "ls ~/.local/state/mem/starts | wc -l", 0, "0")
	tm.run(ada, "("+call("1", "mem_set", `{"key":"/user/name","content":{"text":"Ada"}}`)+
		") | mem mcp", 0, "a person's own")
	list := `echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | mem mcp --tools `
	tm.run(ada, list+"core,journal | jq '.result.tools | length'", 0, "7\n")
	tm.run(ada, list+"none", 2, "want core, bundle")
	tm.signal(syscall.SIGKILL)
	_ = tm.server.Wait()
	tm.run(ada, note, 0, "is the server running")
	tm.run(ada, "mem note x y < /dev/null; mem note 'x'", 6, "connection refused")
	runMem(t, tm.bin, "fsck", "--root", tm.srv+"/tenants/t1")
}
