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

// archive builds the programs for a target, and writes its archive.
func (r release) archive(t target, common []entry) error {
	dir, err := os.MkdirTemp("", "mem-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // a crash before this leaves a temporary directory
	if err := r.build(t, dir); err != nil {
		return err
	}
	files := slices.Clone(common)
	for _, program := range []string{"mem", "memd"} {
		if t.os == "windows" {
			program += ".exe"
		}
		text, err := os.ReadFile(filepath.Join(dir, program))
		if err != nil {
			return err
		}
		files = append(files, entry{program, text, 0o755})
	}
	name := fmt.Sprintf("mem_%s_%s_%s", r.version, t.os, t.arch)
	slices.SortFunc(files, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	pack, ending := r.tar, ".tar.gz"
	if t.os == "windows" {
		pack, ending = r.zip, ".zip"
	}
	text, err := pack(name, files)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, name+ending), text, 0o644)
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

func (r release) zip(dir string, files []entry) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: dir + "/" + f.name, Method: zip.Deflate, Modified: r.time}
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

// writeChecksums writes checksums.txt over all other files, by name.
func (r release) writeChecksums() error {
	files, err := os.ReadDir(r.out) // sorted
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(r.out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(text), f.Name())
	}
	return os.WriteFile(filepath.Join(r.out, checksums), []byte(out.String()), 0o644)
}
