package ledger

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
)

// MaxArtifact is how many bytes an artifact may have.
const MaxArtifact = 64 << 20

var artifactKinds = []string{"tool_output", "blob"}

// Artifact is a file that is kept, without its bytes.
type Artifact struct {
	Scope
	Kind string          `json:"kind,omitempty" enum:"artifact"` // "": blob
	Meta json.RawMessage `json:"meta,omitempty" query:"-"`
}

// Kept is an artifact that is stored.
type Kept struct {
	ID    string `json:"artifact_id"`
	Sum   string `json:"sha256"` // of the bytes as they are stored
	Bytes int64  `json:"bytes"`  // of the file as it was added
}

// blob is a file that a write names, and its bytes where they are at hand.
type blob struct {
	sum   string
	bytes []byte
}

// kept is a file that is stored, and the write that names it, which is not.
type kept struct {
	id    string
	blob  *blob
	write mem.Checked
	size  int64
}

// AddArtifact stores the bytes of a file, at most MaxArtifact, and a record of it. The error is
// that of Record, or wraps policy.ErrTooLarge or policy.ErrSecret: a file is refused for a secret
// that no rule in AllowSecrets lets pass.
func (b *Book) AddArtifact(ctx context.Context, a Artifact, r io.Reader) (Kept, error) {
	op, err := b.begin(policy.Artifact, &a.Scope)
	if err != nil {
		return Kept{}, err
	}
	k, err := b.addArtifact(ctx, op, &a, newGuard(r, a.AllowSecrets))
	if err != nil {
		op.Failed(keypath.Key{}, err)
		return Kept{}, err
	}
	_, err = b.put(ctx, op, []*blob{k.blob}, []mem.Checked{k.write})
	return Kept{k.id, k.blob.sum, k.size}, err
}

func (b *Book) addArtifact(ctx context.Context, op *mem.Operation, a *Artifact, r io.Reader) (
	kept, error) {
	if a.Kind == "" {
		a.Kind = "blob"
	}
	if err := a.check(); err != nil {
		return kept{}, err
	}
	return b.keep(ctx, op, a, r)
}

func (a *Artifact) check() error {
	if a.Sensitivity == "secret" {
		return fmt.Errorf("%w: a file whose sensitivity is secret is not kept", policy.ErrSecret)
	}
	for _, kind := range artifactKinds {
		if a.Kind == kind {
			return a.Scope.Check()
		}
	}
	return oneOf("kind", a.Kind, artifactKinds)
}

// keep stores the bytes of an artifact, perhaps sealed, and checks the write of it.
func (b *Book) keep(ctx context.Context, op *mem.Operation, a *Artifact, r io.Reader) (
	k kept, err error) {
	if a.IsSealed() && b.keys == nil {
		return k, noKey()
	}
	// A write that is refused whatever the bytes are must leave no bytes behind.
	if _, err = naming(ctx, b, op, a, mem.Blob{Sum: someSum}); err != nil {
		return k, err
	}
	counted := &countingReader{r: r}
	stored, err := b.store.PutBlob(ctx, b.sealing(a, counted), MaxArtifact+sealedMore)
	if err != nil {
		return k, err
	}
	stored.Size = counted.n
	return naming(ctx, b, op, a, stored)
}

// someSum is a sum, for a write that is checked before its bytes have one.
var someSum = strings.Repeat("0", 2*sha256.Size)

// keepText is keep for a text that is at hand, whose bytes are stored with the write.
func keepText(ctx context.Context, b *Book, op *mem.Operation, a *Artifact, text string) (
	k kept, err error) {
	if a.IsSealed() && b.keys == nil {
		return k, noKey()
	}
	stored, err := io.ReadAll(b.sealing(a, strings.NewReader(text)))
	if err != nil {
		return k, err
	}
	sum := sha256.Sum256(stored)
	k, err = naming(ctx, b, op, a,
		mem.Blob{Sum: hex.EncodeToString(sum[:]), Size: int64(len(text))})
	if err == nil {
		k.blob.bytes = stored
	}
	return k, err
}

