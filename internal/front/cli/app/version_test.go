package app

import (
	"runtime/debug"
	"testing"
)

// A program whose linker set no version has that of its build information.
func TestBuiltFrom(t *testing.T) {
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
			{Key: "vcs.modified", Value: modified}}
	}
	dev := Build{Program: "mem", Version: "0.1.0-dev", Commit: "unknown"}
	for _, tc := range []struct {
		name            string
		build           Build
		module          string
		settings        []debug.BuildSetting
		version, commit string
	}{
		{"make", Build{Version: "0.1.0", Commit: "abc"}, "(devel)", vcs("true"), "0.1.0", "abc"},
		{"go install in a clone", dev, "(devel)", vcs("false"), "0.1.0-dev", "0123456789ab"},
		{"changed since", dev, "v0.1.1-0.20260222100000-0123456789ab+dirty", vcs("true"),
			"0.1.0-dev", "0123456789ab+modified"},
		{"go install of a version", dev, "v0.2.0", nil, "0.2.0", "v0.2.0"},
		{"go install of a commit", dev, "v0.2.1-0.20260222100000-fedcba987654", nil,
			"0.2.1-0.20260222100000-fedcba987654", "fedcba987654"},
		{"nothing is known", dev, "(devel)", nil, "0.1.0-dev", "unknown"},
		{"nothing at all", dev, "", nil, "0.1.0-dev", "unknown"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: tc.module}, Settings: tc.settings}
		if got := builtFrom(tc.build, info); got.Version != tc.version || got.Commit != tc.commit {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}
