package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/readout"
)

// Capture is how the hooks fill the memory from a person's work; see package intake.
type Capture struct {
	Inbox  *inbox.Inbox
	Getenv func(string) string
}

// CaptureHere has the stores of a working directory for captures.
type CaptureHere struct {
	// Take stores or proposes what a prompt asks for.
	Take func(context.Context, intake.Prompted) (intake.Taken, error)
	// Begin begins the journal of a conversation.
	Begin func(context.Context, inbox.Session) error
}

// record keeps an event that needs no store: a step in the journal, or the end of a conversation.
func (h *Hook) record(ctx context.Context, e event) {
	if h.Capture.Inbox == nil {
		return
	}
	if e.Input.Prompt != "" { // of CronCreate and ScheduleWakeup, also of a sub-agent's
		h.schedule(e)
	}
	if e.SubAgent != "" || e.Session == "" {
		return
	}
	var err error
	switch e.Name {
	case setup.PostToolUse, setup.PostToolUseFailure, setup.AfterTool:
		if e.Input.Prompt != "" {
			return
		}
		err = intake.Record(h.Capture.Inbox, h.Client.Name, string(e.Session), e.step())
	case setup.PreCompact, setup.SessionEnd:
		err = intake.Derive(ctx, h.Capture.Inbox, h.Client.Name, string(e.Session))
	}
	if err != nil {
		h.debug("capture: " + err.Error())
	}
}

// schedule notes a text that the model wrote for a later prompt. Where that fails, as on a full
// disk, the journal goes, and no prompt of the conversation counts as typed.
func (h *Hook) schedule(e event) {
	if err := h.Capture.Inbox.Schedule(cutTags(string(e.Input.Prompt))); err != nil {
		h.debug("capture: " + err.Error())
		_ = h.Capture.Inbox.Stop(h.Client.Name, string(e.Session))
	}
}

// step returns the step of the event of a tool that has run.
func (e event) step() inbox.Step {
	s := inbox.Step{Tool: string(e.Tool), Dir: string(e.Dir), Command: cmp.Or(
		string(e.Input.Patch), intake.SearchFor(string(e.Tool), string(e.Input.Pattern)))}
	for _, name := range [...]text{e.Input.File, e.Input.Notebook, e.Input.Path} {
		if name != "" {
			s.Files = append(s.Files, string(name))
		}
	}
	if s.Tool == "apply_patch" {
		s.Command, s.Files = "", e.files()
	}
	s.Exit = cmp.Or(exitIn(e.Response.Content, "\nExit Code: "), // of Gemini and Qwen
		exitIn(e.Result.Text, " completed with exit code "))
	if e.Name == setup.PostToolUseFailure {
		s.Exit = intake.ExitCode(string(e.Error))
	}
	s.Failed = s.Exit != 0 || e.Name == setup.PostToolUseFailure
	return s
}

// exitIn returns the exit code behind a mark in the answer of a tool; 0 where none is there.
func exitIn(answer, mark string) int {
	if _, rest, found := strings.Cut(answer, mark); found {
		return intake.ExitCode("exit code " + rest)
	}
	return 0
}

// response is the answer of a tool, of which only an exit code is read.
type response struct {
	Content string `json:"llmContent"`
	Text    string `json:"text_result_for_llm"`
}

// UnmarshalJSON accepts any value.
func (r *response) UnmarshalJSON(value []byte) error {
	type plain response
	var p plain
	if bytes.Contains(value, []byte("llm")) && json.Unmarshal(value, &p) == nil {
		*r = response(p)
	}
	return nil
}

// take passes a prompt or a start to the stores, and returns how to get what came of it. It is late
// where the stores are still in use when half of the time that is left after the choice has passed.
func (r *run) take(ctx context.Context) func() (t intake.Taken, late bool) {
	e, view, here := r.event, r.view, r.view.Capture
	if here.Take == nil || !r.captures(e) {
		return func() (t intake.Taken, late bool) { return t, false }
	}
	done := ask(func() (t intake.Taken, err error) {
		switch e.Name {
		case setup.SessionStart:
			err = here.Begin(ctx, inbox.Session{Client: r.Client.Name, Session: string(e.Session),
				Folder: view.Root, Transcript: string(e.Transcript)})
		case setup.UserPromptSubmit, setup.BeforeAgent:
			t, err = here.Take(ctx, intake.Prompted{Client: r.Client.Name,
				Session: string(e.Session), Text: e.message(), Typed: r.isTyped(e)})
			_ = r.Capture.Inbox.Append(r.Client.Name, string(e.Session),
				inbox.Step{Tool: inbox.Prompt})
		}
		return t, err
	})
	return func() (t intake.Taken, late bool) {
		t, err := done.waitPart(ctx, 1./2)
		if err == nil {
			return t, false
		}
		r.debug("capture: " + err.Error())
		return lost(e, err), errors.Is(err, errLate)
	}
}

