package main

import (
	"fmt"
	"net/http"
	"strings"
)

// anthropic is the Messages API, as Claude Code speaks it.
type anthropic struct{}

func (anthropic) speaks(path string) bool { return strings.HasPrefix(path, "/v1/messages") }

func (anthropic) tools(body map[string]any) (found []tool) {
	for _, t := range list(body, "tools") {
		found = append(found, tool{name: text(t, "name"), inputs: names(field(t, "input_schema"))})
	}
	return found
}

func (anthropic) answer(w http.ResponseWriter, r *http.Request, body map[string]any, turn int, made *made) {
	if strings.HasSuffix(r.URL.Path, "/count_tokens") {
		writeJSON(w, map[string]any{"input_tokens": 10})
		return
	}
	message := map[string]any{
		"id": fmt.Sprintf("msg_%d", turn), "type": "message", "role": "assistant", "model": body["model"], "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 10, "output_tokens": 1},
	}
	if stream, _ := body["stream"].(bool); !stream {
		message["content"] = []any{map[string]any{"type": "text", "text": reply}}
		message["stop_reason"] = "end_turn"
		writeJSON(w, message)
		return
	}
	block, delta, stop := anthropicBlock(turn, made)
	typedEvents(w,
		typed{"message_start", map[string]any{"message": message}},
		typed{"content_block_start", map[string]any{"index": 0, "content_block": block}},
		typed{"content_block_delta", map[string]any{"index": 0, "delta": delta}},
		typed{"content_block_stop", map[string]any{"index": 0}},
		typed{"message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 3},
		}},
		typed{"message_stop", map[string]any{}})
}

func anthropicBlock(turn int, made *made) (block, delta map[string]any, stop string) {
	if made == nil {
		return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": reply}, "end_turn"
	}
	block = map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", turn), "name": made.tool.name, "input": map[string]any{}}
	return block, map[string]any{"type": "input_json_delta", "partial_json": made.inputJSON()}, "tool_use"
}
