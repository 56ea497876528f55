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
)

// hello is the line with which a server begins.
const hello = "mem-depot 1\n"

const (
	maxNoise = 64 << 10 // bytes before hello
	maxLine  = 1 << 20  // of a request or a reply
)

// ErrNoServer is wrapped where the other end does not speak as [Serve] does.
var ErrNoServer = errors.New("no memd answers")

var errNoise = errors.New("other text instead")

type request struct {
	Do   string `json:"do"`
	Name string `json:"name,omitempty"`
	Size int    `json:"size,omitempty"`
}

type reply struct {
	Size  int    `json:"size,omitempty"`
	Error string `json:"error,omitempty"`
	Kind  string `json:"kind,omitempty"` // of the error: "gone", "torn" or ""
}

// Serve gives a folder to the client at the other end, until that closes its end.
func Serve(f *Folder, r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 64<<10), bufio.NewWriter(w)
	if _, err := io.WriteString(w, hello); err != nil {
		return err
	}
	for {
		var q request
		data, err := receive(in, &q, func() int { return q.Size })
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := f.serve(q, data)
		a := reply{Size: len(body)}
		if err != nil {
			a, body = reply{Error: err.Error(), Kind: kindOf(err)}, nil
		}
		if err := send(out, a, body); err != nil {
			return err
		}
	}
}

func (f *Folder) serve(q request, data []byte) (body []byte, err error) {
	switch q.Do {
	case "info":
		return json.Marshal(f.info)
	case "list":
		names, err := f.List()
		for _, name := range names {
			body = append(append(body, name...), '\n')
		}
		return body, err
	case "get":
		return f.Get(q.Name)
	case "put":
		return nil, f.Put(data)
	case "remove":
		return nil, f.Remove(q.Name)
	}
	return nil, fmt.Errorf("%q is no request", q.Do)
}

var kinds = map[string]error{"gone": fs.ErrNotExist, "torn": ErrTorn}

func kindOf(err error) string {
	for kind, one := range kinds {
		if errors.Is(err, one) {
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
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
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
// ErrNoServer or ErrNewer.
func OpenPipe(in io.Reader, out io.Writer) (*Pipe, error) {
	p := &Pipe{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriter(out)}
	for noise := 0; ; {
		line, err := readLine(p.in, maxNoise)
		if noise += len(line); err != nil || noise > maxNoise {
			return nil, fmt.Errorf("%w: %w", ErrNoServer, cmp.Or(err, errNoise))
		}
		if bytes.HasSuffix(line, []byte(hello)) {
			break
		}
	}
	text, err := p.call(request{Do: "info"}, nil)
	if err == nil {
		err = json.Unmarshal(text, &p.info)
	}
	if err == nil && p.info.V > 1 {
		err = ErrNewer
	}
	return p, err
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
		return nil, fmt.Errorf("%w: %s", kinds[a.Kind], a.Error)
	}
	return nil, errors.New(a.Error)
}

// Info describes the depot.
func (p *Pipe) Info() Info { return p.info }

// List is that of [Folder].
func (p *Pipe) List() (names []string, err error) {
	body, err := p.call(request{Do: "list"}, nil)
	for name := range bytes.Lines(body) {
		names = append(names, string(bytes.TrimSpace(name)))
	}
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
