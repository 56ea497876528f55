package mem_test

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
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/audit"
	"github.com/set-memory/mem/keypath"
)

var letPass = []string{"github-pat"}

// nowhere checks that no file below the root has the secret, or what one would still know it by.
func nowhere(f *storetest.Store, what string) {
	f.T.Helper()
	err := filepath.WalkDir(f.Root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text)+path, testkit.Token[4:20]) {
			f.T.Errorf("%s: %s tells the secret", what, path)
		}
		return err
	})
	f.Must(err)
}

// from is a write with a source.
func from(source string) mem.Write {
	w := write("/a", `1`)
	w.Source = []byte(source)
	return w
}

// Each way to write refuses a secret, wherever it stands and however it is spelled, and leaves no
// trace of it.
func TestNoWriteStoresASecret(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	f.Put("/a", `1`)
	before := f.Logged()
	escaped := strings.ReplaceAll(testkit.Token, "_", `\u005f`)
	for what, w := range map[string]mem.Write{
		"content": write("/a", `{"text":"`+testkit.Token+`"}`),
		"escaped": write("/a", `{"text":"`+escaped+`"}`),
		"name":    write("/a", `{"`+testkit.Token+`":1}`),
		"key":     write("/a/"+testkit.Token, `1`),
		"source":  from(`"` + testkit.Token + `"`),
		"no kind": from(`{"kind":"` + testkit.Token + `"}`),
		"array":   from(`["` + testkit.Token + `"]`),
		"kb":      write("/kb/a", `"`+testkit.Token+`"`),
	} {
		_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true})
		if !errors.Is(err, policy.ErrSecret) || strings.Contains(err.Error(), testkit.Token[4:]) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Of broken JSON the message may show a piece; the journal may not.
	if _, err := f.Set(ctx, mem.Caller{}, write("/a",
		`{"`+testkit.Token+`":1,"`+testkit.Token+`":2}`),
		mem.SetOptions{}); !errors.Is(err, jsontext.ErrJSON) {
		t.Error(err)
	}
	if _, _, err := f.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse("/a")},
		[]byte(`"`+testkit.Token+`"`)); !errors.Is(err, policy.ErrSecret) {
		t.Errorf("rm: %v", err)
	}
	if f.Logged() != before {
		t.Error("something was appended")
	}
	nowhere(f, "refused writes")
}

// A batch names its bad line, and an import is no way in.
func TestNoBatchStoresASecret(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	f.Put("/a", `1`)
	batch := `{"key":"/b","content":2,"source":"s"}
{"key":"/c","content":{"text":"` + testkit.Token + `"},"source":"s"}
{"key":"/d","ts":"2026-02-20T10:00:00Z","content":"` + testkit.Token + `","source":"s"}
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
	nowhere(f, "a refused batch")
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
	f := newFiles(t)
	f.Put("/clean", `"nothing"`)
	key := keypath.MustParse("/a/" + testkit.Token)
	w := mem.Write{Key: key, Content: []byte(`"` + testkit.Token + `"`),
		Source: []byte(`"` + strings.Repeat("x", 40) + " " + testkit.Token + `"`)}
	if _, err := f.Set(ctx, mem.Caller{}, w,
		mem.SetOptions{AllowSecrets: []string{"nope"}}); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
	_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{AllowSecrets: letPass})
	f.Must(err)
	if _, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{}); !errors.Is(err, policy.ErrSecret) {
		t.Errorf("the permission held for a second call: %v", err)
	}
	audited(f, audit.SecretOptions{}, 2, "key source content")
	_, _, err = f.Delete(ctx, mem.Caller{}, []keypath.Key{key}, nil)
	f.Must(err)
	audited(f, audit.SecretOptions{}, 1, "")
	audited(f, audit.SecretOptions{History: true}, 3, "key source content key source.locator.key")
	journal, err := os.ReadFile(filepath.Join(f.Root, backend.OpsFile))
	f.Must(err)
	if strings.Contains(string(journal), testkit.Token[4:20]) ||
		strings.Count(string(journal), `"allowed":["github-pat"]`) != 1 {
		t.Errorf("journal:\n%s", journal)
	}
}

func audited(f *storetest.Store, o audit.SecretOptions, scanned int, places string) {
	f.T.Helper()
	rep, err := audit.Secrets(ctx, f.Store, mem.Caller{}, o)
	f.Must(err)
	var found []string
	for _, leak := range rep.Found {
		if leak.Rule != "github-pat" || leak.Key != "/a/"+strings.Repeat("*", len(testkit.Token)) {
			f.T.Errorf("found %+v", leak)
		}
		found = append(found, leak.Place)
	}
	if rep.Scanned != scanned || strings.Join(found, " ") != places {
		f.T.Errorf("%d scanned, found in %q, want %d and %q", rep.Scanned, found, scanned, places)
	}
}

// A hand edit and an approval are writes too.
func TestSecretsOfEditsAndApprovals(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	out := f.Put("/a", `"letter"`)
	text, err := os.ReadFile(out.Path)
	f.Must(err)
	f.Must(os.WriteFile(out.Path, []byte(strings.Replace(string(text), "letter", testkit.Token, 1)),
		0o600))
	before := f.Logged()
	rep, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Adopt: true})
	f.Must(err)
	if len(rep.Adopted) != 0 || len(f.Warnings) == 0 ||
		strings.Contains(strings.Join(f.Warnings, ""), testkit.Token[4:]) || f.Logged() != before {
		t.Errorf("adopted %v, warned %q", rep.Adopted, f.Warnings)
	}
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
	w := write("/kb/x", `"`+testkit.Token+`"`)
	_, err = f.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true, AllowSecrets: letPass})
	f.Must(err)
	_, err = approve(f.Store, mem.Caller{}, w.Key, mem.ApproveOptions{})
	if !errors.Is(err, policy.ErrSecret) {
		t.Errorf("approve: %v", err)
	}
	_, err = approve(f.Store, mem.Caller{}, w.Key, mem.ApproveOptions{Source: []byte(`"me"`)})
	if !errors.Is(err, policy.ErrSecret) {
		t.Errorf("approve with a source: %v", err)
	}
	_, err = approve(f.Store, mem.Caller{}, w.Key, mem.ApproveOptions{AllowSecrets: letPass})
	f.Must(err)
}
