package main

import (
	"errors"
	"fmt"
	"strings"
)

// server: the client finds mem's server by what mem setup --mcp wrote, and says so; its model calls
// a tool of it and reads the answer, and mem knows which client it was.
func server(l *lab) error {
	if err := l.setUp("--mcp"); err != nil {
		return err
	}
	listed, err := l.exec("", l.Program, "mcp", "list")
	if err != nil {
		return err
	}
	if all := listed.out + listed.err; !strings.Contains(all, "mem") || !strings.Contains(all, l.connected) {
		return fmt.Errorf("mcp list does not say %q of mem: %.300q", l.connected, all)
	}
	for _, c := range l.serverCalls(call{"mem_note", object{"text": noted, "tags": []string{"habit"}}}) {
		l.model.willCall(c)
	}
	requests, _, err := l.run(l.client.ask("Remember how Ada drinks her coffee.", false))
	if err != nil {
		return err
	}
	r := requests[len(requests)-1]
	if l.model.uncalled() > 0 {
		return r.fault("%d calls found no tool to make", l.model.uncalled())
	}
	if n := r.times(`"ok":true`) + r.times(`\"ok\":true`); n == 0 {
		return r.fault("the answer of the tool did not arrive")
	}
	notes, err := l.runMem("", "search", strings.Fields(noted)[0], "--type", "note", "--json", "--jq", ".memories[].key")
	if err != nil {
		return err
	}
	said, err := l.runMem("", "get", strings.TrimSpace(notes), "--envelope", "--jq", ".source | [.kind, .name, .locator.via] | join(\" \")")
	if want := "agent " + l.Name + " mcp\n"; said != want {
		return errors.Join(err, fmt.Errorf("the source is %q, want %q", said, want))
	}
	return err
}
