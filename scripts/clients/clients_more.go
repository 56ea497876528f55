package main

import (
	"path/filepath"

	"github.com/set-memory/mem/internal/front/setup"
)

// Clients that speak the Chat Completions API with a provider of their user's own.

func qwen() client {
	return client{
		Client: setup.ClientByName("qwen"), shown: escaped, session: true, connected: "Connected",
		wrapper: "</qwen:user-prompt-submit-context>",
		env: func(url string) []string {
			return []string{
				"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=stand-in",
				"QWEN_CODE_SUPPRESS_YOLO_WARNING=1",
			}
		},
		prepare: func(home, _ string) {
			// Without the last member a sub-agent reads each conversation once more at its end.
			const settings = `{"security":{"auth":{"selectedType":"openai"}},` +
				`"telemetry":{"enabled":false},"privacy":{"usageStatisticsEnabled":false},` +
				`"general":{"enableAutoUpdate":false},"memory":{"enableManagedAutoMemory":false}}`
			write(filepath.Join(home, ".qwen", "settings.json"), settings)
		},
		ask: func(prompt string, again bool) []string {
			args := []string{"--yolo", "-p", prompt}
			if again {
				args = append(args, "--continue")
			}
			return args
		},
		resume:  func(conversation string) []string { return []string{"--resume", conversation} },
		compact: func() []string { return []string{"-p", "/compress", "--continue"} },
		edit: func(path, text string) call {
			return call{"write_file", object{"file_path": path, "content": text}}
		},
	}
}

func copilot() client {
	return client{
		Client: setup.ClientByName("copilot"), shown: plain, session: true,
		wrapper: "</system_reminder>",
		env: func(url string) []string {
			return []string{
				"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=stand-in",
				"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=dummy",
			}
		},
		prepare: func(string, string) {},
		ask: func(prompt string, again bool) []string {
			args := []string{"--allow-all-tools", "--allow-all-paths", "-s", "-p", prompt}
			if again {
				args = append(args, "--continue")
			}
			return args
		},
		resume:  func(conversation string) []string { return []string{"--resume=" + conversation} },
		compact: func() []string { return []string{"-p", "/compact", "--continue"} },
		edit: func(path, text string) call {
			return call{"create", object{"path": path, "file_text": text}}
		},
	}
}

func pi() client {
	return client{
		Client: setup.ClientByName("pi"), shown: plain,
		env: func(string) []string {
			return []string{"PI_OFFLINE=1", "PI_TELEMETRY=0", "PI_SKIP_VERSION_CHECK=1"}
		},
		prepare: func(home, url string) {
			write(filepath.Join(home, ".pi", "agent", "models.json"), `{"providers":{"loopback":{`+
				`"baseUrl":"`+url+`/v1","api":"openai-completions","apiKey":"dummy",`+
				`"models":[{"id":"stand-in"}]}}}`)
		},
		ask: func(prompt string, again bool) []string {
			args := []string{"--provider", "loopback", "--model", "stand-in", "-p", prompt}
			if again {
				args = append(args, "--continue")
			}
			return args
		},
		resume: func(conversation string) []string { return []string{"--session", conversation} },
		edit: func(path, text string) call {
			return call{"write", object{"path": path, "content": text}}
		},
	}
}

// cline resumes a conversation in a terminal only.
func cline() client {
	return client{
		Client: setup.ClientByName("cline"), shown: plain, wrapper: "</hook_context>",
		printsCalls: true,
		env: func(string) []string {
			// Else a daemon is left behind, whose environment all later sessions have.
			return []string{"CLINE_SESSION_BACKEND_MODE=local", "AI_SDK_LOG_WARNINGS=false",
				"CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000"} // 4000 without it
		},
		prepare: func(home, url string) {
			write(filepath.Join(home, ".cline", "data", "settings", "providers.json"),
				`{"version":1,"lastUsedProvider":"openai-compatible","modes":{},"providers":{`+
					`"openai-compatible":{"settings":{"provider":"openai-compatible",`+
					`"apiKey":"dummy","model":"stand-in","baseUrl":"`+url+`/v1"},`+
					`"updatedAt":"2026-11-30T12:00:00.000Z","tokenSource":"manual"}}}`)
		},
		ask: func(prompt string, _ bool) []string {
			return []string{"-P", "openai-compatible", "-m", "stand-in", prompt}
		},
		delegate: func(order string) []call {
			return []call{{"spawn_agent", object{"systemPrompt": "You count.", "task": order}}}
		},
		edit: func(path, text string) call {
			return call{"editor", object{"path": path, "new_text": text}}
		},
	}
}

