package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// entry is one file of an archive.
type entry struct {
	name string // with slashes
	text []byte
	mode fs.FileMode
}

// programs builds both programs for a target.
func (r release) programs(t target) (files []entry, err error) {
	dir, err := os.MkdirTemp("", "mem-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	if err := r.build(t, dir); err != nil {
		return nil, err
	}
	for _, program := range []string{"mem", "memd"} {
		program += t.ending()
		text, err := os.ReadFile(filepath.Join(dir, program))
		if err != nil {
			return nil, err
		}
		files = append(files, entry{program, text, 0o755})
	}
	return files, nil
}

// archive writes the archive of a target.
func (r release) archive(t target, programs, common []entry) error {
	files := slices.Concat(common, programs)
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	pack, ending := r.tar, ".tar.gz"
	if t.os == "windows" {
		pack, ending = r.zip, ".zip"
	}
	text, err := pack(r.archiveName(t), files)
	if err != nil {
		return err
	}
	return r.write(r.archiveName(t)+ending, text)
}

func (r release) archiveName(t target) string {
	return fmt.Sprintf("mem_%s_%s_%s", r.version, t.os, t.arch)
}

func (r release) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), text, 0o644)
}

// tar returns the files below one directory.
func (r release) tar(dir string, files []entry) ([]byte, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zipped)
	for _, f := range files {
		h := &tar.Header{Name: dir + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.text)),
			ModTime: r.time, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zip returns the files below a directory; "" for none.
func (r release) zip(dir string, files []entry) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(dir, f.name), Method: zip.Deflate, Modified: r.time}
		h.SetMode(f.mode)
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// checksums is the file of the sums of all other files.
const checksums = "checksums.txt"

// sum returns the SHA-256 of a file of the release, in hexadecimal.
func (r release) sum(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(r.out, name))
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// writeChecksums writes checksums.txt over all other files, by name.
func (r release) writeChecksums() error {
	files, err := os.ReadDir(r.out) // sorted
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, f := range files {
		sum, err := r.sum(f.Name())
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", sum, f.Name())
	}
	return r.write(checksums, []byte(out.String()))
}
