package hook

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/test/testkit"
)

// A prompt was typed where its client has a terminal for its input, and no argument begins it.
func TestStartedByPerson(t *testing.T) {
	const asks = "Remember that tea is green"
	type started struct {
		args []string
		tty  bool
		env  string
		want bool
	}
	cases := map[string]started{
		"a terminal":             {nil, true, "", true},
		"other arguments":        {[]string{"--model", "x", "-c"}, true, "", true},
		"a pipe":                 {nil, false, "", false},
		"the prompt":             {[]string{asks}, true, "", false},
		"the prompt, trimmed":    {[]string{"-p", "\r\n " + asks + "!\n"}, true, "", false},
		"the prompt's beginning": {[]string{"Remember that"}, true, "", false},
		"no agent's name":        {nil, true, "MEM_AGENT=", true},
		"an agent":               {nil, true, "MEM_AGENT=ada", false},
	}
	for _, sign := range setup.Signs {
		cases["within a client: "+sign.Variable] = started{nil, true, sign.Variable + "=1", false}
	}
	for what, tc := range cases {
		master, slave := testkit.Terminal(t, 80)
		// It lives until its input ends. The shell's name comes before the arguments.
		cmd := exec.Command("sh", append([]string{"-c", "read x", "claude"}, tc.args...)...)
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), tc.env}
		if cmd.Stdin = in; tc.tty {
			cmd.Stdin = slave
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		testkit.WaitFor(t, "the arguments", func() bool {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
			return err == nil && len(text) > 0 // while it begins it has none
		})
		if got := startedByPerson(cmd.Process.Pid, asks, false); got != tc.want {
			t.Errorf("%s: %v", what, got)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		for _, f := range []*os.File{master, slave, in, out} {
			_ = f.Close()
		}
	}
	if startedByPerson(1<<30, asks, true) {
		t.Error("no process has a terminal")
	}
}
