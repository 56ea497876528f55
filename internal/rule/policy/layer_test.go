package policy_test

import (
	"testing"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
)

func TestLayerOf(t *testing.T) {
	const user, project = policy.UserLayer, policy.ProjectLayer
	for _, c := range []struct{ key, plain, tracked string }{
		{"/user", user, user}, {"/user/preference/lang", user, user},
		{"/users/x", project, project},
		{"/User/x", project, project}, {"/agent/a/core/1", user, user},
		{"/rules/user/x", user, user}, {"/rules/org/x", user, user},
		{"/rules/project/x", project, project}, {"/rules", project, project},
		{"/note/user/u-1", user, user}, {"/note/user/m-1", user, user},
		{"/note/workspace/m-1", project, project}, {"/note/session/m-1", project, project},
		{"/session/s1", project, user}, {"/session/s1/mem_1", project, user},
		{"/event/s/evt_1", project, user}, {"/handoff/s/a", project, user},
		{"/artifact/art_1", project, user}, {"/decision/dec_1", project, project},
		{"/task/1", project, project}, {"/kb/x", project, project},
	} {
		key, err := keypath.Parse(c.key)
		if err != nil {
			t.Fatal(err)
		}
		for want, tracked := range map[string]bool{c.plain: false, c.tracked: true} {
			if c.plain == c.tracked {
				tracked = !tracked
			}
			got := policy.LayerOf(key, func() bool { return tracked })
			if got != want {
				t.Errorf("%s (tracked %v): %s, want %s", c.key, tracked, got, want)
			}
		}
	}
}

// What an agent keeps is in no project's store, and what was said in none that git tracks.
func TestCheckLayer(t *testing.T) {
	const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for key, want := range map[string]string{
		"/agent/ada/core/" + ulid:    "never",
		"/agent/ada/journal/" + ulid: "never",
		"/agent/ada/notes":           "always",
		"/session/s":                 "untracked",
		"/session/s/mem_" + ulid:     "untracked",
		"/session/s/other":           "always",
		"/event/s/evt_" + ulid:       "untracked",
		"/artifact/art_" + ulid:      "untracked",
		"/handoff/s/ada":             "untracked",
		"/decision/dec_" + ulid:      "always",
		"/project/db":                "always",
	} {
		holds := func(tracked bool) bool {
			return policy.CheckLayer(keypath.MustParse(key), func() bool { return tracked }) == nil
		}
		got := "never"
		switch {
		case holds(true):
			got = "always"
		case holds(false):
			got = "untracked"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
