package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// teamOf returns colleagues whose project is at their server, and the laptop of one of them.
func teamOf(t *testing.T) (tm *colleagues, home string) {
	t.Helper()
	tm = newColleagues(t)
	home = tm.laptop("ada")
	tm.run(home, "mem init --remote $URL --yes -q", 0, ".mem")
	tm.run(home, "mem note 'theirs' -q", 0, "")
	return tm, home
}

// Notes of a laptop go to the server as facts in the name of the member; what would be a rule waits
// there; what stays and waits is named. The way back is an undo here, and a forget there.
func TestNotesGoToServer(t *testing.T) {
	t.Parallel()
	tm, ada := teamOf(t)
	for _, c := range []struct {
		line string
		exit int
		want string
	}{
		{"mem note 'about me' --scope user -q", 0, ""},
		{"cd / && mem note 'of no project' -q && mem note 'pinned' --pin -q", 0, ""},
		{"mem set /user/x --text mine -s chat -q", 0, ""},
		{"cd / && mem set /rules/project/fmt --type rule --text 'run fmt' -s chat -q --yes", 0, ""},
		{"cd / && mem set /project/db --text postgres -s chat -q", 0, ""},
		{"mem move --unfiled --dry-run", 0, "/project/db"},
		{"mem move /user/x --to project", 0, "/user/x stays: "},
		{"CLAUDECODE=1 mem move /rules/project/fmt --to project", 3, "a rule of the user"},
		{"mem move --to user m-1", 2, "stay there"},
		{"mem move --unfiled 2>&1", 0, "waiting there for a person: 2 rules; mem approve lists what waits"},
		{"mem notes --json | jq -c '[.memories[] | .text, .pinned]'", 0,
			`["pinned",null,"of no project",null,"theirs",null]`},
		{"mem get /project/db", 0, "postgres"},
		{"mem history /project/db", 0, "by ada"},
		{"mem get m-3 --json | jq -c '.source | .claimed, .member'", 0, "\"import\"\n\"ada\""},
		{"mem ls --layer user --keys", 0, "/rules/project/fmt"}, // in force until it is approved
		{"mem ls --layer user --keys | grep -cE '/note/workspace|/project/db'", 1, "0"},
		{"mem approve --json | jq -c '[.proposals[] | .change, .key] | sort'", 0,
			`["/note/workspace/m-3","/rules/project/fmt","pin","set"]`},
		{"mem move --unfiled 2>&1", 0, "a rule: it waits there"}, // twice is once
		{"mem approve --json | jq '.proposals | length'", 0, "2"},
		{"mem notes --json | jq '.count'", 0, "3"},
		{"mem move u-1 --to project", 0, "/note/user/u-1"},
		{"mem get m-4", 0, "about me"},
		{"mem move u-1 --to project", 1, "no such memory"},
		// The way back.
		{"mem undo --layer user u-1 -q && mem get u-1", 0, "about me"},
		{"mem forget m-4", 0, "ok"},
		{"mem move u-1 --to project 2>&1", 0, "stays: it was changed or deleted later"},
		// A person decides there, and the next move takes the rule along.
		{"mem --root $SRV/tenants/t1 approve --json --jq '.proposals[].id' | while read id; " +
			"do mem --root $SRV/tenants/t1 approve $id --yes -q; done", 0, ""},
		{"mem move --unfiled 2>&1", 0, "/rules/project/fmt\t/rules/project/fmt"},
		{"mem ls --layer user --keys | grep -c rules", 1, "0"},
		{"mem get /rules/project/fmt", 0, "run fmt"},
	} {
		tm.run(ada, c.line, c.exit, c.want)
	}
	runMem(t, tm.bin, "fsck", "--root", tm.srv+"/tenants/t1")
	tm.run(ada, "mem fsck --layer user", 0, "nothing wrong")
}

