package setup

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// hook is one event that a client is to tell us of.
type hook struct {
	event   string
	matcher string // which of its occasions; "" is all
	timeout int    // in the unit of the client
}

// hooks is a settings file that has an object "hooks", with a list of handlers for each event.
type hooks struct {
	want []hook
	flat bool   // handlers stand in the list of the event; else in groups, in the list "hooks" of each
	exec bool   // a handler names program and arguments apart; else one line for a shell
	off  string // the member that, when true, keeps every hook from running
}

// add puts our handlers in where they are missing and corrects what they run. Everything else stays as it is, byte for byte.
func (h hooks) add(text []byte, ask Ask) ([]byte, error) {
	body, bom := bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	for _, want := range h.want {
		var err error
		if body, err = h.addOne(body, want, ask); err != nil {
			return nil, err
		}
	}
	if bom {
		body = slices.Concat(byteOrderMark, body)
	}
	return body, nil
}

// disabled reports whether the settings keep every hook from running.
func (h hooks) disabled(text []byte) bool {
	root, err := parse(bytes.TrimPrefix(text, byteOrderMark))
	return err == nil && h.off != "" && root.get(h.off).kind == 't'
}

func (h hooks) addOne(text []byte, want hook, ask Ask) ([]byte, error) {
	root, all, err := readHooks(text)
	if err != nil {
		return nil, err
	}
	list := all.get(want.event)
	step := unit(text, root)
	switch {
	case all.kind == 0:
		return insert(text, root, step, func(s style) string {
			return `"hooks": ` + s.brackets("{", "}", []string{h.member(s.deeper(), want, ask)})
		}), nil
	case list.kind == 0:
		return insert(text, all, step, func(s style) string { return h.member(s, want, ask) }), nil
	case list.kind != '[':
		return nil, here(text, list.start, "hooks.%s is %s, want a list", want.event, kindName(list.kind))
	}
	found := h.ours(list)
	if len(found) == 0 {
		return insert(text, list, step, func(s style) string { return h.element(s, want, ask) }), nil
	}
	if len(found) > 1 {
		// Two of ours would tell the same twice. The last first, so that the places of the others stay.
		return h.addOne(h.drop(text, list, found[len(found)-1]), want, ask)
	}
	return h.correct(text, found[0].handler(list), ask), nil
}

// readHooks gives the whole and its member hooks, which may be missing.
func readHooks(text []byte) (root, all node, err error) {
	if root, err = parse(text); err != nil {
		return root, all, err
	}
	if root.kind != '{' {
		return root, all, here(text, root.start, "it is %s, want an object", kindName(root.kind))
	}
	if all = root.get("hooks"); all.kind != 0 && all.kind != '{' {
		return root, all, here(text, all.start, "hooks is %s, want an object", kindName(all.kind))
	}
	return root, all, nil
}

