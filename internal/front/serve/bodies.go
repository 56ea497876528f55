package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
)

const (
	// maxBody is how many bytes a body may have, unless its front takes more.
	maxBody = 2 << 20

	// bodyTime is how long a body may take that moves.
	bodyTime = 10 * time.Minute
	// A transfer in which less moves than movedBytes in stallTime ends.
	stallTime  = 30 * time.Second
	movedBytes = 1 << 10
)

// The bytes of bodies, and of long answers, that a server has in memory.
const (
	smallBody  = 64 << 10 // has room besides
	firstRoom  = 1 << 20  // of a body that says that it is as long
	smallRoom  = 16 << 20
	wholeRoom  = 256 << 20
	tenantRoom = 64 << 20
	tokenRoom  = 32 << 20 // of a token, and of an address without one

	// longAnswers is how many commands print much at a time: what one prints has no room before
	// it is encoded, when there are three copies of it.
	longAnswers = 2
)

// room bounds the bytes of requests that are in memory, of all and of each owner. Bodies below 64
// KiB have a part of their own first, so that long ones keep no short one out.
type room struct {
	mu    sync.Mutex
	small int
	all   int
	by    map[party]int
}

// claim is the bytes of one request.
type claim struct {
	room    *room
	parties []party
	small   int
	large   int
}

func newRoom() *room { return &room{by: map[party]int{}} }

func (c *claim) add(bytes int) error { return c.grow(c.small + c.large + bytes) }

// grow raises a claim to so many bytes. The error names the owner that has too many; the claim is
// as before then. An owner that has nothing else may have more than its room: a long answer.
func (c *claim) grow(bytes int) error {
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if bytes <= smallBody && c.large == 0 && r.small+bytes-c.small <= smallRoom {
		r.small += bytes - c.small
		c.small = bytes
		return nil
	}
	more := bytes - c.large
	if r.all+more > wholeRoom {
		return errFull("server", wholeRoom)
	}
	for _, p := range c.parties {
		if most := p.room(); r.by[p] > c.large && r.by[p]+more > most {
			return errFull(p.kind, most)
		}
	}
	for _, p := range c.parties {
		r.by[p] += more
	}
	r.all += more
	r.small -= c.small
	c.small, c.large = 0, bytes
	return nil
}

// end returns the bytes of a claim to its room.
func (c *claim) end() {
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range c.parties {
		if r.by[p] -= c.large; r.by[p] == 0 {
			delete(r.by, p)
		}
	}
	r.small, r.all = r.small-c.small, r.all-c.large
	c.small, c.large = 0, 0
}

// room returns how many bytes an owner may have.
func (p party) room() int {
	if p.kind == "tenant" {
		return tenantRoom
	}
	return tokenRoom
}

func errFull(kind string, most int) error {
	return newFault(mem.KindLocked, http.StatusTooManyRequests,
		fmt.Sprintf("the unfinished requests of this %s have %d MiB, and may have no more", kind,
			most>>20), advice.Say("ask again when some of them are answered"))
}

// readAll reads a body as a whole, of at most so many bytes, into the room of its request. The
// error of one that has more is an *http.MaxBytesError.
func (c *call) readAll(most int) ([]byte, error) {
	limit, first := most+1, 8<<10
	if n := c.r.ContentLength; n >= 0 {
		limit = int(min(n, int64(most))) + 1 // and its end
		// What has no room is refused before it is read: of a thousand bodies at once none would
		// come to its end, and all would be read.
		first = firstRoom
	}
	body := http.MaxBytesReader(c.w, c.r.Body, int64(most))
	var text []byte
	for {
		if len(text) == cap(text) {
			next := min(limit, max(first, 2*cap(text)))
			if err := c.claim.grow(next); err != nil {
				return nil, err
			}
			text = append(make([]byte, 0, next), text...)
		}
		n, err := body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return nil, bodyError(err)
		}
	}
}

// bodyError returns the error of a body that did not come as a whole: its sender's fault.
func bodyError(err error) error {
	if errors.As(err, new(*http.MaxBytesError)) || errors.As(err, new(*httpFault)) {
		return err
	}
	return fmt.Errorf("body: %w: it did not come to its end: %w", mem.ErrInput, err)
}

// body is the body of a request, whose connection may give way until it has come to its end.
type body struct {
	io.ReadCloser
	conn net.Conn
	of   *conns

	last  time.Time // it may take until then
	since time.Time // moved counts since then
	moved int
	gone  atomic.Bool // it has given way
}

func newBody(r *http.Request, conn net.Conn, of *conns) *body {
	b := &body{ReadCloser: r.Body, conn: conn, of: of, since: of.clock()}
	b.last = b.since.Add(of.whole)
	b.wait()
	return b
}

// wait lets the next bytes take as long as they may.
func (b *body) wait() {
	until := b.since.Add(b.of.stall)
	if until.After(b.last) {
		until = b.last
	}
	_ = b.conn.SetReadDeadline(until)
	if b.gone.Load() {
		_ = b.conn.SetReadDeadline(past)
	}
}

// past ends a read at once.
var past = time.Unix(1, 0)

// giveWay ends the wait for the body: the request is answered, and then the connection is closed.
func (b *body) giveWay() {
	b.gone.Store(true)
	_ = b.conn.SetReadDeadline(past)
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch b.moved += n; {
	case err == io.EOF:
		_ = b.conn.SetReadDeadline(time.Time{}) // the wait for the answer has an end of its own
		b.of.admitted(b.conn)
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = errSlow
	case err == nil && b.moved >= movedBytes:
		b.moved, b.since = 0, b.of.clock()
		b.wait()
	}
	return n, err
}
