package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// captureRows measures what a hook at every tool costs, in a conversation with a journal, beside a
// process that does nothing.
func (l *lab) captureRows(ctx context.Context, root string) {
	was := os.Getenv("XDG_STATE_HOME")
	os.Setenv("XDG_STATE_HOME", l.path("state"))
	defer os.Setenv("XDG_STATE_HOME", was)
	version := always(cmd(l.mem, "version"))
	for i, size := range []int{500, 100 << 10} {
		session := fmt.Sprintf("captured-%d", i)
		begin, tool := l.path(session+"-start.json"), l.path(session+"-tool.json")
		for name, event := range map[string][]byte{
			begin: hookEvent("SessionStart", "", session),
			tool: fmt.Appendf(nil, `{"session_id":%q,"cwd":"/","hook_event_name":"PostToolUse",`+
				`"tool_name":"Bash","tool_input":{"command":"go test ./..."},`+
				`"tool_response":{"stdout":%q}}`, session, strings.Repeat("ok\n", size/3)),
		} {
			harness.Check(os.WriteFile(name, event, 0o600))
		}
		l.run(ctx, l.memHook(root, begin))
		took := l.race(ctx, max(1, l.sizes.reps), always(l.memHook(root, tool)), version)
		l.add(row{
			what: "`mem hook`, PostToolUse with " + []string{"500 bytes", "100 KiB"}[i] +
				" of output", mem: took[0], rival: "`mem version`", other: took[1],
			note: fmt.Sprintf("p99 %s and %s", harness.Duration(took[0].quantile(0.99)),
				harness.Duration(took[1].quantile(0.99))),
		})
	}
}
