package main

import "path/filepath"

// wire makes the client call mem's hook.
func (l *lab) wire() error {
	switch l.name {
	case "claude-code":
		handler := map[string]any{"type": "command", "command": "mem", "args": []string{"hook", l.name}, "timeout": 5}
		return writeSettings(filepath.Join(l.home, ".claude", "settings.json"), map[string]any{"hooks": on(handler, l.start, l.client.prompt, "SubagentStart")})
	case "codex":
		handler := map[string]any{"type": "command", "command": "mem hook codex", "timeout": 5}
		return writeSettings(filepath.Join(l.home, ".codex", "hooks.json"), map[string]any{"hooks": on(handler, l.start, l.client.prompt, "SubagentStart")})
	}
	handler := map[string]any{"type": "command", "command": "mem hook gemini", "timeout": 5000}
	path := filepath.Join(l.home, ".gemini", "settings.json")
	settings, err := readSettings(path)
	if err != nil {
		return err
	}
	settings["hooks"] = on(handler, l.start, l.client.prompt)
	return writeSettings(path, settings)
}

func on(handler map[string]any, events ...string) map[string]any {
	hooks := map[string]any{}
	for _, event := range events {
		hooks[event] = []any{map[string]any{"hooks": []any{handler}}}
	}
	return hooks
}
