package main

import (
	"fmt"
	"net/http"
	"strings"
)

// chat is the Chat Completions API, which most clients speak with a provider of their user's own.
type chat struct{}

func (chat) speaks(path string) bool { return strings.HasSuffix(path, "/chat/completions") }

func (chat) tools(body object) (found []tool) {
	for _, t := range list(body, "tools") {
		of := field(t, "function")
		found = append(found, tool{name: text(of, "name"), inputs: names(field(of, "parameters"))})
	}
	return found
}

func (chat) answer(w http.ResponseWriter, _ *http.Request, body object, turn int, made *made) {
	message, finish := object{"role": "assistant", "content": reply}, "stop"
	if made != nil {
		of := object{"name": made.tool.name, "arguments": made.inputJSON()}
		calls := []any{object{
			"index": 0, "id": fmt.Sprintf("call_%d", turn), "type": "function", "function": of,
		}}
		message = object{"role": "assistant", "content": nil, "tool_calls": calls}
		finish = "tool_calls"
	}
	usage := object{"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
	answer := object{
		"id": fmt.Sprintf("chat_%d", turn), "created": 1, "model": body["model"], "usage": usage,
	}
	choice := object{"index": 0, "finish_reason": finish}
	if stream, _ := body["stream"].(bool); !stream {
		choice["message"] = message
		answer["object"], answer["choices"] = "chat.completion", []any{choice}
		writeJSON(w, answer)
		return
	}
	choice["delta"] = message
	answer["object"], answer["choices"] = "chat.completion.chunk", []any{choice}
	writeEvent(w, "", answer)
	fmt.Fprint(w, "data: [DONE]\n\n")
}
