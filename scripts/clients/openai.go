package main

import (
	"fmt"
	"net/http"
	"strings"
)

// openai is the Responses API, as Codex speaks it.
type openai struct{}

func (openai) speaks(path string) bool { return strings.HasSuffix(path, "/responses") }

func (openai) tools(body object) (found []tool) {
	for _, t := range list(body, "tools") {
		if text(t, "type") != "namespace" {
			found = append(found, openaiTool(t, ""))
			continue
		}
		for _, inner := range list(t, "tools") {
			found = append(found, openaiTool(inner, text(t, "name")))
		}
	}
	return found
}

func openaiTool(t any, namespace string) tool {
	return tool{name: text(t, "name"), namespace: namespace, inputs: names(field(t, "parameters")), freeform: text(t, "type") == "custom"}
}

func (openai) answer(w http.ResponseWriter, _ *http.Request, _ object, turn int, made *made) {
	id := fmt.Sprintf("resp_%d", turn)
	usage := object{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}
	typedEvents(w,
		typed{"response.created", object{"response": object{"id": id}}},
		typed{"response.output_item.done", object{"output_index": 0, "item": openaiItem(turn, made)}},
		typed{"response.completed", object{"response": object{"id": id, "usage": usage}}})
}

func openaiItem(turn int, made *made) object {
	if made == nil {
		content := []any{object{"type": "output_text", "text": reply, "annotations": []any{}}}
		return object{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", turn), "content": content}
	}
	if made.tool.freeform {
		return object{"type": "custom_tool_call", "id": fmt.Sprintf("ct_%d", turn), "call_id": fmt.Sprintf("call_%d", turn), "name": made.tool.name, "input": made.input["input"]}
	}
	item := object{"type": "function_call", "id": fmt.Sprintf("fc_%d", turn), "call_id": fmt.Sprintf("call_%d", turn), "name": made.tool.name, "arguments": made.inputJSON()}
	if made.tool.namespace != "" {
		item["namespace"] = made.tool.namespace
	}
	return item
}
