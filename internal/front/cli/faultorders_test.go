package cli

// order is a command that meets faults.
type order struct {
	args  []string
	stdin string
	ready func(f *faulty)   // what the store needs before; nil: nothing more
	fresh bool              // there is no store before
	after map[string]string // what keys hold once it was acknowledged; "" for none
}

var orders = []order{
	{
		args:  []string{"set", "/new/deep/key", "1", "-s", "t"},
		after: map[string]string{"/new/deep/key": "1"},
	},
	{
		args:  []string{"set", "/a", `"again"`, "-s", "t", "--if-ts", "2026-02-22T10:00:00.000002Z"},
		after: map[string]string{"/a": `"again"`},
	},
	{
		args:  []string{"set", "-", "-s", "t"},
		stdin: "{\"key\":\"/p\",\"content\":1}\n{\"key\":\"/a\",\"content\":null}\n",
		after: map[string]string{"/p": "1", "/a": ""},
	},
	{
		args:  []string{"set", "/first", "1", "-s", "t"},
		fresh: true,
		after: map[string]string{"/first": "1"},
	},
	{
		args:  []string{"set", "/new", "1", "-s", "t"},
		ready: (*faulty).torn,
		after: map[string]string{"/new": "1"},
	},
	{
		args:  []string{"set", "/new", "1", "-s", "t"},
		ready: (*faulty).copied,
		after: map[string]string{"/new": "1"},
	},
	{args: []string{"rm", "/b/c"}, after: map[string]string{"/b/c": ""}},
	{
		args:  []string{"mv", "/b/c", "/new"},
		after: map[string]string{"/b/c": "", "/new": "2"},
	},
	{args: []string{"undo", "/gone", "-s", "t"}, after: map[string]string{"/gone": "1"}},
	{
		args:  []string{"touch", "/t", "--tag", "x"},
		ready: (*faulty).texts,
		after: map[string]string{"/t": `{"text":"t","created_at":"2020","tags":["x"]}`},
	},
	{
		args:  []string{"merge", "/t", "/u", "--into", "/m"},
		ready: (*faulty).texts,
		after: map[string]string{
			"/m": `{"text":"t\nu","created_at":"2026-02-22T10:50:00.000000Z"}`, "/t": "", "/u": "",
		},
	},
	{
		args:  []string{"supersede", "/t", "/u"},
		ready: (*faulty).texts,
		after: map[string]string{"/t": `{"text":"t","created_at":"2020","superseded_by":"/u"}`},
	},
	{args: []string{"config", "set", "rotate.lines", "5"}, ready: (*faulty).rotating},
	{args: []string{"config", "set", "rotate.lines", "5"}, fresh: true},
	{args: []string{"config", "list"}, ready: (*faulty).rotating},
	{args: []string{"diff", "/a"}},
	{args: []string{"log"}},
	{
		args:  []string{"note", "new"},
		after: map[string]string{"/note/workspace/m-1": `{"type":"note","text":"new"}`},
	},
	{
		args:  []string{"note", "new"},
		ready: (*faulty).noted,
		after: map[string]string{
			"/note/workspace/m-3": `{"type":"note","text":"new"}`,
			"/note/workspace/m-2": "",
		},
	},
	{
		args:  []string{"note", "first"},
		fresh: true,
		after: map[string]string{"/note/workspace/m-1": `{"type":"note","text":"first"}`},
	},
	{
		args:  []string{"forget", "m-2"},
		ready: (*faulty).noted,
		after: map[string]string{"/note/workspace/m-2": ""},
	},
	{
		args:  []string{"forget", "/b/c", "--purge", "--yes", "--reason", "asked to"},
		after: map[string]string{"/b/c": ""},
	},
	{
		args:  []string{"forget", "--prefix", "/b", "--forget-key", "--yes"},
		ready: (*faulty).archived,
		after: map[string]string{"/b/c": ""},
	},
	{args: []string{"forget", "--prefix", "/b", "--reason", "old", "--yes"},
		after: map[string]string{"/b/c": ""}},
	{args: []string{"forget", "--grep", "letter", "--purge", "--dry-run"}},
	{args: []string{"forget", "--list"}},
	{args: []string{"notes"}, ready: (*faulty).noted},
	{args: []string{"read", "--format", "notes"}, ready: (*faulty).noted},
	{
		args: []string{"import", "-"},
		stdin: "{\"key\":\"/p\",\"content\":1}\n" +
			"{\"key\":\"/a\",\"content\":null}\n" +
			"{\"key\":\"/b/c\",\"content\":2}\n",
		after: map[string]string{"/p": "1"},
	},
	{
		args:  []string{"import", "OUTSIDE/theirs"},
		ready: (*faulty).theirs,
		after: map[string]string{
			"/claude/topic":     `{"text":"theirs"}`,
			"/claude/sub/topic": `{"text":"too"}`,
		},
	},
	{args: []string{"import", "OUTSIDE/theirs/topic.md", "--dry-run"}, ready: (*faulty).theirs},
	{args: []string{"export"}},
	{args: []string{"export", "--format", "memory-md", "--out", "OUTSIDE/out/new/MEMORY.md"}},
	{args: []string{"export", "--format", "mcp", "--out", "OUTSIDE/out/graph.jsonl"}},
	{
		args:  []string{"export", "--format", "claude-memory", "--out", "OUTSIDE/out"},
		ready: (*faulty).exported,
	},
	{args: []string{"get", "/a"}},
	{args: []string{"get", "/gone"}},
	{args: []string{"read"}},
	{args: []string{"read", "--query", "letter"}},
	{args: []string{"search", "letter"}},
	{args: []string{"ls"}},
	{args: []string{"query", ".content"}},
	{args: []string{"query", "--history", ".content"}},
	{args: []string{"history", "/a"}},
	{args: []string{"stat"}},
	{args: []string{"compact"}},
	{args: []string{"compact"}, ready: (*faulty).rotating},
	{args: []string{"fsck"}},
	{args: []string{"fsck"}, ready: (*faulty).damaged},
	{args: []string{"fsck", "--repair"}, ready: (*faulty).damaged},
	{args: []string{"fsck", "--accept-loss", "archive/log_20260222T104500Z.jsonl", "--yes", "-q"},
		ready: (*faulty).lostArchive, after: map[string]string{"/gone": ""}},
	{
		args:  []string{"fsck", "--adopt", "--yes"},
		ready: (*faulty).edited,
		after: map[string]string{"/b/c": "22"},
	},
	{args: []string{"init"}, fresh: true},
	{
		args:  []string{"approve", "--yes", "/kb/fact"},
		after: map[string]string{"/kb/fact": "8", "/untrusted/kb/fact": ""},
	},
	{
		args: []string{
			"approve", "--yes", "/kb/fact",
			"--kind", "web", "--name", "x.org", "--url", "https://x.org/spec",
		},
		after: map[string]string{"/kb/fact": "8", "/untrusted/kb/fact": ""},
	},
	{args: []string{"reject", "--yes", "/kb/fact"},
		after: map[string]string{"/untrusted/kb/fact": ""}},
}
