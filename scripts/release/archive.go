package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// entry is one file of an archive.
type entry struct {
	name string // with slashes
	text []byte
	mode fs.FileMode
}

// programs builds both programs for a target.
func (r release) programs(t target) (files []entry) {
	dir := harness.Must(os.MkdirTemp("", "mem-release-"))
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	r.build(t, dir)
	for _, program := range []string{"mem", "memd"} {
		program += t.ending()
		text := harness.Must(os.ReadFile(filepath.Join(dir, program)))
		files = append(files, entry{program, text, 0o755})
	}
	return files
}

// archive writes the archive of a target.
func (r release) archive(t target, programs, common []entry) {
	files := slices.Concat(common, programs)
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	pack, ending := r.tar, ".tar.gz"
	if t.os == "windows" {
		pack, ending = r.zip, ".zip"
	}
	r.write(r.archiveName(t)+ending, pack(r.archiveName(t), files))
}

func (r release) archiveName(t target) string {
	return fmt.Sprintf("mem_%s_%s_%s", r.version, t.os, t.arch)
}

func (r release) write(name string, text []byte) {
	harness.Check(os.WriteFile(filepath.Join(r.out, name), text, 0o644))
}

// tar returns the files below one directory.
func (r release) tar(dir string, files []entry) []byte {
	var out bytes.Buffer
	zipped := harness.Must(gzip.NewWriterLevel(&out, gzip.BestCompression))
	w := tar.NewWriter(zipped)
	for _, f := range files {
		h := &tar.Header{Name: dir + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.text)),
			ModTime: r.time, Format: tar.FormatUSTAR}
		harness.Check(w.WriteHeader(h))
		harness.Must(w.Write(f.text))
	}
	harness.Check(w.Close(), zipped.Close())
	return out.Bytes()
}

// zip returns the files below a directory; "" for none.
func (r release) zip(dir string, files []entry) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(dir, f.name), Method: zip.Deflate, Modified: r.time}
		h.SetMode(f.mode)
		part := harness.Must(w.CreateHeader(h))
		harness.Must(part.Write(f.text))
	}
	harness.Check(w.Close())
	return out.Bytes()
}

// checksums is the file of the sums of all other files.
const checksums = "checksums.txt"

func (r release) has(name string) bool {
	_, err := os.Stat(filepath.Join(r.out, name))
	return err == nil
}

// sum returns the SHA-256 of a file of the release, in hexadecimal.
func (r release) sum(name string) string {
	text := harness.Must(os.ReadFile(filepath.Join(r.out, name)))
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// writeChecksums writes checksums.txt over all other files, by name.
func (r release) writeChecksums() {
	var out strings.Builder
	for _, f := range harness.Must(os.ReadDir(r.out)) {
		fmt.Fprintf(&out, "%s  %s\n", r.sum(f.Name()), f.Name())
	}
	r.write(checksums, []byte(out.String()))
}
