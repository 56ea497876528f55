package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/audit"
	"github.com/set-memory/mem/keypath"
)

// madeUp is a token that never was one, put together so that no scanner takes this file for a leak.
const madeUp = "gh" + "p_" + "0a1B2c3D4e5F6g7H8i9J0kAlBmCnDoEpFqGr"

var letPass = []string{"github-pat"}

// nowhere checks that no file below the root has the secret, or what one would still know it by.
func (f *fixture) nowhere(what string) {
	f.t.Helper()
	err := filepath.WalkDir(f.root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text)+path, madeUp[4:20]) {
			f.t.Errorf("%s: %s tells the secret", what, path)
		}
		return err
	})
	f.must(err)
}

// Each way to write refuses a secret, wherever it stands and however it is spelled, and leaves no
// trace of it.
func TestNoWriteStoresASecret(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.put("/a", `1`)
	before := f.logged()
	escaped := strings.ReplaceAll(madeUp, "_", `\u005f`)
	for what, w := range map[string]mem.Write{
		"content": write("/a", `{"text":"`+madeUp+`"}`),
		"escaped": write("/a", `{"text":"`+escaped+`"}`),
		"name":    write("/a", `{"`+madeUp+`":1}`),
		"key":     write("/a/"+madeUp, `1`),
		"source":  {Key: keypath.MustParse("/a"), Content: []byte(`1`), Source: []byte(`"` + madeUp + `"`)},
		"no kind": {Key: keypath.MustParse("/a"), Content: []byte(`1`), Source: []byte(`{"kind":"` + madeUp + `"}`)},
		"array":   {Key: keypath.MustParse("/a"), Content: []byte(`1`), Source: []byte(`["` + madeUp + `"]`)},
		"kb":      write("/kb/a", `"`+madeUp+`"`),
	} {
		_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true})
		if !errors.Is(err, policy.ErrSecret) || strings.Contains(err.Error(), madeUp[4:]) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Of broken JSON the message may show a piece; the journal may not.
	if _, err := f.Set(ctx, mem.Caller{}, write("/a", `{"`+madeUp+`":1,"`+madeUp+`":2}`),
		mem.SetOptions{}); !errors.Is(err, jsontext.ErrJSON) {
		t.Error(err)
	}
	if _, _, err := f.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse("/a")},
		[]byte(`"`+madeUp+`"`)); !errors.Is(err, policy.ErrSecret) {
		t.Errorf("rm: %v", err)
	}
	if f.logged() != before {
		t.Error("something was appended")
	}
	f.nowhere("refused writes")
}

func (f *fixture) logged() string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.root, "log.jsonl"))
	f.must(err)
	return string(text)
}

// A batch names its bad line, and an import is no way in.
func TestNoBatchStoresASecret(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.put("/a", `1`)
	batch := `{"key":"/b","content":2,"source":"s"}
{"key":"/c","content":{"text":"` + madeUp + `"},"source":"s"}
{"key":"/d","ts":"2026-02-20T10:00:00Z","content":"` + madeUp + `","source":"s"}
`
	_, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch), mem.BatchOptions{})
	want := "line 2: secret: content.text, characters 1 to 40: github-pat\n" +
		"line 3: secret: content, characters 1 to 40: github-pat"
	if !errors.Is(err, policy.ErrSecret) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch),
		mem.BatchOptions{KeepGoing: true})
	if !errors.Is(err, policy.ErrSecret) || rep.Written != 1 || rep.Refused != 2 {
		t.Errorf("keep going: %+v %v", rep, err)
	}
	f.nowhere("a refused batch")
	rep, err = f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch),
		mem.BatchOptions{AllowSecrets: letPass})
	if err != nil || rep.Written != 3 {
		t.Errorf("allowed: %+v %v", rep, err)
	}
	if _, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(batch),
		mem.BatchOptions{AllowSecrets: []string{"nope"}}); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
}

// What was let in once stands in the journal as a permission, not as a secret, and is found by an
// audit, also after it was deleted.
func TestAllowedSecrets(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.put("/clean", `"nothing"`)
	key := keypath.MustParse("/a/" + madeUp)
	w := mem.Write{Key: key, Content: []byte(`"` + madeUp + `"`),
		Source: []byte(`"` + strings.Repeat("x", 40) + " " + madeUp + `"`)}
	if _, err := f.Set(ctx, mem.Caller{}, w,
		mem.SetOptions{AllowSecrets: []string{"nope"}}); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
	_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{AllowSecrets: letPass})
	f.must(err)
	if _, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{}); !errors.Is(err, policy.ErrSecret) {
		t.Errorf("the permission held for a second call: %v", err)
	}
	f.audited(audit.SecretOptions{}, 2, "key source content")
	_, _, err = f.Delete(ctx, mem.Caller{}, []keypath.Key{key}, nil)
	f.must(err)
	f.audited(audit.SecretOptions{}, 1, "")
	f.audited(audit.SecretOptions{History: true}, 3, "key source content key source.locator.key")
	journal, err := os.ReadFile(filepath.Join(f.root, backend.OpsFile))
	f.must(err)
	if strings.Contains(string(journal), madeUp[4:20]) || strings.Count(string(journal), `"allowed":["github-pat"]`) != 1 {
		t.Errorf("journal:\n%s", journal)
	}
}

func (f *fixture) audited(o audit.SecretOptions, scanned int, places string) {
	f.t.Helper()
	rep, err := audit.Secrets(ctx, f.Store, mem.Caller{}, o)
	f.must(err)
	var found []string
	for _, leak := range rep.Found {
		if leak.Rule != "github-pat" || leak.Key != "/a/"+strings.Repeat("*", len(madeUp)) {
			f.t.Errorf("found %+v", leak)
		}
		found = append(found, leak.Place)
	}
	if rep.Scanned != scanned || strings.Join(found, " ") != places {
		f.t.Errorf("%d scanned, found in %q, want %d and %q", rep.Scanned, found, scanned, places)
	}
}

// A hand edit and an approval are writes too.
func TestSecretsOfEditsAndApprovals(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	out := f.put("/a", `"letter"`)
	text, err := os.ReadFile(out.Path)
	f.must(err)
	f.must(os.WriteFile(out.Path, []byte(strings.Replace(string(text), "letter", madeUp, 1)),
		0o600))
	before := f.logged()
	rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Adopt: true})
	f.must(err)
	if len(rep.Adopted) != 0 || len(f.warnings) == 0 ||
		strings.Contains(strings.Join(f.warnings, ""), madeUp[4:]) || f.logged() != before {
		t.Errorf("adopted %v, warned %q", rep.Adopted, f.warnings)
	}
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.must(err)
	w := write("/kb/x", `"`+madeUp+`"`)
	_, err = f.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true, AllowSecrets: letPass})
	f.must(err)
	if _, err := f.Approve(ctx, mem.Caller{}, w.Key, mem.ApproveOptions{}); !errors.Is(err, policy.ErrSecret) {
		t.Errorf("approve: %v", err)
	}
	if _, err := f.Approve(ctx, mem.Caller{}, w.Key, mem.ApproveOptions{Source: []byte(`"me"`)}); !errors.Is(err, policy.ErrSecret) {
		t.Errorf("approve with a source: %v", err)
	}
	_, err = f.Approve(ctx, mem.Caller{}, w.Key, mem.ApproveOptions{AllowSecrets: letPass})
	f.must(err)
}
