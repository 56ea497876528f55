package transfer

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
)

// ErrArchive is wrapped where an archive is not whole, or has what does not belong there. Nothing
// of it was stored.
var ErrArchive = fmt.Errorf("%w: the archive is not whole", mem.ErrInput)

// isArchive reports whether a file begins as a tar file does.
func isArchive(text []byte) bool {
	const at, magic = 257, "ustar"
	return len(text) >= at+len(magic) && string(text[at:at+len(magic)]) == magic
}

// Archive is an archive that is read. It is read more than once, so a stream is a temporary file.
type Archive struct {
	tar  Tar
	in   TarReader
	file *os.File
	temp string // the name of the temporary file
	// blobs are the layers and names of the artifacts' bytes that are stored.
	blobs map[[2]string]bool
}

// OpenArchive opens the input of an import if it is an archive. Otherwise the archive is nil, and
// the caller imports the returned input directly. It returns ErrNoTar for an archive without tar.
func OpenArchive(in Incoming, tar Tar) (*Archive, Incoming, error) {
	if in.Stream != nil {
		buffered := bufio.NewReader(in.Stream)
		head, _ := buffered.Peek(512) // the reading returns the error
		if in.Stream = buffered; !isArchive(head) {
			return nil, in, nil
		}
		if tar == nil {
			return nil, in, noTar(buffered)
		}
		archive, err := spool(buffered, tar)
		return archive, in, err
	}
	// A pipe can be read only once.
	if fi, err := os.Stat(in.Path); err != nil || !fi.Mode().IsRegular() {
		return nil, in, nil
	}
	file, err := os.Open(in.Path)
	if err != nil {
		return nil, in, nil // the import returns this error
	}
	head := make([]byte, 512)
	n, _ := file.ReadAt(head, 0)
	if !isArchive(head[:n]) {
		return nil, in, file.Close()
	}
	if tar == nil {
		return nil, in, errors.Join(ErrNoTar, file.Close())
	}
	return &Archive{tar: tar, file: file}, in, nil
}