// naming checks the write that names the bytes of an artifact; the size is that before they were
// sealed.
func naming(ctx context.Context, b *Book, op *mem.Operation, a *Artifact, of mem.Blob) (
	k kept, err error) {
	k.blob, k.size = &blob{sum: of.Sum}, of.Size
	if k.id, _, err = b.newID(artifactID, a.event, op.Now()); err != nil {
		return k, err
	}
	key, err := keypath.Parse(keypath.Artifacts + "/" + k.id)
	if err != nil {
		return k, err
	}
	text, err := b.content(&a.Scope, "artifact", func(o *jsontext.Object) { a.fill(o, k.size) })
	if err != nil {
		return k, err
	}
	text = membersOf(text).With("sha256", jsontext.AppendString(nil, of.Sum)).Object()
	k.write, err = op.Check(ctx, mem.Write{Key: key, Content: text,
		Source: sourceOf(op, &a.Scope, "artifact", k.id)}, false)
	return k, err
}

func (a *Artifact) fill(o *jsontext.Object, size int64) {
	o.Text("kind", a.Kind)
	o.Raw("bytes", strconv.AppendInt(nil, size, 10))
	if len(a.Meta) > 0 {
		o.Raw("meta", a.Meta)
	}
	a.private(o)
}

// sealedMore is how many bytes a sealed file has more: a header, and 16 for each 64 KiB.
const sealedMore = 64 << 10

// sealing returns what of an artifact is stored: itself, or sealed as it is read.
func (b vault) sealing(a *Artifact, r io.Reader) io.Reader {
	if !a.IsSealed() {
		return r
	}
	out, in := io.Pipe()
	go func() {
		w, err := b.keys.SealTo(in)
		if err == nil {
			_, err = io.Copy(w, r)
			err = errors.Join(err, w.Close())
		}
		in.CloseWithError(err)
	}()
	return out
}

// countingReader counts the bytes read of a file, and refuses a file that is too large.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.n += int64(n); c.n > MaxArtifact {
		return n, fmt.Errorf("artifact: %w: more than %d bytes", policy.ErrTooLarge, MaxArtifact)
	}
	return n, err
}

// OpenArtifact returns the bytes of an artifact that a channel may read; "" is as for Resolve. The
// caller closes the reader. The error wraps ErrNotFound or ErrNoKey.
func (b *Book) OpenArtifact(ctx context.Context, channel, id string) (io.ReadCloser, error) {
	if prefix, _, _, ok := splitID(id); !ok || prefix != artifactID {
		return nil, notFound(id)
	}
	named, err := b.Resolve(ctx, channel, id)
	if err != nil {
		return nil, err
	}
	m, opens := b.open(named.Record.Content)
	if !opens {
		return nil, noKey()
	}
	r, err := b.reads.OpenBlob(ctx, textOf(m, "sha256"))
	if err != nil || textOf(m, "sensitivity") != "high" {
		return r, err
	}
	plain, err := b.keys.OpenFrom(r)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{plain, r}, nil
}

// PartQuery asks for a part of an artifact.
type PartQuery struct {
	request.Sender
	ID      string `json:"artifact_id"`
	Channel string `json:"channel,omitempty" enum:"channel"`     // "": private
	Offset  int64  `json:"offset,omitempty" min:"0"`             // in bytes
	Limit   *int   `json:"limit,omitempty" min:"1" max:"200000"` // in bytes; nil: partSize
}

// Part is a part of an artifact as text.
type Part struct {
	ID     string `json:"artifact_id"`
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
	Next   int64  `json:"next_offset,omitempty"` // of the next part; 0: there is none
}

const (
	partSize    = 20_000
	maxPartSize = 200_000
)

// ReadArtifact returns a part of an artifact as text, up to the end of the character that reaches
// the limit; bytes that are no text are U+FFFD. The error wraps mem.ErrInput, or is as that of
// OpenArtifact.
func (b *Book) ReadArtifact(ctx context.Context, q PartQuery) (part Part, err error) {
	part = Part{ID: q.ID, Offset: q.Offset}
	err = request.Limit(&q.Limit, partSize, maxPartSize)
	if err == nil && q.Offset < 0 {
		err = BadInput("offset", strconv.FormatInt(q.Offset, 10), "want 0 or more")
	}
	if err != nil {
		return part, err
	}
	r, err := b.OpenArtifact(ctx, cmp.Or(q.Channel, "private"), q.ID)
	if err != nil {
		return part, err
	}
	defer r.Close() // it was only read
	_, err = io.CopyN(io.Discard, r, q.Offset)
	runes, text, read := bufio.NewReader(r), strings.Builder{}, 0
	for err == nil && read < *q.Limit {
		var letter rune
		n := 0
		if letter, n, err = runes.ReadRune(); err == nil {
			text.WriteRune(letter)
			read += n
		}
	}
	part.Text, part.Next = text.String(), q.Offset+int64(read)
	if err == io.EOF {
		part.Next, err = 0, nil
	}
	return part, err
}