// At a terminal a person's token makes rules of what would be rules; it is asked for once.
func TestRulesGoToServer(t *testing.T) {
	t.Parallel()
	tm, ada := teamOf(t)
	tm.run(ada, "cd / && mem set /rules/project/fmt --type rule --text 'run fmt' -s chat -q --yes && "+
		"mem note 'pinned' --pin -q && mem note 'plain' -q", 0, "")
	tm.run(ada, "mem token add t1 --person --member eve --yes -q --root $SRV > ../person", 0, "")
	person := tm.run(ada, "cat ../person", 0, "mem_")
	line := "unset MEM_ROOT MEM_NOW; cd app && mem move --unfiled"
	if exit, says := atTerminal(t, tm.bin, ada, line, person); exit != 0 ||
		strings.Count(says, "a person's token of") != 1 || strings.Contains(says, "waiting there") {
		t.Errorf("exit %d: %s", exit, says)
	}
	tm.run(ada, "mem ls --layer user --keys", 0, "no memories")
	tm.run(ada, "mem history /rules/project/fmt", 0, "by eve")
	tm.run(ada, "mem trust --rules --yes", 0, "with the rules of its team")
	tm.run(ada, hookLine("SessionStart", "c1", ""), 0, "by eve) run fmt")
	runMem(t, tm.bin, "fsck", "--root", tm.srv+"/tenants/t1")
}

// A store whose place the .mem took goes whole. A note leaves it only when the server has it; killed
// before it left, it is not brought twice, and a refusal keeps back one memory alone.
func TestStoreGoesToServer(t *testing.T) {
	t.Parallel()
	tm := newColleagues(t)
	ada := tm.laptop("ada")
	tm.run(ada, "mem note 'one' -q && mem note 'two' --pin -q && mem set /project/a --text a -s chat -q && "+
		"mem note 'key AKIAIOSFODNN7EXAMQLE' --allow-secret aws-access-token -q", 0, "")
	store := strings.TrimSpace(tm.run(ada, "mem where --json | jq -r '.layers[0].root // .stores[0].root'",
		0, "/mem-projects/"))
	tm.run(ada, "mem init --remote $URL --yes", 0, "mem move --from ")
	move := "mem move --from " + store + " --to project 2>&1"
	live := func(want string) {
		t.Helper()
		tm.run(ada, "mem --root "+store+" ls --keys | wc -l", 0, want)
	}
	tm.run(ada, "cp -r "+store+" ../before && mem token logout $URL -q && "+move,
		3, "there is no token for")
	live("4")
	tm.run(ada, "mem token login $URL --ca $CA < ../token", 0, "as ada")
	tm.run(ada, move, 0, "stays: ")
	live("1")
	there := tm.run(ada, "mem ls --keys", 0, "/project/a")
	// As after a kill between the server's answer and the deletion here.
	tm.run(ada, "rm -r "+store+" && cp -r ../before "+store+" && "+move, 0, "appears to contain a secret")
	live("1")
	if again := tm.run(ada, "mem ls --keys", 0, "/project/a"); again != there {
		t.Errorf("a second run: %s, want %s", again, there)
	}
	tm.run(ada, "mem approve --json | jq '.proposals | length'", 0, "1")
	// What is changed there meanwhile stays here, and what is gone there does not come back.
	tm.run(ada, "mem set /project/a --text b -s chat -q && rm -r "+store+" && cp -r ../before "+store+" && "+move,
		0, "/project/a stays: ")
	tm.run(ada, "mem get /project/a", 0, "b")
	// Without the server nothing leaves.
	tm.run(ada, "rm -r "+store+" && cp -r ../before "+store, 0, "")
	tm.signal(syscall.SIGKILL)
	_ = tm.server.Wait()
	tm.run(ada, move, 6, "is the server running")
	live("4")
	for _, root := range []string{tm.srv + "/tenants/t1", store} {
		out, err := exec.Command(filepath.Join(tm.bin, "mem"), "fsck", "--root", root).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %s", root, out)
		}
	}
}
