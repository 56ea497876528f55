package ulid

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/keypath"
)

func TestNew(t *testing.T) {
	for _, test := range []struct {
		name   string
		ms     int64
		random byte
		want   string
	}{
		{"the first", 0, 0, "00000000000000000000000000"},
		{"the last", maxTime, 0xff, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
		{"that of the specification", 1469918176385, 0xff, "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{"before 1970", -1, 0, "00000000000000000000000000"},
		{"after the last", maxTime + 1, 0, "7ZZZZZZZZZ0000000000000000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			random := bytes.NewReader(bytes.Repeat([]byte{test.random}, 10))
			got, err := New(time.UnixMilli(test.ms), random)
			if err != nil || got != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

func TestNewTellsOfItsSource(t *testing.T) {
	broken := errors.New("broken")
	var m Maker
	for name, random := range map[string]io.Reader{
		"an error": iotest.ErrReader(broken), "too little": strings.NewReader("123456789"),
	} {
		m.Random = random
		if _, err := New(time.UnixMilli(1), random); err == nil {
			t.Errorf("New: %s made an id", name)
		}
		if _, err := m.New(time.UnixMilli(1)); err == nil {
			t.Errorf("Maker.New: %s made an id", name)
		}
	}
}

// Whatever the order of instants, an id is new, sorts by its millisecond and then by when it was
// made, and is spelled as the keys of records are.
func TestMakerCountsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Maker
		var before string
		var last int64
		for range rapid.IntRange(1, 40).Draw(t, "ids") {
			ms := last + rapid.Int64Range(0, 2).Draw(t, "step")
			id, err := m.New(time.UnixMilli(ms))
			if err != nil || id <= before {
				t.Fatalf("after %s came %s, %v", before, id, err)
			}
			key, err := keypath.Parse("/agent/a/core/" + id)
			if err != nil || key.Class() != keypath.Private {
				t.Fatalf("%s is no id for keypath", id)
			}
			before, last = id, ms
		}
	})
}

func TestMakerCarries(t *testing.T) {
	m := Maker{Random: bytes.NewReader(bytes.Repeat([]byte{0xff}, 20))}
	first, _ := m.New(time.UnixMilli(1))
	second, _ := m.New(time.UnixMilli(1))
	if first != "0000000001ZZZZZZZZZZZZZZZZ" || second != "00000000020000000000000000" {
		t.Errorf("got %s, %s", first, second)
	}
}

func TestMakerIsShared(t *testing.T) {
	var m Maker
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				id, err := m.New(time.UnixMilli(1))
				mu.Lock()
				if err != nil || seen[id] {
					t.Errorf("%s came twice, or %v", id, err)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(time.UnixMilli(1), rand.Reader); err != nil {
			b.Fatal(err)
		}
	}
}

// The instant of an id is the one that it was made of, in milliseconds.
func TestTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(0, 1<<48-1).Draw(t, "ms"))
		id, err := New(at, nil)
		if err != nil || !Is(id) || !Time(id).Equal(at) {
			t.Fatalf("%s is of %s, want %s (%v)", id, Time(id), at, err)
		}
	})
	for _, text := range []string{"", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAU",
		"81ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav"} {
		if Is(text) || !Time(text).IsZero() {
			t.Errorf("%q is an id", text)
		}
	}
	if id := FromHash([]byte("0123456789abcdefgh")); !Is(id) {
		t.Errorf("%s is no id", id)
	}
}
