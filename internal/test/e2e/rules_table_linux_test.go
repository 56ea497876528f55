package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// effect is the effect of a line on the rule that it names.
type effect int

const (
	touches effect = iota // it would change the rule: a client is refused, and may propose it
	decides               // only a person may give it
	beside                // it leaves the rule as it is, refused or not
)

// ruleLine is one call of a verb: its arguments, and after <<< its input. {key}, {name} and {text}
// are the rule's, {fact} and {other} are two facts for it alone.
type ruleLine struct {
	args string
	effect
	kinds string // to which it applies; "": to all
	keeps bool   // a person's call leaves the rule as it is, too
	once  bool   // it names no rule
	two   bool   // it needs two layers
	user  bool   // it names the user's layer
}

type ruleVerb struct {
	verb  string
	lines []ruleLine
}

var ofNotes = []string{"tagged note", "pinned note", "pinned note of an agent"}

// fits reports whether a line applies to a rule.
func (l ruleLine) fits(r rule, two bool) bool {
	if l.two && !two || l.user && !r.ofUser() {
		return false
	}
	switch l.kinds {
	case "notes":
		return slices.Contains(ofNotes, r.kind)
	case "keys":
		return !slices.Contains(ofNotes, r.kind)
	case "pins":
		return r.kind == "pinned note" || r.kind == "pinned note of an agent"
	case "user":
		return r.ofUser()
	case "words": // the memory tool's files are in no search
		return r.kind != "file"
	case "":
		return true
	}
	return l.kinds == r.kind
}

// on returns the effect on a rule: where both layers have its key, most lines are about the fact.
func (l ruleLine) on(r rule, two bool) effect {
	if two && r.kind == sameKey && !l.user {
		return beside
	}
	return l.effect
}

// naming returns lines that name no rule, or none that they could change.
func naming(lines ...string) (list []ruleLine) {
	for _, line := range lines {
		list = append(list, ruleLine{args: line, effect: beside, once: true})
	}
	return list
}

// onFacts returns lines about a rule that leave it as it is.
func onFacts(lines ...string) (list []ruleLine) {
	for _, line := range lines {
		list = append(list, ruleLine{args: line, effect: beside})
	}
	return list
}

const (
	setLine = `{"key":"{key}","content":{"text":"changed"},"source":"x"}`
	stamped = `{"key":"{key}","ts":"2026-02-22T09:59:00.000000Z","valid":true,"source":"x",` +
		`"content":{"text":"changed"}}`
	gone = `{"key":"{key}","ts":"2026-02-22T09:59:00.000000Z","valid":false,"source":"x",` +
		`"content":null}`
)

// crowding returns facts that would fill a block alone.
func crowding() string {
	var lines strings.Builder
	for i := range 100 {
		fmt.Fprintf(&lines, `{"key":"/user/crowd/%d","source":"x","content":{"text":"%s",`+
			`"pinned":true,"importance":1}}`+"\n", i, strings.Repeat(fmt.Sprintf("crowd%d ", i), 12))
	}
	return lines.String()
}

