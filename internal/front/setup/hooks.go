package setup

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// hooks edits a settings file that has an object "hooks", with a list of handlers for each event.
// The handlers stand in groups, in the list "hooks" of each, unless the form is flatHooks.
type hooks struct{ Hooks }

// add returns the text with our handlers where they are missing, and with the right command where
// they are not. Everything else stays as it is, byte for byte.
func (h hooks) add(text []byte, r Request) ([]byte, error) {
	body, bom := bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	for _, event := range h.Events {
		var err error
		if event.Capture && slices.Contains(r.Flags, NoCapture) {
			body, err = h.removeEvent(body, event.Name)
		} else {
			body, err = h.addEvent(body, event, r)
		}
		if err != nil {
			return nil, err
		}
	}
	if bom {
		body = slices.Concat(byteOrderMark, body)
	}
	return body, nil
}

func (h hooks) addEvent(text []byte, event Event, r Request) ([]byte, error) {
	root, all, err := readHooks(text)
	if err != nil {
		return nil, err
	}
	list := all.get(event.Name)
	step := indentStep(text, root)
	switch {
	case all.kind == 0:
		return insertItem(text, root, step, func(s style) string {
			return `"hooks": ` + s.brackets("{", "}", []string{h.member(s.deeper(), event, r)})
		}), nil
	case list.kind == 0:
		return insertItem(text, all, step, func(s style) string {
			return h.member(s, event, r)
		}), nil
	case list.kind != '[':
		return nil, errorAt(text, list.start, "hooks.%s is %s, want a list",
			event.Name, kindName(list.kind))
	}
	found := h.handlers(list, ours)
	switch {
	case len(found) == 0 && len(h.handlers(list, custom)) > 0:
		return text, nil // mem runs already, and twice it would say everything twice
	case len(found) == 0:
		return insertItem(text, list, step, func(s style) string {
			return h.element(s, event, r)
		}), nil
	case len(found) > 1:
		// Two of ours would add the same memories twice. The last one is removed first, so that the
		// positions of the others stay valid.
		return h.addEvent(h.removeHandler(text, list, found[len(found)-1]), event, r)
	}
	return h.correct(text, found[0].handler(list), r), nil
}

// removeEvent returns the text without our handlers of an event.
func (h hooks) removeEvent(text []byte, event string) ([]byte, error) {
	for {
		_, all, err := readHooks(text)
		if err != nil {
			return nil, err
		}
		list := all.get(event)
		found := h.handlers(list, ours)
		if len(found) == 0 {
			return text, nil
		}
		last := len(list.items) == 1
		if text = h.removeHandler(text, list, found[len(found)-1]); last {
			text = h.removeEmpty(text, event, node{})
		}
	}
}

// readHooks returns the whole text and its member "hooks", whose kind is 0 if it is missing.
func readHooks(text []byte) (root, all node, err error) {
	if root, err = parse(text); err != nil {
		return root, all, err
	}
	if root.kind != '{' {
		return root, all, errorAt(text, root.start, "it is %s, want an object", kindName(root.kind))
	}
	if all = root.get("hooks"); all.kind != 0 && all.kind != '{' {
		err = errorAt(text, all.start, "hooks is %s, want an object", kindName(all.kind))
	}
	return root, all, err
}

func kindName(k hujson.Kind) string {
	names := map[hujson.Kind]string{
		'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "a number",
		'{': "an object", '[': "a list",
	}
	return names[k]
}

// position is where a handler stands in the list of its event.
type position struct {
	group int
	index int // within the group; -1 if the list holds handlers, not groups
}

func (p position) handler(list node) node {
	if p.index < 0 {
		return list.items[p.group].value
	}
	return list.items[p.group].value.get("hooks").items[p.index].value
}

// handlers returns the positions of the handlers of a kind in the list of an event, whether a group
// holds other handlers too or not.
func (h hooks) handlers(list node, want kind) (found []position) {
	for i, e := range list.items {
		if h.Form == flatHooks {
			if kindOf(e.value) == want {
				found = append(found, position{i, -1})
			}
			continue
		}
		group := e.value.get("hooks")
		if group.kind != '[' {
			continue
		}
		for j, handler := range group.items {
			if kindOf(handler.value) == want {
				found = append(found, position{i, j})
			}
		}
	}
	return found
}

