package depot

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/text"
)

// hello is the line with which a server begins.
const hello = "mem-depot 1\n"

const (
	maxNoise = 64 << 10 // bytes before hello
	maxLine  = 1 << 20  // of a request or a reply
)

// ErrNoServer is wrapped where the other end does not speak as [Serve], or a client of it, does.
var ErrNoServer = errors.New("no memd answers")

// ErrFar is wrapped for what failed at the other end.
var ErrFar = errors.New("the other machine says")

var errNoise = errors.New("other text instead")

type request struct {
	Do   string `json:"do"`
	Name string `json:"name,omitempty"`
	Size int    `json:"size,omitempty"`
}

type reply struct {
	Size  int    `json:"size,omitempty"`
	Error string `json:"error,omitempty"`
	Kind  string `json:"kind,omitempty"` // of the error, see kinds
}

// server is the other end of a client: it makes its folder a depot, or opens it, when asked.
type server struct {
	path string
	*Folder
}

// Serve serves the folder at a path to the client at the other end, until that closes its end.
func Serve(path string, r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 64<<10), bufio.NewWriter(w)
	if _, err := io.WriteString(w, hello); err != nil {
		return err
	}
	s := &server{path: path}
	defer s.close()
	for {
		var q request
		data, err := receive(in, &q, func() int { return q.Size })
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil // also one that was killed in the middle: nothing of it is stored
		}
		if err != nil {
			return err
		}
		body, err := s.answer(q, data)
		a := reply{Size: len(body)}
		if err != nil {
			a, body = reply{Error: err.Error(), Kind: kindOf(err)}, nil
		}
		if err := send(out, a, body); err != nil {
			return err
		}
	}
}

func (s *server) close() {
	if s.Folder != nil {
		s.Close()
	}
}

func (s *server) answer(q request, data []byte) (body []byte, err error) {
	switch {
	case s.Folder != nil:
	case q.Do == "make":
		var info Info
		if err = json.Unmarshal(data, &info); err == nil {
			err = os.MkdirAll(filepath.Dir(s.path), 0o700) // a crash leaves an empty directory
			if err == nil {
				s.Folder, err = MakeFolder(s.path, info)
			}
		}
		return nil, err
	default:
		if s.Folder, err = OpenFolder(s.path); err != nil {
			return nil, err
		}
	}
	switch q.Do {
	case "info":
		return json.Marshal(s.info)
	case "list":
		names, err := s.List()
		for _, name := range names {
			body = append(append(body, name...), '\n')
		}
		return body, err
	case "get":
		return s.Get(q.Name)
	case "put":
		return nil, s.Put(data)
	case "remove":
		return nil, s.Remove(q.Name)
	case "remains":
		var list []Remain
		if list, err = s.Remains(data); err == nil {
			body, err = json.Marshal(list)
		}
		return body, err
	}
	return nil, fmt.Errorf("%q is no request", q.Do)
}

var kinds = map[string]error{"gone": fs.ErrNotExist, "torn": ErrTorn, "none": ErrNone,
	"made": ErrMade, "newer": ErrNewer}

func kindOf(err error) string {
	for _, kind := range []string{"none", "newer", "made", "torn", "gone"} {
		if errors.Is(err, kinds[kind]) {
			return kind
		}
	}
	return ""
}

// send sends a line of JSON and bytes.
func send(w *bufio.Writer, head any, body []byte) error {
	if err := json.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Flush()
}

// receive receives a line of JSON and as many bytes as size says of it.
func receive(r *bufio.Reader, head any, size func() int) (body []byte, err error) {
	line, err := readLine(r, maxLine)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(line, head); err != nil {
		return nil, fmt.Errorf("%w: it says %.60q", ErrNoServer, line)
	}
	n := size()
	if n < 0 || n > MaxSegment {
		return nil, fmt.Errorf("%w: %d bytes", ErrNoServer, n)
	}
	body = make([]byte, n)
	if _, err = io.ReadFull(r, body); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return body, err
}

func readLine(r *bufio.Reader, limit int) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit:
			return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrNoServer, limit)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return line, err
		}
	}
}

// Pipe is a depot behind the stdin and stdout of a program that runs [Serve].
type Pipe struct {
	in   *bufio.Reader
	out  *bufio.Writer
	info Info
}

// OpenPipe opens the depot at the other end: in is its stdout, out its stdin. The error wraps
// ErrNoServer, ErrNone or ErrNewer.
func OpenPipe(in io.Reader, out io.Writer) (*Pipe, error) {
	p, err := meet(in, out)
	if err != nil {
		return nil, err
	}
	text, err := p.call(request{Do: "info"}, nil)
	if err == nil {
		p.info, err = parseInfo(text)
	}
	return p, err
}

// MakePipe makes a depot at the other end. The error wraps ErrNoServer or ErrMade.
func MakePipe(in io.Reader, out io.Writer, info Info) (*Pipe, error) {
	p, err := meet(in, out)
	if err != nil {
		return nil, err
	}
	p.info = info
	text, err := json.Marshal(info)
	if err == nil {
		_, err = p.call(request{Do: "make"}, text)
	}
	return p, err
}

// meet skips what the other end prints before it begins.
func meet(in io.Reader, out io.Writer) (*Pipe, error) {
	p := &Pipe{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriter(out)}
	for noise := 0; ; {
		line, err := readLine(p.in, maxNoise)
		if noise += len(line); err != nil || noise > maxNoise {
			return nil, fmt.Errorf("%w: %w", ErrNoServer, cmp.Or(err, errNoise))
		}
		if bytes.HasSuffix(line, []byte(hello)) {
			return p, nil
		}
	}
}

// call sends a request and returns the bytes of the reply.
func (p *Pipe) call(q request, data []byte) ([]byte, error) {
	q.Size = len(data)
	if err := send(p.out, q, data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	var a reply
	body, err := receive(p.in, &a, func() int { return a.Size })
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
	case a.Error == "":
		return body, nil
	case kinds[a.Kind] != nil:
		return nil, fmt.Errorf("%w: %s", kinds[a.Kind], brief(a.Error))
	}
	return nil, fmt.Errorf("%w: %q", ErrFar, brief(a.Error))
}

// brief returns what the other end says as a short line: people read it below what mem says.
func brief(said string) string {
	const most = 200
	return text.Line(strings.ToValidUTF8(said[:min(len(said), most)], ""))
}

// Info describes the depot.
func (p *Pipe) Info() Info { return p.info }

// List is that of [Folder].
func (p *Pipe) List() (names []string, err error) {
	body, err := p.call(request{Do: "list"}, nil)
	for name := range bytes.Lines(body) {
		name := string(bytes.TrimSpace(name))
		if _, err := pathOf(name); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names) // whatever the other end is
	return names, err
}

// Get is that of [Folder]; the bytes are checked here, too.
func (p *Pipe) Get(name string) ([]byte, error) {
	data, err := p.call(request{Do: "get", Name: name}, nil)
	if err == nil && NameOf(data) != name {
		err = fmt.Errorf("%s: %w", name, ErrTorn)
	}
	return data, err
}

// Put is that of [Folder].
func (p *Pipe) Put(data []byte) error {
	_, err := p.call(request{Do: "put"}, data)
	return err
}

// Remove is that of [Folder].
func (p *Pipe) Remove(name string) error {
	_, err := p.call(request{Do: "remove", Name: name}, nil)
	return err
}