// continueCLI runs no hooks, so only what setup writes is checked.
func continueCLI() client {
	return client{
		Client: setup.ClientByName("continue"), shown: plain,
		env: func(string) []string { return nil },
		prepare: func(home, url string) {
			write(filepath.Join(home, ".continue", "config.yaml"), "name: loopback\n"+
				"version: 1.0.0\nschema: v1\nmodels:\n- name: stand-in\n  provider: openai\n"+
				"  model: stand-in\n  apiKey: dummy\n  apiBase: "+url+"/v1\n")
		},
		ask: func(prompt string, again bool) []string {
			args := []string{"--auto", "-p", prompt}
			if again {
				args = append(args, "--resume")
			}
			return args
		},
	}
}

func openCode() client {
	return client{
		Client: setup.ClientByName("opencode"), shown: plain,
		env: func(string) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}
		},
		prepare: loopback("opencode/opencode.json"),
		ask:     func(prompt string, again bool) []string { return runArgs(prompt, again) },
		resume:  func(conversation string) []string { return []string{"--session", conversation} },
		edit:    writesFile,
	}
}

// kilo is an OpenCode with other files and tools.
func kilo() client {
	return client{
		Client: setup.ClientByName("kilo"), shown: plain,
		env: func(string) []string {
			return []string{"KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_MODELS_FETCH=1"}
		},
		prepare: loopback("kilo/kilo.json"),
		ask: func(prompt string, again bool) []string {
			return append(runArgs(prompt, again), "--auto")
		},
		resume: func(conversation string) []string { return []string{"--session", conversation} },
		edit:   writesFile,
	}
}

func writesFile(path, text string) call {
	return call{"write", object{"filePath": path, "content": text}}
}

func runArgs(prompt string, again bool) []string {
	args := []string{"run", prompt}
	if again {
		args = append(args, "--continue")
	}
	return args
}

// loopback writes the settings of an OpenCode whose only model is ours.
func loopback(name string) func(home, url string) {
	return func(home, url string) {
		write(filepath.Join(home, ".config", filepath.FromSlash(name)), `{"model":"loop/stand-in",`+
			`"small_model":"loop/stand-in","provider":{"loop":{"npm":"@ai-sdk/openai-compatible",`+
			`"options":{"baseURL":"`+url+`/v1","apiKey":"dummy"},`+
			`"models":{"stand-in":{"name":"stand-in"}}}}}`)
	}
}

// droid runs a prompt without an account where the model is its user's own. It resumes none so, and
// runs no hook at a prompt.
func droid() client {
	return client{
		Client: setup.ClientByName("droid"), shown: plain,
		env: func(string) []string {
			return []string{"FACTORY_DROID_AUTO_UPDATE_ENABLED=false"}
		},
		prepare: func(home, url string) {
			write(filepath.Join(home, ".factory", "settings.json"), `{"customModels":[{`+
				`"model":"stand-in","displayName":"stand-in","baseUrl":"`+url+`/v1",`+
				`"apiKey":"dummy","provider":"generic-chat-completion-api",`+
				`"maxOutputTokens":4000}],"model":"custom:stand-in"}`)
		},
		ask: func(prompt string, _ bool) []string {
			return []string{"exec", "--auto", "high", "-m", "custom:stand-in", prompt}
		},
		edit: func(path, text string) call {
			return call{"Create", object{"file_path": path, "content": text}}
		},
	}
}