func kindName(k hujson.Kind) string {
	names := map[hujson.Kind]string{'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "a number", '{': "an object", '[': "a list"}
	return names[k]
}

// spot is where a handler stands in the list of its event.
type spot struct {
	group int
	at    int // within the group; -1: the list holds handlers, not groups
}

func (s spot) handler(list node) node {
	if s.at < 0 {
		return list.items[s.group].value
	}
	return list.items[s.group].value.get("hooks").items[s.at].value
}

// ours finds our handlers in the list of an event, alone or among others in a group.
func (h hooks) ours(list node) (found []spot) {
	for i, e := range list.items {
		if h.flat {
			if isOurs(handlerWords(e.value)) {
				found = append(found, spot{i, -1})
			}
			continue
		}
		group := e.value.get("hooks")
		if group.kind != '[' {
			continue
		}
		for j, handler := range group.items {
			if isOurs(handlerWords(handler.value)) {
				found = append(found, spot{i, j})
			}
		}
	}
	return found
}

// correct makes a handler of ours run what it should. Other members, a timeout for one, may have been chosen by a person.
func (h hooks) correct(text []byte, handler node, ask Ask) []byte {
	words := ask.words()
	if slices.Equal(handlerWords(handler), words) && (handler.get("args").kind == '[') == h.exec {
		return text
	}
	command, args := handler.get("command"), handler.get("args")
	st := style{newline: newline(text), indent: indent(text, handler.start), step: "  "}
	switch {
	case h.exec && args.kind == '[' && args.start > command.start:
		text = splice(text, args.start, args.end-args.start, wordList(st, words[1:]))
		return splice(text, command.start, command.end-command.start, quote(words[0]))
	case !h.exec && args.kind == 0:
		return splice(text, command.start, command.end-command.start, quote(shellLine(words, ask.Windows)))
	}
	whole := h.handler(st, hook{timeout: timeoutOf(handler)}, ask)
	return splice(text, handler.start, handler.end-handler.start, whole)
}

func timeoutOf(handler node) int {
	n := handler.get("timeout")
	if n.kind != '0' {
		return 0
	}
	return int(n.literal.Int())
}

// strip takes our handlers out, and with them the groups, lists and the object that hold nothing else and were not there before: not in the
// text that was put aside at the first change.
func (h hooks) strip(text, original []byte) ([]byte, error) {
	body, bom := bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		return text, nil
	}
	before := h.foreign(original)
	for was := body; ; {
		root, all, err := readHooks(body)
		if err != nil {
			return nil, err
		}
		event, last := h.lastOurs(all)
		switch {
		case event < 0 && len(was) > len(body) && blank(original) && bare(body, root):
			return original, nil // we made the object
		case event < 0 && bom:
			return slices.Concat(byteOrderMark, body), nil
		case event < 0:
			return body, nil
		}
		list := all.items[event].value
		if body = h.drop(body, list, last); len(list.items) == 1 {
			body = h.prune(body, all.items[event].name, before)
		}
	}
}

// foreign gives what stood in the member hooks at first, less what may have been ours even then.
func (h hooks) foreign(original []byte) node {
	if blank(original) {
		return node{}
	}
	rest, err := h.strip(original, nil)
	if err != nil {
		return node{}
	}
	_, all, _ := readHooks(bytes.TrimPrefix(rest, byteOrderMark))
	return all
}

// blank reports whether a text says nothing.
func blank(text []byte) bool { return len(bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))) == 0 }

// bare reports whether there is nothing in a container, and no comment either.
func bare(text []byte, c node) bool {
	comments, _ := extra(text, c.start+1)
	return len(c.items)+len(comments) == 0
}

// lastOurs gives the last of our handlers under any event; -1 if there is none.
func (h hooks) lastOurs(all node) (event int, last spot) {
	for i := len(all.items) - 1; i >= 0; i-- {
		if found := h.ours(all.items[i].value); len(found) > 0 {
			return i, found[len(found)-1]
		}
	}
	return -1, spot{}
}

// drop takes one handler out, with its group if nothing else is in it.
func (h hooks) drop(text []byte, list node, s spot) []byte {
	if s.at >= 0 {
		if group := list.items[s.group].value.get("hooks"); len(group.items) > 1 {
			return remove(text, group, s.at)
		}
	}
	return remove(text, list, s.group)
}

// prune takes the list of an event out if it is empty now and was not before, and then the object hooks in the same way.
func (h hooks) prune(text []byte, event string, before node) []byte {
	_, all, err := readHooks(text)
	if err != nil || before.member(event) >= 0 || !bare(text, all.get(event)) {
		return text
	}
	text = remove(text, all, all.member(event))
	if root, all, err := readHooks(text); err == nil && before.kind == 0 && bare(text, all) {
		text = remove(text, root, root.member("hooks"))
	}
	return text
}

// member, element and handler write what is missing.
func (h hooks) member(s style, want hook, ask Ask) string {
	return quote(want.event) + ": " + s.brackets("[", "]", []string{h.element(s.deeper(), want, ask)})
}

func (h hooks) element(s style, want hook, ask Ask) string {
	if h.flat {
		return h.handler(s, want, ask)
	}
	var parts []string
	if want.matcher != "" {
		parts = append(parts, `"matcher": `+quote(want.matcher))
	}
	in := s.deeper()
	parts = append(parts, `"hooks": `+in.brackets("[", "]", []string{h.handler(in.deeper(), want, ask)}))
	return s.brackets("{", "}", parts)
}

func (h hooks) handler(s style, want hook, ask Ask) string {
	words := ask.words()
	parts := []string{`"type": "command"`}
	if h.exec {
		parts = append(parts, `"command": `+quote(words[0]), `"args": `+wordList(s, words[1:]))
	} else {
		parts = append(parts, `"command": `+quote(shellLine(words, ask.Windows)))
	}
	if want.timeout > 0 {
		parts = append(parts, `"timeout": `+strconv.Itoa(want.timeout))
	}
	return s.brackets("{", "}", parts)
}

// wordList writes arguments, always in one line.
func wordList(s style, words []string) string {
	s.lines = false
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return s.brackets("[", "]", quoted)
}

// quote spells a JSON string. A path keeps its letters: < and & mean nothing here.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
