package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing/iotest"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// blobSuite is a case that is about blobs.
type blobSuite struct{ *suite }

// blobs returns the backend's blobs.
func (s blobSuite) blobs() backend.Blobs {
	s.Helper()
	b, ok := s.Backend.(backend.Blobs)
	if !ok {
		s.Fatal("it keeps no blobs")
	}
	return b
}

// putBlob stores a text and returns its sum.
func (s blobSuite) putBlob(text string) string {
	s.Helper()
	b, err := s.blobs().PutBlob(s.ctx, strings.NewReader(text), int64(len(text)))
	s.must(err)
	s.same("size", b.Size, len(text))
	return b.Sum
}

// openBlob returns what is stored under a sum; none where nothing is.
func (s blobSuite) openBlob(sum string) string {
	s.Helper()
	f, err := s.blobs().OpenBlob(s.ctx, sum)
	if errors.Is(err, fs.ErrNotExist) {
		return none
	}
	s.must(err)
	text, err := io.ReadAll(f)
	s.must(err)
	s.must(f.Close())
	return string(text)
}

// keep stores texts with artifacts about them, numbered from n.
func (s blobSuite) keep(n int, texts ...string) (sums []string) {
	s.Helper()
	for i, text := range texts {
		sums = append(sums, s.putBlob(text))
		s.put(ArtifactKey(n+i), ArtifactOf(text))
	}
	return sums
}

// What was put is returned, byte for byte and from any place on; to put it again changes nothing.
func testBlobs(t *suite) {
	s := blobSuite{t}
	const sumOfABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	s.same("nothing yet", s.openBlob(sumOfABC), none)
	texts := []string{"abc", "", "\x00\xff\r\n\xfe", strings.Repeat("line\n", 200_000)}
	sums := s.keep(0, texts...)
	s.same("sum", sums[0], sumOfABC)
	s.between()
	for i, text := range texts {
		if got := s.openBlob(sums[i]); got != text {
			s.Errorf("%.40q comes back as %.40q", text, got)
		}
		s.same("again", s.putBlob(text), sums[i])
	}
	f, err := s.blobs().OpenBlob(s.ctx, sums[3])
	s.must(err)
	size, err := f.Seek(-6, io.SeekEnd)
	s.must(err)
	s.same("place", size, 1_000_000-6)
	end, err := io.ReadAll(f)
	s.must(err)
	s.same("end", string(end), "\nline\n")
	_, err = f.Seek(4, io.SeekStart)
	s.must(err)
	part := make([]byte, 6)
	_, err = io.ReadFull(f, part)
	s.must(err)
	s.same("part", string(part), "\nline\n")
	s.must(f.Close())
}

