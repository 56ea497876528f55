package main

import (
	"net/http"
	"strings"
)

// gemini is the API of that name, as Gemini CLI speaks it.
type gemini struct{}

func (gemini) speaks(path string) bool { return strings.HasPrefix(path, "/v1beta/models/") }

func (gemini) tools(body map[string]any) (found []tool) {
	for _, group := range list(body, "tools") {
		for _, t := range list(group, "functionDeclarations") {
			schema := field(t, "parametersJsonSchema")
			if schema == nil {
				schema = field(t, "parameters")
			}
			found = append(found, tool{name: text(t, "name"), inputs: names(schema)})
		}
	}
	return found
}

func (gemini) answer(w http.ResponseWriter, r *http.Request, _ map[string]any, _ int, made *made) {
	if strings.HasSuffix(r.URL.Path, ":countTokens") {
		writeJSON(w, map[string]any{"totalTokens": 1})
		return
	}
	part := map[string]any{"text": reply}
	if made != nil {
		part = map[string]any{"functionCall": map[string]any{"name": made.tool.name, "args": made.input}}
	}
	candidate := map[string]any{"content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}
	usage := map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
	answer := map[string]any{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": "stand-in"}
	if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		writeEvent(w, "", answer)
		return
	}
	writeJSON(w, answer)
}
