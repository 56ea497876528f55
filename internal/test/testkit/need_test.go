package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// recorder is a test that notes how it ended.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper()               {}
func (r *recorder) Name() string          { return "TestX" }
func (r *recorder) Skip(...any)           { r.ended = "skip" }
func (r *recorder) Fatalf(string, ...any) { r.ended = "fail"; panic(r) }
func (r *recorder) Error(args ...any)     { panic(args) }

func ending(need func(testing.TB, bool, string), ok bool) string {
	r := &recorder{}
	func() {
		defer func() { _ = recover() }()
		need(r, ok, "no disk")
	}()
	return r.ended
}

func TestWhatIsMissingIsSkippedOrFails(t *testing.T) {
	for _, c := range []struct{ ci, all, need, full string }{
		{"", "", "skip", "skip"},
		{"0", "false", "skip", "skip"},
		{"1", "", "fail", "skip"},
		{"true", "", "fail", "skip"},
		{"", "1", "fail", "fail"},
	} {
		t.Setenv("CI", c.ci)
		t.Setenv("MEM_TEST_ALL", c.all)
		t.Setenv("MEM_SKIPS", "")
		if got := ending(Need, false); got != c.need {
			t.Errorf("CI=%s MEM_TEST_ALL=%s: Need: %s", c.ci, c.all, got)
		}
		if got := ending(NeedInFull, false); got != c.full {
			t.Errorf("CI=%s MEM_TEST_ALL=%s: NeedInFull: %s", c.ci, c.all, got)
		}
		if got := ending(Need, true) + ending(NeedInFull, true); got != "" {
			t.Errorf("CI=%s MEM_TEST_ALL=%s: what is there: %s", c.ci, c.all, got)
		}
	}
}

func TestSkipsAreListed(t *testing.T) {
	list := filepath.Join(t.TempDir(), "skips")
	t.Setenv("CI", "")
	t.Setenv("MEM_TEST_ALL", "")
	t.Setenv("MEM_SKIPS", list)
	ending(Need, false)
	ending(NeedInFull, true)
	ending(NeedInFull, false)
	text, err := os.ReadFile(list)
	if want := "TestX: no disk\nTestX: no disk\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
}