// captures reports whether the hooks may keep something of an event.
func (h *Hook) captures(e event) bool {
	return h.Capture.Inbox != nil && e.SubAgent == "" && e.Session != ""
}

// unopened returns the answer to an event whose stores cannot be opened: a line about a request to
// remember something, or at a start about marks of an earlier mem. There is no place for a record.
func (h *Hook) unopened(e event, why error) (a reply, err error) {
	said := lost(e, why).ToPerson
	isSaid := said != "" && !errors.Is(why, ErrOff) && h.captures(e)
	trigger, _ := e.trigger(h.Client)
	if errors.As(why, new(*content.MarkedError)) && trigger == inject.AtStart {
		said, isSaid = why.Error(), true
	}
	if isSaid && h.Client.TellsPerson {
		h.debug(why.Error())
		a.out = e.encode(h.Client, "", readout.Flatten("mem: "+said, MaxNotice))
		return a, nil
	}
	return a, fmt.Errorf("%w: %w", errSilent, why)
}

// regret returns the answer to an event that has none: a line about a request that may be lost.
func (r *run) regret(why error) []byte {
	if errors.Is(why, errSilent) || !r.Client.TellsPerson || r.Away || !r.captures(r.event) ||
		r.view != nil && r.view.Capture.Take == nil {
		return nil
	}
	if t := lost(r.event, why); t.ToPerson != "" {
		return r.event.encode(r.Client, "", readout.Flatten("mem: "+t.ToPerson, MaxNotice))
	}
	return nil
}

// lost returns what the person hears of a request of which nobody knows what came.
func lost(e event, why error) (t intake.Taken) {
	cause := why.Error()
	if errors.Is(why, errPanic) {
		cause = "a fault of mem" // the debug log has it
	}
	isPrompt := e.Name == setup.UserPromptSubmit || e.Name == setup.BeforeAgent
	if isPrompt && intake.Asks(e.message()) {
		t.ToPerson = "your request may be lost: " + mem.MaskSecrets(cause) +
			": mem notes and mem approve show what is kept"
	}
	return t
}

// isTyped reports whether a person typed the prompt, as far as a hook can know; docs/capture.md
// says by what. A prompt that the model scheduled looks like a typed one: the inbox knows it.
// Without /proc, or where a process hides its command line, the first prompt of a conversation may
// be an argument.
func (h *Hook) isTyped(e event) bool {
	getenv := h.Capture.Getenv
	if h.Client.Name != "claude-code" || getenv("CLAUDE_CODE_ENTRYPOINT") != "cli" ||
		getenv("CLAUDE_CODE_SESSION_ATTENDED") != "1" || !isFalse(getenv("CI")) ||
		getenv("CLAUDE_PID") != strconv.Itoa(os.Getppid()) || isAgents(getenv, h.Client.Name) {
		return false
	}
	j, ok := h.Capture.Inbox.Journal(h.Client.Name, string(e.Session))
	if !ok || runtime.GOOS != "linux" {
		return ok && j.HasPrompt()
	}
	return startedByPerson(os.Getppid(), string(e.Prompt), j.HasPrompt())
}

// lookUpIn returns the lookup of a variable among NAME=VALUE that zeros end.
func lookUpIn(env string) func(string) string {
	return func(name string) string {
		_, value, _ := strings.Cut("\x00"+env, "\x00"+name+"=")
		value, _, _ = strings.Cut(value, "\x00")
		return value
	}
}

func isFalse(value string) bool { return value == "" || value == "0" || value == "false" }

// startedByPerson reports whether a person started a process at a terminal without a prompt, or,
// where its arguments cannot be seen, has gone on since.
func startedByPerson(pid int, prompt string, goesOn bool) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	in, err := os.Readlink(proc + "/fd/0")
	if err != nil || !strings.HasPrefix(in, "/dev/pts/") && !strings.HasPrefix(in, "/dev/tty") {
		return false
	}
	env, err := os.ReadFile(proc + "/environ")
	if err != nil || isAgents(lookUpIn(string(env)), "") {
		return false
	}
	args, err := os.ReadFile(proc + "/cmdline")
	if err != nil {
		return false
	}
	if bytes.HasSuffix(args, []byte{0, 0}) || !bytes.HasSuffix(args, []byte{0}) {
		return goesOn // a title in the place of the arguments
	}
	typed := inbox.Letters(prompt)
	for i, arg := range strings.Split(string(args), "\x00") {
		if arg = inbox.Letters(arg); i > 0 && arg != "" && strings.HasPrefix(typed, arg) {
			return false
		}
	}
	return true
}