// correct returns the text with the right command in a handler of ours. Its other members, a
// timeout for one, stay: a person may have chosen them.
func (h hooks) correct(text []byte, handler node, r Request) []byte {
	words := r.words()
	withArgs := h.Form == argsHooks
	command, args := handler.get("command"), handler.get("args")
	asList := args.kind == '['
	if withArgs == asList && slices.Equal(handlerWords(handler), words) &&
		(withArgs || command.text() == hookLine(r)) {
		return text
	}
	s := style{newline: newline(text), indent: jsontext.IndentAt(text, handler.start), step: "  "}
	size := command.end - command.start
	switch {
	case withArgs && asList && args.start > command.start:
		text = splice(text, args.start, args.end-args.start, wordList(s, words[1:]))
		return splice(text, command.start, size, quote(words[0]))
	case withArgs && args.kind == 0 && handler.get("type").kind != 0:
		both := quote(words[0]) + `, "args": ` + wordList(s, words[1:])
		return splice(text, command.start, size, both)
	case !withArgs && args.kind == 0:
		return splice(text, command.start, size, quote(hookLine(r)))
	}
	whole := h.handler(s, Event{Timeout: timeoutOf(handler)}, r)
	return splice(text, handler.start, handler.end-handler.start, whole)
}

func timeoutOf(handler node) int {
	n := handler.get("timeout")
	if n.kind != '0' {
		return 0
	}
	return int(n.literal.Int())
}

// strip returns the text without our handlers, and without the groups, lists and the object that
// held nothing else and are not in the original either.
func (h hooks) strip(text, original []byte) ([]byte, error) {
	body, bom := bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		return text, nil
	}
	before := h.withoutOurs(original)
	for was := body; ; {
		root, all, err := readHooks(body)
		if err != nil {
			return nil, err
		}
		event, last := h.lastOurs(all)
		switch {
		case event < 0 && len(was) > len(body) && isBlank(original) && isNothingBut(body, root):
			return original, nil // add created the object
		case event < 0 && bom:
			return slices.Concat(byteOrderMark, body), nil
		case event < 0:
			return body, nil
		}
		list := all.items[event].value
		if body = h.removeHandler(body, list, last); len(list.items) == 1 {
			body = h.removeEmpty(body, all.items[event].name, before)
		}
	}
}

// withoutOurs returns the member "hooks" of the original without handlers that were ours already.
func (h hooks) withoutOurs(original []byte) node {
	if isBlank(original) {
		return node{}
	}
	rest, err := h.strip(original, nil)
	if err != nil {
		return node{}
	}
	_, all, _ := readHooks(bytes.TrimPrefix(rest, byteOrderMark))
	return all
}

// lastOurs returns the event and the position of the last of our handlers; the event is -1 if there
// is none. The events come in the reverse order of add: so each is removed from the very text that
// it was added to, whose indentation counts.
func (h hooks) lastOurs(all node) (event int, last position) {
	for _, e := range slices.Backward(h.Events) {
		i := all.member(e.Name)
		if i < 0 {
			continue
		}
		if found := h.handlers(all.items[i].value, ours); len(found) > 0 {
			return i, found[len(found)-1]
		}
	}
	for i := len(all.items) - 1; i >= 0; i-- {
		if found := h.handlers(all.items[i].value, ours); len(found) > 0 {
			return i, found[len(found)-1]
		}
	}
	return -1, position{}
}

// removeHandler returns the text without one handler, and without its group if it held nothing
// else.
func (h hooks) removeHandler(text []byte, list node, p position) []byte {
	if p.index >= 0 {
		if group := list.items[p.group].value.get("hooks"); len(group.items) > 1 {
			return removeItem(text, group, p.index)
		}
	}
	return removeItem(text, list, p.group)
}

// removeEmpty returns the text without the list of an event if it is empty now and did not exist
// before, and then without the object "hooks" by the same rule.
func (h hooks) removeEmpty(text []byte, event string, before node) []byte {
	_, all, err := readHooks(text)
	if err != nil || before.member(event) >= 0 || !isEmpty(text, all.get(event)) {
		return text
	}
	text = removeItem(text, all, all.member(event))
	root, all, err := readHooks(text)
	if err == nil && before.kind == 0 && isEmpty(text, all) {
		text = removeItem(text, root, root.member("hooks"))
	}
	return text
}

// command returns what the last of our handlers runs.
func (h hooks) command(text []byte) []string {
	_, all, err := readHooks(bytes.TrimPrefix(text, byteOrderMark))
	if err != nil {
		return nil
	}
	if event, last := h.lastOurs(all); event >= 0 {
		return handlerWords(last.handler(all.items[event].value))
	}
	return nil
}

// isNothingBut reports whether a text is an empty object, without a comment in it or around it.
func isNothingBut(text []byte, root node) bool {
	return isEmpty(text, root) && isBlank(text[:root.start]) && isBlank(text[root.end:])
}