// ruleVerbs has every verb of docs/verbs.md and every operation of policy.Verbs.
var ruleVerbs = []ruleVerb{
	{"set", append([]ruleLine{
		{args: `set {key} {"text":"changed"} -s x`},
		{args: `set {key} null -s x`},
		{args: `set {key} {"text":"changed","type":"preference"} -s x --force`},
		{args: `set {key} --text changed -s x --expires 2026-02-22T10:00:01Z`},
		{args: "set - <<< " + setLine},
		{args: "set - --keep-going <<< " + setLine},
		{args: "set - --force <<< " + setLine},
		{args: `set - <<< {"key":"{key}","content":null,"source":"x"}`},
		{args: `set {key} --text changed -s x --propose`, effect: beside},
		{args: `--layer user set {key} {"text":"changed"} -s x`, two: true, user: true},
		{args: `--layer project set {key} {"text":"changed"} -s x`, effect: beside, two: true},
		{args: "set - -q <<< " + crowding(), effect: beside, once: true},
	}, onFacts(`set /near/{n} {"text":"{text}"} -s x --importance 1`,
		`set /project/near/{n} {"text":"{word}"} -s x --importance 1 --pin`,
		`set {fact} {"text":"1","superseded_by":"{key}"} -s x`,
		`set /near/{n} {"text":"a","references":["{key}"],"supersedes":"{key}"} -s x`)...)},
	{"get", onFacts("get {name}")},
	{"note", []ruleLine{
		{args: "note changed --replaces {name}"},
		{args: "note changed --pin --replaces {name}"},
		{args: "note changed --tag preference --replaces {name}"},
		{args: "note changed --replaces {name} --propose", effect: beside},
		{args: "note {text}", effect: beside},
		{args: "note {text} --scope user --pin", effect: beside},
		{args: "note {text} --replaces {name}", kinds: "keys"},
		{args: "note {text} --replaces {name}", kinds: "notes", effect: beside},
	}},
	{"notes", naming("notes")},
	{"search", onFacts("search {word}")},
	{"read", naming("read")},
	{"ls", naming("ls")},
	{"edit", []ruleLine{{args: "edit {name}"}, {args: "edit {key} --force"},
		{args: "--layer user edit {key}", two: true, user: true},
		{args: "edit {key} --propose", effect: beside}}},
	{"forget", append([]ruleLine{
		{args: "forget {name}"},
		{args: "forget {key} --reason old"},
		{args: "forget {fact} {name}"},
		{args: "forget {name} --purge", effect: decides},
		{args: "forget {name} --forget-key", effect: decides},
		{args: "forget --prefix {key}", effect: decides},
		{args: "forget --grep {word}", effect: decides, kinds: "words"},
		{args: "--layer user forget {key}", two: true, user: true},
		{args: "forget {name} --propose", effect: beside},
	}, naming("forget --list", "forget --all --dry-run")...)},
	{"rm", []ruleLine{{args: "rm {key}"}, {args: "rm {fact} {key}"},
		{args: "--layer user rm {key}", two: true, user: true}}},
	{"history", onFacts("history {name}")},
	{"undo", []ruleLine{{args: "undo {name}"},
		{args: "--layer user undo {key}", two: true, user: true},
		{args: "undo {key} --to 2026-02-22T09:00:00.000000Z", effect: beside},
		{args: "undo --last", effect: beside, once: true}}},
	{"setup", naming("setup", "setup --check")},
	{"doctor", naming("doctor")},
	{"where", naming("where")},
	{"page", naming("page --no-open")},
	{"event", onFacts("event --session s --text {word} --ref {key}")},
	{"decide", onFacts("decide changed --ref {key}", "decide changed --supersedes {key}")},
	{"task", onFacts("task changed --ref {key}")},
	{"handoff", onFacts("handoff changed --session s --to bot --ref {key}")},
	{"artifact", naming("artifact add {home}/none --session s")},
	{"artifact add", naming("artifact add {home}/none --session s")},
	{"artifact get", naming("artifact get none")},
	{"remember", onFacts("remember s {word} --type preference --references {key}")},
	{"session", naming("session list")},
	{"session close", naming("session close s", "session close s --reopen")},
	{"session compact", naming("session compact s")},
	{"session create", naming("session create --id s2")},
	{"session delete", naming("session delete s", "session delete s --purge")},
	{"session export", naming("session export s")},
	{"session list", naming("session list")},
	{"session rebuild", naming("session rebuild s")},
	{"session show", naming("session show s")},
	{"session stats", naming("session stats s")},
	{"journal", onFacts("journal {word} --agent ada")},
	{"core", onFacts("core {word} --agent ada")},
	{"bundle", naming("bundle --session s --agent bot")},
	{"query", naming("query .key")},
	{"diff", onFacts("diff {name}")},
	{"merge", []ruleLine{
		{args: "merge {name} {fact} --into {fact}"},
		{args: "merge {name} {fact} --into /merged/{n}"},
		{args: "merge {fact} {other} --into {key}"},
		{args: "merge {fact} {name} --into {key}"},
		{args: "merge {name} {fact} --into {fact} --force"},
	}},
	{"mv", []ruleLine{
		{args: "mv {key} /moved/{n}", kinds: "keys"},
		{args: "mv {name} /moved/{n}", kinds: "notes", effect: beside},
		{args: "mv {key} /rules/user/moved{n}", effect: beside},
		{args: "mv {fact} {key} --force", kinds: "keys"},
		{args: "mv {fact} {key} --force", kinds: "notes", effect: beside},
		{args: "--layer user mv {key} /user/moved/{n}", two: true, user: true},
	}},
	{"touch", []ruleLine{
		{args: "touch {name} --importance 0.1"},
		{args: "touch {key} --expires 2026-02-22T10:00:01Z"},
		{args: "touch {name} --ttl 1s"},
		{args: "touch {name} --tag x"},
		{args: "--layer user touch {key} --importance 0.3", two: true, user: true},
		{args: "touch {fact} {name} --importance 0.2"},
		{args: "touch m-1 --tag -preference", kinds: "tagged note", effect: beside},
		{args: "touch {name} --current", effect: beside},
	}},
	{"pin", []ruleLine{{args: "pin {name}", kinds: "keys"},
		{args: "pin {name}", kinds: "tagged note"}, {args: "pin {name}", kinds: "pins", effect: beside},
		{args: "pin --off {name}", kinds: "pins"},
		{args: "pin --off {name} --propose", kinds: "pins", effect: beside},
	}},
	{"unpin", []ruleLine{{args: "unpin {name}", kinds: "pins"}}},
	{"supersede", append([]ruleLine{{args: "supersede {name} {peer}"},
		{args: "--layer user supersede {name} {peer}", two: true, user: true}},
		onFacts("supersede {fact} {name}", "supersede {name} {fact}")...)},
	{"audit", naming("audit")},
	{"approve", []ruleLine{{args: "approve {name}", effect: decides, keeps: true}}},
	{"reject", []ruleLine{{args: "reject {name}", effect: beside}}},
	{"compact", naming("compact", "compact --if-needed")},
	{"fsck", naming("fsck", "fsck --repair", "fsck --adopt")},
	{"stat", naming("stat")},
	{"config", naming("config list")},
	{"config get", naming("config get knowledge")},
	{"config list", naming("config list")},
	{"config set", naming("config set memory.max_total 1", "config set memory.inject_mode off",
		"config set memory.max_inject_count 0", "config set inject.start_tokens 0",
		"config set weights.importance 0")},
	{"agent", naming("agent list")},
	{"agent delete", naming("agent delete ada", "agent delete ada --purge", "agent delete bot")},
	{"agent list", naming("agent list")},
	{"import", []ruleLine{
		{args: "import - <<< " + setLine, effect: beside, keeps: true},
		{args: "import - <<< " + stamped, effect: beside, keeps: true},
		{args: "import - <<< " + gone, effect: beside, keeps: true},
		{args: "import - --force <<< " + stamped, effect: beside, keeps: true},
		{args: "import - --mine <<< " + stamped, effect: decides, keeps: true},
	}},
	{"export", naming("export")},
	{"copy", naming("copy {home}/memory {home}/copy", "copy {home}/copy {home}/memory")},
	{"move", append([]ruleLine{
		{args: "move {name} --to project", two: true, kinds: "user", effect: beside},
		{args: "move {name} --to user", two: true, kinds: "notes"},
	}, naming("move --unfiled --to project")...)},
	{"init", naming("init", "init --shared")},
	{"trust", naming("trust", "trust --list")},
	{"project", naming("project link")},
	{"hook", naming("hook codex <<< {}")},
	{"prompt", naming("prompt")},
	{"injections", naming("injections")},
	{"memory-tool", []ruleLine{
		{args: `memory-tool - <<< {"command":"create","path":"{key}","file_text":"changed"}`,
			kinds: "file", effect: beside},
		{args: `memory-tool - <<< {"command":"str_replace","path":"{key}","old_str":"desk","new_str":"x"}`,
			kinds: "file"},
		{args: `memory-tool - <<< {"command":"insert","path":"{key}","insert_line":0,"insert_text":"x"}`,
			kinds: "file"},
		{args: `memory-tool - <<< {"command":"rename","old_path":"{key}","new_path":"/memories/m"}`,
			kinds: "file"},
		{args: `memory-tool - <<< {"command":"delete","path":"{key}"}`, kinds: "file"},
		{args: `memory-tool - <<< {"command":"delete","path":"/memories"}`, effect: beside, once: true},
	}},
	{"on", naming("on")},
	{"off", naming("off")},
	{"mcp", naming("mcp <<< {}")},
	{"migrate", naming("migrate")},
	{"version", naming("version")},
	{"serve", naming("serve --help")},
	{"space", naming("space")},
	{"space add", naming("space add x")},
	{"space ls", naming("space ls")},
	{"token", naming("token list")},
	{"token add", naming("token add t --person --root {home}/memory")},
	{"token list", naming("token list")},
	{"token revoke", naming("token revoke t")},
	{"token login", naming("token login https://localhost:1/t1")},
	{"token logout", naming("token logout https://localhost:1/t1")},
	{"key", naming("key")},
	{"key new", naming("key new k")},
	{"key rotate", naming("key rotate k")},
	{"sync", naming("sync")},
	{"sync accept", naming("sync accept 0000")},
	{"sync init", naming("sync init x")},
	{"sync join", naming("sync join x")},
	{"sync late", naming("sync late", "sync late --take")},
	{"sync list", naming("sync list")},
	{"sync remove", naming("sync remove x")},
	{"depot", naming("depot x")},
	{"backup", naming("backup x")},
	{"restore", naming("restore x")},
}
