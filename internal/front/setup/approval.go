package setup

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// defaultTimeout is the timeout in seconds of a handler of Codex that names none.
const defaultTimeout = 600

// UnapprovedEvents returns the events of the hooks that the client passes over, because its user
// has not approved them as they are now; nil where it wants no approval.
func UnapprovedEvents(r Request) (events []string) {
	e, text := r.readMainFile()
	h, ok := e.(hooks)
	if !ok || h.Approvals == "" {
		return nil
	}
	_, all, err := readHooks(bytes.TrimPrefix(text, byteOrderMark))
	if err != nil {
		return nil
	}
	given, _, err := readFile(filepath.Join(r.Place.HomeOf(r.Client), h.Approvals))
	if err != nil {
		return nil // it cannot be known
	}
	for _, event := range h.Events {
		list := all.get(event.Name)
		for _, p := range h.handlers(list, ours) {
			sum := approvalSum(event.Name, list.items[p.group].value, p.handler(list))
			if !bytes.Contains(given, []byte(sum)) {
				events = append(events, event.Name)
			}
		}
	}
	return events
}

var innerCapital = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(.)([A-Z])`)
})

// approvalSum returns the checksum by which Codex knows a handler that was approved: that of its
// event, the matcher of its group and its members in one JSON object, with sorted names.
func approvalSum(event string, group, handler node) string {
	timeout := timeoutOf(handler)
	if timeout == 0 {
		timeout = defaultTimeout
	}
	name := strings.ToLower(innerCapital().ReplaceAllString(event, "${1}_$2"))
	text := fmt.Sprintf(`{"event_name":%s,"hooks":[{"async":false,"command":%s,"timeout":%d,`+
		`"type":"command"}]`, quote(name), quote(handler.get("command").text()), timeout)
	if matcher := group.get("matcher"); matcher.kind == '"' {
		text += `,"matcher":` + quote(matcher.text())
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text+"}")))
}
