package seal

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
)

// Keys are the identities of a key file. They are safe for concurrent use, and print as what may be
// known of them.
type Keys struct {
	all    []age.Identity // the newest first
	newest age.Recipient
}

// Load reads a key file. The roots are those of the memories: the file must lie in none of them.
// The error is ErrNoKey for an empty path, else a *FileError.
func Load(path string, roots ...string) (*Keys, error) {
	f, err := readFile(path, roots)
	if err != nil {
		return nil, err
	}
	keys, err := f.keys()
	if err != nil {
		return nil, err
	}
	if err := f.makeDurable(); err != nil {
		return nil, fileError(path, err)
	}
	return keys, nil
}

// add adds identities that are newer than all before, and reports whether they are of a kind that
// can be sealed to.
func (k *Keys) add(found []age.Identity) bool {
	for _, id := range found {
		switch id := id.(type) {
		case *age.X25519Identity:
			k.newest = id.Recipient()
		case *age.HybridIdentity:
			k.newest = id.Recipient()
		default:
			return false
		}
		k.all = append([]age.Identity{id}, k.all...)
	}
	return true
}

// String returns how many identities there are, and the public key to which is sealed.
func (k *Keys) String() string { return fmt.Sprintf("%d identities, %v", len(k.all), k.newest) }

// GoString returns the same as String.
func (k *Keys) GoString() string { return k.String() }

// Seal returns a text sealed to the newest identity, as base64 without line ends.
func (k *Keys) Seal(plain []byte) ([]byte, error) {
	var sealed bytes.Buffer
	w, err := k.SealTo(&sealed)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return base64.StdEncoding.AppendEncode(nil, sealed.Bytes()), nil
}

// Open returns the text that Seal sealed. The error wraps ErrNotOurs or ErrDamaged.
func (k *Keys) Open(sealed []byte) ([]byte, error) {
	binary, err := base64.StdEncoding.Strict().AppendDecode(nil, sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: it is not base64", ErrDamaged)
	}
	r, err := k.OpenFrom(bytes.NewReader(binary))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return plain, nil
}

// SealTo returns a writer that seals the bytes written to it into w, as a binary age file, to the
// newest identity. Only its Close, which does not close w, makes it whole.
func (k *Keys) SealTo(w io.Writer) (io.WriteCloser, error) { return age.Encrypt(w, k.newest) }

// OpenFrom returns a reader of what SealTo sealed. What it returns counts only once it has returned
// io.EOF. The errors, of both, wrap ErrNotOurs or ErrDamaged, or are those of r.
func (k *Keys) OpenFrom(r io.Reader) (io.Reader, error) {
	o := &opened{sealed: source{r: r}}
	var err error
	if o.plain, err = age.Decrypt(&o.sealed, k.all...); err != nil {
		return nil, o.cause(err, "its header")
	}
	return o, nil
}

// opened reads the opened text.
type opened struct {
	sealed source
	plain  io.Reader
}

func (o *opened) Read(p []byte) (int, error) {
	n, err := o.plain.Read(p)
	if err != nil && err != io.EOF {
		err = o.cause(err, "its content, or its end")
	}
	return n, err
}

// cause returns whose fault an error of age is. The text of age's own is left out: it may quote
// what it was given, which need not be sealed at all.
func (o *opened) cause(err error, where string) error {
	switch {
	case o.sealed.err != nil:
		return fmt.Errorf("open a sealed record: %w", o.sealed.err)
	case errors.As(err, new(*age.NoIdentityMatchError)):
		return ErrNotOurs
	}
	return fmt.Errorf("%w: %s", ErrDamaged, where)
}

// source notes with which error reading failed.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
