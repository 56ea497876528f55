package seal

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"filippo.io/age"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/jsontext"
	"pgregory.net/rapid"
)

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	keys, foreign := newKeys(t), newKeys(t)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		text, err := keys.Seal(plain)
		if err != nil {
			t.Fatal(err)
		}
		if quoted := jsontext.AppendString(nil, string(text)); len(quoted) != len(text)+2 {
			t.Fatalf("%s needs escapes in JSON", text)
		}
		if got, err := keys.Open(text); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%q, %v, want %q", got, err, plain)
		}
		if got, err := foreign.Open(text); !errors.Is(err, ErrNotOurs) || got != nil {
			t.Fatalf("with another key: %q, %v", got, err)
		}
	})
	if a, b := sealed(t, keys, "x"), sealed(t, keys, "x"); bytes.Equal(a, b) {
		t.Error("the same text is sealed to the same bytes")
	}
}

// The size of what is sealed is that of "What is sealed" in doc.go.
func TestSealedSizes(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	for size, want := range map[int]int{0: 268, 1: 268, 1024: 1632, 64 << 10: 87648} {
		if got := len(sealed(t, keys, strings.Repeat("x", size))); got != want {
			t.Errorf("%d bytes become %d, want %d", size, got, want)
		}
	}
}

// What is sealed is a plain age file, so that age itself opens it with the key file.
func TestAgeOpensIt(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	ids, err := age.ParseIdentities(strings.NewReader(textOf(t, path)))
	must(t, err)
	binary, err := base64.StdEncoding.DecodeString(string(sealed(t, load(t, path), "content")))
	must(t, err)
	r, err := age.Decrypt(bytes.NewReader(binary), ids...)
	must(t, err)
	if got, err := io.ReadAll(r); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
}

// Nothing of a text is returned that was changed or cut anywhere.
func TestDamageIsSeen(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	binary, err := base64.StdEncoding.DecodeString(string(sealed(t, keys, "a long secret")))
	must(t, err)
	try := func(what string, binary []byte, want ...error) {
		t.Helper()
		got, err := keys.Open(base64.StdEncoding.AppendEncode(nil, binary))
		if !isOneOf(err, want...) || got != nil {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	body := bytes.Index(binary, []byte("\n--- "))
	for i := range binary {
		flipped := bytes.Clone(binary)
		flipped[i] ^= 1
		if i < body {
			// Whose the header is cannot be told any more.
			try(fmt.Sprintf("byte %d flipped", i), flipped, ErrDamaged, ErrNotOurs)
		} else {
			try(fmt.Sprintf("byte %d flipped", i), flipped, ErrDamaged)
		}
		try(fmt.Sprintf("cut to %d bytes", i), binary[:i], ErrDamaged)
	}
	try("with more behind it", append(bytes.Clone(binary), 0), ErrDamaged)
	// The last sign before the padding has bits that stand for nothing.
	other := sealed(t, keys, "")
	other[len(other)-2]++
	for _, text := range []string{string(other), "", "no base64!", "bm8gYWdlIGZpbGU=",
		"my password is hunter2", string(sealed(t, keys, "x"))[1:]} {
		_, err := keys.Open([]byte(text))
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %v", text, err)
		}
		if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%v quotes what it was given", err)
		}
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	plain := strings.Repeat("0123456789abcdef", 20_000) // several chunks of age
	var b bytes.Buffer
	w, err := keys.SealTo(&b)
	must(t, err)
	_, err = io.Copy(w, strings.NewReader(plain))
	must(t, err)
	open := bytes.Clone(b.Bytes())
	must(t, w.Close())
	if got, err := openAll(keys, iotest.OneByteReader(bytes.NewReader(b.Bytes()))); err != nil ||
		got != plain {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := openAll(newKeys(t), bytes.NewReader(b.Bytes())); !errors.Is(err, ErrNotOurs) {
		t.Errorf("with another key: %v", err)
	}
	const tag, size = 16, 64 << 10 // of a chunk
	header := b.Len() - len(plain) - (len(plain)/size+1)*tag
	for what, part := range map[string][]byte{
		"not closed": open, "cut off": b.Bytes()[:b.Len()-1], "no header": b.Bytes()[header:],
		"cut between chunks": b.Bytes()[:header+2*(size+tag)], "only a header": b.Bytes()[:header],
	} {
		if got, err := openAll(keys, bytes.NewReader(part)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
	}
}

// A failure to read is none of what is read.
func TestReadersErrorsAreKept(t *testing.T) {
	t.Parallel()
	keys, fault := newKeys(t), errors.New("unplugged")
	var b bytes.Buffer
	w, err := keys.SealTo(&b)
	must(t, err)
	_, err = w.Write(make([]byte, 100_000))
	must(t, err)
	must(t, w.Close())
	for _, n := range []int{0, 10, 1000, 80_000, b.Len()} {
		r := io.MultiReader(bytes.NewReader(b.Bytes()[:n]), iotest.ErrReader(fault))
		if _, err := openAll(keys, r); !errors.Is(err, fault) || errors.Is(err, ErrDamaged) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// Keys print as what may be known, in every way.
func TestKeysDoNotTell(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	keys := load(t, path)
	told := fmt.Sprintf("%v %+v %#v %s %q %v", keys, keys, keys, keys, keys, *keys)
	if strings.Contains(told, "SECRET") || strings.Contains(told, identities(textOf(t, path))[0]) {
		t.Errorf("keys print as %s", told)
	}
	if want := "1 identities, age1"; !strings.HasPrefix(told, want) {
		t.Errorf("%s, want %s...", told, want)
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	for _, err := range []error{ErrNoKey, ErrNotOurs, ErrDamaged} {
		var advised interface{ Advice() advice.List }
		if err = fmt.Errorf("open: %w", err); !errors.As(err, &advised) || advised.Advice() == nil {
			t.Errorf("%v has no hint", err)
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	keys := newKeys(b)
	for _, size := range []int{1 << 10, 1 << 20} {
		plain := make([]byte, size)
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := keys.Seal(plain); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	keys := newKeys(b)
	for _, size := range []int{1 << 10, 1 << 20} {
		text := sealed(b, keys, strings.Repeat("x", size))
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := keys.Open(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
