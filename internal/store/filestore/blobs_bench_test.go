package filestore_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/set-memory/mem/internal/store/filestore"
)

// A blob is put, put again, and opened. TMPDIR says on which disk.
func BenchmarkBlobs(b *testing.B) {
	ctx := context.Background()
	for _, size := range []int{1 << 10, 1 << 20, 64 << 20} {
		text := make([]byte, size)
		rand.NewChaCha8([32]byte{}).Read(text)
		w := newBlobWorld(b)
		s, n := w.store(), byte(0)
		put := func(b *testing.B) string {
			blob, err := s.PutBlob(ctx, bytes.NewReader(text), int64(size))
			if err != nil {
				b.Fatal(err)
			}
			return blob.Sum
		}
		b.Run(fmt.Sprintf("put/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				n++
				text[int(n)%size]++
				os.Remove(w.File(filestore.ArtifactsDir + "/" + put(b)))
			}
		})
		sum := put(b)
		b.Run(fmt.Sprintf("again/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				put(b)
			}
		})
		b.Run(fmt.Sprintf("open/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				f, err := s.OpenBlob(ctx, sum)
				if err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
		b.Run(fmt.Sprintf("read/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				f, err := s.OpenBlob(ctx, sum)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, f)
				f.Close()
			}
		})
		w.Must(os.RemoveAll(w.File(filestore.ArtifactsDir)))
	}
}
