package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/front/wire"
)

// victims are a team with a rule and a pin, and another tenant; eve's requests change neither.
type victims struct {
	d        *daemon
	url      string
	team     string // the tenant of bob and eve
	bob, eve string // their tokens
	stranger string
	asked    int // requests to this team
}

const (
	keptRule = `{"type":"preference","text":"tabs"}`
	keptPin  = `{"text":"port 1","pinned":true}`
	strange  = `{"text":"ZEBRA-4711"}`
)

// Whatever bytes a member's agent sends to the route of command lines, memd lives and logs no
// panic, every answer is one, a rule and a pin of another member stay, and nothing of another
// tenant is in it.
func FuzzVerbs(f *testing.F) {
	const line = `{"key":"/kept/pin","valid":true,"source":"x","content":null}`
	for _, args := range []string{"get /kept/rule", "set /kept/rule - -s x", "import - --mine",
		"note - --pin", "edit /kept/pin", "forget --prefix / --all --yes", "undo --last", "move -",
		"ls --root http://127.0.0.1/other", "export --out /tmp/x", "get ../other/strange",
		"search ZEBRA --all", "memory-tool -", "audit --json", "session create s", "history /",
		"session import -", "artifact - --session s", "event --session s --text x"} {
		f.Add([]byte(nil), strings.ReplaceAll(args, " ", "\x00"), line)
	}
	for _, doc := range []string{`{`, `[]`, `{"args":["bHM="],"root":"http://127.0.0.1/other"}`,
		`{"args":["bHM="],"args":["Z2V0"],"env":{"MEM_ROOT":"/"}}`, `{"args":[null],"root":7}`,
		`{"args":["c2V0","L2E=","-","LXM=","eA=="],"files":{"-":"e30=","/etc/passwd":""}}`,
		`{"args":["ZWRpdA==","L2ZyZWU="],"draft":{"text":"e30=","of":"1999-01-01T00:00:00Z"}}`} {
		f.Add([]byte(doc), "", "")
	}
	address := freePort(f)
	d := startDaemon(f, newRoot(f), "--listen", address, "--log-level", "error")
	v := &victims{d: d, url: "http://" + address}
	v.stranger = token(f, d.root, "other", "a")
	v.put(f, v.stranger, "strange", strange)
	f.Fuzz(func(t *testing.T, doc []byte, args, input string) {
		if v.asked++; v.asked%2_000 == 1 { // a memory grows with each write
			v.found(t)
		}
		if len(doc) == 0 {
			var err error
			doc, err = json.Marshal(wire.Request{Root: v.url + "/" + v.team,
				Args:  wire.Bytes(strings.Split(args, "\x00")),
				Files: map[string][]byte{wire.Stdin: []byte(input)}})
			if err != nil {
				t.Fatal(err)
			}
		}
		got := v.ask(t, "POST", wire.Path, v.eve, string(doc))
		if got.status >= 500 || !json.Valid(got.body) || bytes.Contains(got.body, []byte("ZEBRA")) {
			t.Errorf("%q %q %q: %d %s", doc, args, input, got.status, got.body)
		}
		v.check(t)
	})
}

// found makes a new team.
func (v *victims) found(t testing.TB) {
	v.team = fmt.Sprint("team", v.asked)
	add := func(flags ...string) string {
		got := run(t, exec.Command(filepath.Join(v.d.bin, "mem"), append([]string{"token", "add",
			"--yes", v.team, "--root", v.d.root}, flags...)...))
		if got.code != 0 {
			t.Fatalf("%+v", got)
		}
		return strings.TrimSpace(got.out)
	}
	v.bob = add("--agent", "bob", "--member", "Bob")
	v.eve = add("--agent", "eve", "--member", "Eve")
	v.put(t, add("--person"), "kept/rule", keptRule)
	v.put(t, v.bob, "kept/pin", keptPin)
	v.put(t, v.eve, "free", `{"text":"free"}`)
}

// check reads what stays.
func (v *victims) check(t testing.TB) {
	for _, one := range [][3]string{{v.bob, "kept/rule", keptRule}, {v.bob, "kept/pin", keptPin},
		{v.stranger, "strange", strange}} {
		got := v.ask(t, "GET", "/api/v1/memories/"+one[1], one[0], "")
		if got.status != 200 || !bytes.Contains(got.body, []byte(`"content":`+one[2])) {
			t.Errorf("%s: %d %s", one[1], got.status, got.body)
		}
	}
	if said, err := os.ReadFile(v.d.log); err != nil || bytes.Contains(said, []byte("panic")) {
		t.Errorf("%s %v", said, err)
	}
}

func (v *victims) put(t testing.TB, token, key, content string) {
	got := v.ask(t, "PUT", "/api/v1/memories/"+key, token, `{"source":"x","content":`+content+`}`)
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
}

// ask sends a request with a token over TCP.
func (v *victims) ask(t testing.TB, method, path, token, body string) (r reply) {
	req, err := http.NewRequest(method, v.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := overTCP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	r.status = res.StatusCode
	if r.body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return r
}

var overTCP = &http.Client{Timeout: time.Minute}