// spool writes an archive that comes as a stream to a temporary file, which only its owner reads.
func spool(r io.Reader, tar Tar) (*Archive, error) {
	file, err := os.CreateTemp("", "mem-import-")
	if err != nil {
		return nil, err
	}
	a := &Archive{tar: tar, file: file, temp: file.Name()}
	// A crash before this leaves the file. Where an open file cannot be removed, Close does it.
	os.Remove(a.temp)
	if _, err := io.Copy(file, r); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// Close closes the archive.
func (a *Archive) Close() error {
	err := a.file.Close()
	if a.temp != "" {
		os.Remove(a.temp) // a crash before this leaves the file where spool could not remove it
	}
	return err
}

// rewind begins a pass over the archive.
func (a *Archive) rewind() error {
	_, err := a.file.Seek(0, io.SeekStart)
	a.in = a.tar.NewReader(a.file) // without a buffer, so the file stands where the reader is
	return err
}

// next returns the next member; io.EOF at the end.
func (a *Archive) next(ctx context.Context) (Member, error) {
	if err := ctx.Err(); err != nil {
		return Member{}, err
	}
	head, err := a.in.Next()
	if err != nil && err != io.EOF {
		err = unreadable("", err)
	}
	return head, err
}

// unreadable returns the error of a member: an error of the disk as it is.
func unreadable(name string, err error) error {
	if disk.Failed(err) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it is cut off")
	}
	if name != "" {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("archive: %w: %w", ErrArchive, err)
}

// check reads the archive to its end: each member is whole, the bytes of each artifact are those of
// its name, and what follows is the end of a tar file, which one that was cut between two members
// lacks.
func (a *Archive) check(ctx context.Context) error {
	fi, err := a.file.Stat()
	if err == nil {
		err = a.rewind()
	}
	if err != nil {
		return err
	}
	end := int64(0)
	for {
		head, err := a.next(ctx)
		if err == io.EOF {
			return a.checkEnd(end)
		}
		if err != nil {
			return err
		}
		if head.Size > fi.Size() { // of a sparse file, which would never end
			return unreadable(head.Name, errors.New("it is larger than the archive"))
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, a.in); err != nil {
			return unreadable(head.Name, err)
		}
		layer, name, blob := memberOf(head.Name)
		if name == content.MarksFile {
			return &content.MarkedError{Root: "archive: " + layer, IsArchive: true}
		}
		if blob && name != hex.EncodeToString(sum.Sum(nil)) {
			return unreadable(head.Name, errors.New("its bytes are not those of its name"))
		}
		if end, err = a.file.Seek(0, io.SeekCurrent); err != nil {
			return err
		}
	}
}

// checkEnd checks what follows the last member: two blocks of zeros, and nothing but zeros.
func (a *Archive) checkEnd(end int64) error {
	const block = 512
	end = (end + block - 1) / block * block
	zeros, part := 0, make([]byte, 32<<10)
	for {
		n, err := a.file.ReadAt(part, end+int64(zeros))
		if len(bytes.Trim(part[:n], "\x00")) > 0 {
			return unreadable("", errors.New("bytes follow its end"))
		}
		zeros += n
		switch {
		case err == io.EOF && zeros < 2*block:
			return unreadable("", errors.New("it is cut off"))
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// memberOf returns the layer and the name of a member; of an artifact its SHA-256.
func memberOf(member string) (layer, name string, blob bool) {
	layer, name = path.Split(path.Clean(member))
	layer = path.Clean(layer)
	if blob = path.Base(layer) == archiveBlobs; blob {
		layer = path.Dir(layer)
	}
	return layer, name, blob
}

type targetFunc = func(layer string) (*mem.Store, note.IDs, error)

// Import imports an archive, each layer into the store that target returns for its name, with the
// bytes of artifacts before the lines that name them; bytes that no line needs are left out, as
// after a purge of their artifact. Before anything is stored it is read to its end, then each layer
// is checked as in a dry run, and one question is asked for the rules of all. After a later error,
// everything stored so far stays.
func (a *Archive) Import(ctx context.Context, c mem.Caller, o ImportOptions,
	target targetFunc) (rep ImportReport, err error) {
	err = a.check(ctx)
	if err == nil && !o.DryRun {
		err = a.lookAhead(ctx, c, &o, target)
	}
	if err != nil {
		return rep, err
	}
	return a.read(ctx, c, o, target)
}

// lookAhead checks all layers before the first is stored, and asks for their rules.
func (a *Archive) lookAhead(ctx context.Context, c mem.Caller, o *ImportOptions,
	target targetFunc) error {
	ask, look, rules := o.Confirm, *o, []log.Record(nil)
	look.DryRun, look.ahead, o.Confirm = true, true, nil
	a.blobs = map[[2]string]bool{}
	look.Confirm = func(list []log.Record) error {
		rules = append(rules, list...)
		return nil
	}
	if _, err := a.read(ctx, c, look, target); err != nil && !o.KeepGoing {
		return err
	}
	if len(rules) == 0 || ask == nil {
		return nil
	}
	return ask(rules)
}

// read imports the members in their order.
func (a *Archive) read(ctx context.Context, c mem.Caller, o ImportOptions,
	target targetFunc) (rep ImportReport, err error) {
	if err := a.rewind(); err != nil {
		return rep, err
	}
	for {
		head, err := a.next(ctx)
		if err == io.EOF {
			return rep, nil
		}
		if err != nil {
			return rep, err
		}
		layer, name, blob := memberOf(head.Name)
		s, ids, err := target(layer)
		if err != nil {
			return rep, err
		}
		switch {
		case blob && a.blobs[[2]string{layer, name}] && !o.DryRun:
			_, err = s.PutBlob(ctx, a.in, math.MaxInt64)
		case name == archiveEarlier:
			o.earlier, err = io.ReadAll(a.in)
		case name == archiveLog:
			o.IDs = ids
			if o.ahead {
				o.blobs = func(sum string) { a.blobs[[2]string{layer, sum}] = true }
			}
			var part ImportReport
			part, err = Import(ctx, s, c, Incoming{Path: head.Name, Stream: a.in}, o)
			rep.add(part)
		}
		if err != nil {
			return rep, rep.after(err)
		}
	}
}

// after returns the error of a layer after others are stored.
func (r *ImportReport) after(err error) error {
	stored := r.New + r.Changed
	if stored == 0 || r.DryRun || errors.As(err, new(*mem.PartialError)) {
		return err
	}
	return backend.Unfinished(err, fmt.Sprintf("%d are stored", stored),
		"the same command stores the rest")
}

func (r *ImportReport) add(o ImportReport) {
	r.New, r.Changed, r.Unchanged = r.New+o.New, r.Changed+o.Changed, r.Unchanged+o.Unchanged
	r.Stale, r.Purged, r.Refused = r.Stale+o.Stale, r.Purged+o.Purged, r.Refused+o.Refused
	r.Apart, r.Absent, r.DryRun = r.Apart+o.Apart, r.Absent+o.Absent, o.DryRun
	r.Renamed, r.Kept = append(r.Renamed, o.Renamed...), append(r.Kept, o.Kept...)
	r.Facts, r.Conflicts = r.Facts+o.Facts, append(r.Conflicts, o.Conflicts...)
}