// What is too large, cannot be read to its end, or comes too late is not stored.
func testBlobsRefused(t *suite) {
	s := blobSuite{t}
	put := func(r io.Reader, limit int64) error {
		s.Helper()
		_, err := s.blobs().PutBlob(s.ctx, r, limit)
		return err
	}
	large := strings.Repeat("0123456789", 100_000)
	for _, limit := range []int64{0, 1, int64(len(large)) - 1, -1} {
		if err := put(strings.NewReader(large), limit); !errors.Is(err, backend.ErrTooLarge) {
			s.Errorf("limit %d: %v", limit, err)
		}
	}
	broken := errors.New("broken")
	half := io.MultiReader(strings.NewReader(large[:1000]), iotest.ErrReader(broken))
	if err := put(half, 1<<30); !errors.Is(err, broken) {
		s.Errorf("half of it: %v", err)
	}
	over := io.MultiReader(strings.NewReader(large[:1000]), iotest.ErrReader(broken))
	if err := put(over, 1000); !errors.Is(err, broken) {
		s.Errorf("all of it, and no end: %v", err)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	_, err := s.blobs().PutBlob(ctx, strings.NewReader(large), 1<<30)
	if !errors.Is(err, context.Canceled) {
		s.Errorf("canceled: %v", err)
	}
	for _, text := range []string{large, large[:1000], large[:1]} {
		blob, err := backend.CopyBlob(s.ctx, io.Discard, strings.NewReader(text), 1<<30)
		s.must(err)
		s.same("refused", s.openBlob(blob.Sum), none)
	}
	s.same("as it comes", s.putSlowly(large), s.keep(0, large)[0])
	if err := put(iotest.OneByteReader(strings.NewReader("abc")), 3); err != nil {
		s.Errorf("byte by byte: %v", err)
	}
	s.keep(1, "abc")
}

// putSlowly stores a text that comes in parts, and with its end at once.
func (s blobSuite) putSlowly(text string) string {
	b, err := s.blobs().PutBlob(s.ctx,
		iotest.DataErrReader(iotest.HalfReader(bytes.NewReader([]byte(text)))), int64(len(text)))
	s.must(err)
	return b.Sum
}

// Nothing but a sum is asked for.
func testBlobSums(t *suite) {
	s := blobSuite{t}
	sum := s.keep(0, "abc")[0]
	for _, bad := range []string{"", "x", sum[1:], sum + "0", strings.ToUpper(sum), "../" + sum[3:],
		sum[:32] + "/" + sum[33:], " " + sum[1:], sum[:63] + "\x00"} {
		if _, err := s.blobs().OpenBlob(s.ctx, bad); !errors.Is(err, backend.ErrSum) {
			s.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := s.blobs().OpenBlob(s.ctx, strings.Repeat("0", 64)); !errors.Is(err,
		fs.ErrNotExist) {
		s.Errorf("a sum of nothing: %v", err)
	}
}

// With an artifact goes its blob, unless a live one is about it too, whatever that says besides;
// one that was deleted before, or that waits in quarantine, counts as any other.
func testEraseBlobs(t *suite) {
	s := blobSuite{t}
	sums := s.keep(0, "own", "shared", "both", "other", "quarantined")
	s.keep(10, "shared", "both")
	s.put("/untrusted"+ArtifactKey(20), ArtifactOf("quarantined"), "/kb/fact", ArtifactOf("own"))
	s.between()
	s.put(ArtifactKey(11), "null")
	s.between()
	proof, err := s.erase(false, "", ArtifactKey(0), ArtifactKey(1), ArtifactKey(2),
		ArtifactKey(4))
	s.must(err)
	s.same("versions", proof.Versions, 4)
	s.same("remains", proof.Remains, []string{})
	want := []string{sums[1], sums[4]}
	if want[0] > want[1] {
		want[0], want[1] = want[1], want[0]
	}
	s.same("kept", proof.Kept, want)
	for i, want := range []string{none, "shared", none, "other", "quarantined"} {
		s.same("after it", s.openBlob(sums[i]), want)
	}
	s.between()
	proof, err = s.erase(true, "", ArtifactKey(10), ArtifactKey(11), "/untrusted"+ArtifactKey(20))
	s.must(err)
	s.same("kept at last", proof.Kept, []string{})
	for i, want := range []string{none, none, none, "other", none} {
		s.same("at last", s.openBlob(sums[i]), want)
	}
	s.keep(30, "own")
	s.same("put again", s.openBlob(sums[0]), "own")
}

// Artifacts are written and erased from many sides, about the same few bytes: each that is live has
// its blob, for who writes one looks within the update whether that is there.
func testBlobsRace(t *suite) {
	s := blobSuite{t}
	const callers, rounds = 4, 30
	text := func(caller, n int) string { // its own, or one that all have
		return fmt.Sprint("text ", caller*(n%2))
	}
	var writing atomic.Int64
	writing.Add(callers)
	together(callers+1, func(caller int) {
		if caller == callers {
			for writing.Load() > 0 {
				s.eraseArtifacts()
				s.haveBlobs() // nobody else erases
			}
			return
		}
		defer writing.Add(-1)
		for n := range rounds {
			s.check(s.write((caller*rounds+n)*10, text(caller, n)))
		}
	})
	s.haveBlobs()
	s.eraseArtifacts()
	for caller := range callers {
		blob, err := backend.CopyBlob(s.ctx, io.Discard, strings.NewReader(text(caller, 1)), 1<<20)
		s.must(err)
		s.same("erased", s.openBlob(blob.Sum), none)
	}
}

// An erasure that comes while an artifact is being written takes its blob before the update, or not
// at all.
func testBlobsInTurn(t *suite) {
	s := blobSuite{t}
	s.keep(0, "text")
	sum := s.putBlob("text")
	s.eraseArtifacts()
	s.same("erased in between", s.openBlob(sum), none)
	s.must(s.record(10, "text", sum))
	s.haveBlobs()
	erased := make(chan struct{})
	erase := sync.OnceFunc(func() { // an update may run again
		go func() {
			defer close(erased)
			_, err := s.Backend.(backend.Eraser).Erase(s.ctx, s.caller(), backend.Erasure{
				Keys: keysOf(ArtifactKey(10)), Source: []byte(`{"kind":"user","purged":true}`)})
			s.check(err)
		}()
		time.Sleep(20 * time.Millisecond) // for the erasure to get as far as it can
	})
	s.must(s.update(func(tx backend.Tx) error {
		if s.openBlob(sum) == none {
			s.putBlob("text")
		}
		erase()
		_, err := appendTo(tx, envelopes(ArtifactKey(20), ArtifactOf("text"))...)
		return err
	}))
	<-erased
	s.same("live", len(s.artifacts()), 1)
	s.haveBlobs()
}

// haveBlobs checks that every live artifact has its blob.
func (s blobSuite) haveBlobs() {
	s.Helper()
	for rec, err := range s.liveArtifacts() {
		s.check(err)
		if sum := content.BlobOf(rec.Key, rec.Content); err == nil {
			f, err := s.blobs().OpenBlob(s.ctx, sum)
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				s.Errorf("%s is about what cannot be read: %v", rec.Key, err)
			}
		}
	}
}

// eraseArtifacts erases all that there are.
func (s blobSuite) eraseArtifacts() {
	s.Helper()
	if keys := s.artifacts(); len(keys) > 0 {
		_, err := s.Backend.(backend.Eraser).Erase(s.ctx, s.caller(), backend.Erasure{
			Keys: keys, Source: []byte(`{"kind":"user","purged":true}`)})
		s.check(err)
	}
}

// write stores a text and the artifact about it.
func (s blobSuite) write(id int, text string) error {
	blob, err := s.blobs().PutBlob(s.ctx, strings.NewReader(text), 1<<20)
	if err != nil {
		return err
	}
	runtime.Gosched()
	return s.record(id, text, blob.Sum)
}

// record stores an artifact about a text that was put, as every caller has to.
func (s blobSuite) record(id int, text, sum string) error {
	return s.update(func(tx backend.Tx) error {
		f, err := s.blobs().OpenBlob(s.ctx, sum)
		if err == nil {
			s.check(f.Close())
		} else if _, err = s.blobs().PutBlob(s.ctx, strings.NewReader(text), 1<<20); err != nil {
			return err
		}
		time.Sleep(100 * time.Microsecond) // for others to do what they must not do now
		_, err = appendTo(tx, envelopes(ArtifactKey(id), ArtifactOf(text))...)
		return err
	})
}

// liveArtifacts yields the artifacts that there are.
func (s blobSuite) liveArtifacts() iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		snap, err := s.Snapshot(s.ctx)
		if err != nil {
			yield(log.Record{}, err)
			return
		}
		defer snap.Close()
		for rec, err := range snap.ScanBelow(s.ctx, prefix(keypath.Artifacts)) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// artifacts returns their keys.
func (s blobSuite) artifacts() (keys []keypath.Key) {
	for rec, err := range s.liveArtifacts() {
		s.check(err)
		if err != nil {
			return nil
		}
		keys = append(keys, rec.Key)
	}
	return keys
}
