package main

import (
	"net/http"
	"strings"
)

// gemini is the API of that name, as Gemini CLI speaks it.
type gemini struct{}

func (gemini) speaks(path string) bool { return strings.HasPrefix(path, "/v1beta/models/") }

func (gemini) tools(body object) (found []tool) {
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

func (gemini) answer(w http.ResponseWriter, r *http.Request, _ object, _ int, made *made) {
	if strings.HasSuffix(r.URL.Path, ":countTokens") {
		writeJSON(w, object{"totalTokens": 1})
		return
	}
	part := object{"text": reply}
	if made != nil {
		part = object{"functionCall": object{"name": made.tool.name, "args": made.input}}
	}
	candidate := object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}
	usage := object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
	answer := object{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": "stand-in"}
	if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		writeEvent(w, "", answer)
		return
	}
	writeJSON(w, answer)
}
