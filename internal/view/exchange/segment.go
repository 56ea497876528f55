package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

var (
	// ErrSegment is wrapped for plain bytes that are no segment.
	ErrSegment = errors.New("not a segment of lines")
	// ErrNewer is wrapped for a segment of a later version.
	ErrNewer = errors.New("a newer mem wrote it")
)

// maxPlain is the greatest size of a segment's plain bytes, so that a small one does not fill the
// memory: an artifact of 64 MiB and its head.
const maxPlain = 72 << 20

// head is the first line of a segment.
type head struct {
	V        int    `json:"v"`
	Scope    string `json:"scope"`
	Project  string `json:"project,omitempty"`  // of a project, its name for people
	Identity string `json:"identity,omitempty"` // of a project in a backup
	File     string `json:"file,omitempty"`     // of a backup; what follows the head are its bytes
	Machine  string `json:"machine"`
	Name     string `json:"name,omitempty"` // of the machine, for people
	At       string `json:"at"`
	// Marked are identities of lines for which no person vouches, of a mem that marked them beside
	// the log. No segment of this one has them.
	Marked []string `json:"marked,omitempty"`
	// Unread are segments that its machine has not been able to read for a day: one that knows what
	// they hold sends that again.
	Unread []string `json:"unread,omitempty"`
	// Identities are those that the repository of a project has had, the present one last.
	Identities []string `json:"identities,omitempty"`
}

type segment struct {
	head
	name  string
	lines []log.Envelope
	data  []byte // of the file
}

func (s *segment) encode() ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	err := json.NewEncoder(w).Encode(s.head)
	var line []byte
	for i := 0; err == nil && i < len(s.lines); i++ {
		line = append(s.lines[i].AppendLine(line[:0]), '\n')
		_, err = w.Write(line)
	}
	if err == nil {
		_, err = w.Write(s.data)
	}
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// decode reads plain bytes. The error wraps ErrSegment or ErrNewer.
func decode(plain []byte) (s *segment, err error) {
	r, err := gzip.NewReader(bytes.NewReader(plain))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSegment, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	if err == nil && len(text) > maxPlain {
		err = fmt.Errorf("more than %d bytes", maxPlain)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSegment, err)
	}
	s = &segment{}
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	if err := json.Unmarshal(first, &s.head); err != nil || s.V < 1 {
		return nil, fmt.Errorf("%w: its head: %w", ErrSegment, err)
	}
	if s.V > 1 {
		return nil, ErrNewer
	}
	if s.File != "" {
		s.data = rest
		return s, nil
	}
	for line := range bytes.Lines(rest) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		e, err := log.DecodeStrict(line)
		if err == nil && !bytes.Equal(e.Line(), line) {
			err = errors.New("a line in another form")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSegment, err)
		}
		s.lines = append(s.lines, e)
	}
	s.claimMarked()
	return s, nil
}

// claimMarked puts the marks that the head has into the source of the lines.
func (s *segment) claimMarked() {
	marked := map[string]bool{}
	for _, id := range s.Marked {
		marked[id] = true
	}
	for i, e := range s.lines {
		id := e.Identity()
		if marked[hex.EncodeToString(id[:])] && content.Claim(e.Source) == "" {
			s.lines[i].Source = content.WithClaim(e.Source, content.FromImport)
		}
	}
	s.Marked = nil
}
