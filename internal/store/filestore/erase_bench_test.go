package filestore_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// One key leaves a history of 100,000 lines in a log and two archives. It is held against two
// floors, both with a sync for each file: to copy that history byte by byte, and to read it once as
// envelopes and write it.
func BenchmarkErase(b *testing.B) {
	for _, keys := range []int{5000, 33_333} {
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) { benchErase(b, keys) })
	}
}

func benchErase(b *testing.B, keys int) {
	const lines = 100_000
	w := storetest.NewWorld(b)
	w.Dirty = true
	for part := range 3 {
		var list []log.Envelope
		for i := range lines / 3 {
			list = append(list, log.Envelope{Key: benchKey(i % keys), Source: []byte(`{"kind":"agent",` +
				`"name":"bench","locator":{"session":"` + fmt.Sprint(part, i/100) + `"}}`),
				TS: log.StampOf(w.Now) + log.Stamp(part*lines+i), Content: fmt.Appendf(nil,
					`{"type":"note","text":"memory %d of part %d says something of some length",`+
						`"tags":["bench","t%d"]}`, i, part, i%50)})
		}
		w.Must(w.Write(func(wr *filestore.Writer) error { return wr.Append(list) }))
		if w.Now = w.Now.Add(time.Hour); part < 2 {
			w.Compact(storetest.RotateLog)
		}
	}
	w.Compact(storetest.KeepLog)
	var erased, copied, scanned time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		root := filepath.Join(b.TempDir(), fmt.Sprint(i))
		w.Must(os.CopyFS(root, os.DirFS(w.Path)))
		w.Must(exec.Command("sync", "-f", root).Run())
		start := time.Now()
		w.Must(rewriteOnce(root, copySynced))
		copied += time.Since(start)
		start = time.Now()
		w.Must(rewriteOnce(root, scanSynced))
		scanned += time.Since(start)
		s, err := filestore.Open(root, filestore.Options{Now: func() time.Time { return w.Now }})
		w.Must(err)
		// The copy is healed first, as any write does.
		w.Must(s.Update(context.Background(), backend.Caller{}, backend.CatchUpOp,
			func(backend.Tx) error { return nil }))
		compactCopy(w, s)
		w.Must(exec.Command("sync", "-f", root).Run())
		// What the copy has left to write is not the purge's.
		w.Must(exec.Command("sync", "-f", root).Run())
		b.StartTimer()
		start = time.Now()
		proof, err := s.Erase(context.Background(), backend.Caller{}, backend.Erasure{
			Keys: []keypath.Key{benchKey(4711)}, Source: []byte(`{"purged":true}`)})
		erased += time.Since(start)
		w.Must(err)
		if proof.Versions < 3 || len(proof.Remains) > 0 {
			b.Fatalf("%+v", proof)
		}
		b.StopTimer()
		w.Must(s.Close())
		w.Must(os.RemoveAll(root))
		b.StartTimer()
	}
	b.ReportMetric(float64(erased)/float64(copied), "x-copy")
	b.ReportMetric(float64(erased)/float64(scanned), "x-scan")
}

// compactCopy compares every file of the index, as the compaction that cron starts does.
func compactCopy(w *storetest.World, s *filestore.Store) {
	dir, err := s.Dir()
	w.Must(err)
	job := w.Job(storetest.KeepLog)
	job.Dir, job.Boot = dir, s.Boot()
	_, err = job.Run()
	w.Must(err)
}

func benchKey(i int) keypath.Key {
	return keypath.MustParse(fmt.Sprintf("/bench/d%d/k%d", i%100, i))
}

// rewriteOnce reads and writes every segment.
func rewriteOnce(root string, rewrite func(from, to string) error) error {
	names, err := filepath.Glob(filepath.Join(root, "archive", "*.jsonl"))
	if err != nil {
		return err
	}
	for _, name := range append(names, filepath.Join(root, "log.jsonl")) {
		if err := rewrite(name, name+".copy"); err != nil {
			return err
		}
		if err := os.Remove(name + ".copy"); err != nil {
			return err
		}
	}
	return nil
}

func copySynced(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	// No short cut by the kernel: what is compared with passes through the process, too.
	if _, err := io.Copy(struct{ io.Writer }{out}, struct{ io.Reader }{in}); err != nil {
		return err
	}
	return out.Sync()
}

// scanSynced copies the lines of a segment as envelopes.
func scanSynced(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	for rec, err := range log.Scan(in, from, log.Start{}) {
		if err != nil {
			return err
		}
		out.Write(rec.Line)
		out.WriteByte('\n')
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Sync()
}
