package main

import (
	"fmt"
	"net/http"
	"strings"
)

// anthropic is the Messages API, as Claude Code speaks it.
type anthropic struct{}

func (anthropic) speaks(path string) bool { return strings.HasPrefix(path, "/v1/messages") }

func (anthropic) tools(body object) (found []tool) {
	for _, t := range list(body, "tools") {
		found = append(found, tool{name: text(t, "name"), inputs: names(field(t, "input_schema"))})
	}
	return found
}

func (anthropic) answer(w http.ResponseWriter, r *http.Request, body object, turn int, made *made) {
	if strings.HasSuffix(r.URL.Path, "/count_tokens") {
		writeJSON(w, object{"input_tokens": 10})
		return
	}
	message := object{
		"id": fmt.Sprintf("msg_%d", turn), "type": "message", "role": "assistant", "model": body["model"], "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 1},
	}
	if stream, _ := body["stream"].(bool); !stream {
		message["content"] = []any{object{"type": "text", "text": reply}}
		message["stop_reason"] = "end_turn"
		writeJSON(w, message)
		return
	}
	block, delta, stop := anthropicBlock(turn, made)
	typedEvents(w,
		typed{"message_start", object{"message": message}},
		typed{"content_block_start", object{"index": 0, "content_block": block}},
		typed{"content_block_delta", object{"index": 0, "delta": delta}},
		typed{"content_block_stop", object{"index": 0}},
		typed{"message_delta", object{
			"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 3},
		}},
		typed{"message_stop", object{}})
}

func anthropicBlock(turn int, made *made) (block, delta object, stop string) {
	if made == nil {
		return object{"type": "text", "text": ""}, object{"type": "text_delta", "text": reply}, "end_turn"
	}
	block = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", turn), "name": made.tool.name, "input": object{}}
	return block, object{"type": "input_json_delta", "partial_json": made.inputJSON()}, "tool_use"
}
