package pgstore_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/pgstore"
)

// proxy passes messages between memd and the server, and cuts connections between two of them: what
// was sent may arrive or not, and the server's answer is lost.
type proxy struct {
	dir    string // of its socket
	server string // path of the server's socket

	mu    sync.Mutex
	draw  *rand.Rand
	every int // messages between two cuts, at most
	until int // messages until the next cut; negative: none
	cuts  int
	pairs []*atomic.Bool // of the connections that there are: what they send is swallowed
}

// newProxy returns a proxy before the server of a place, and the place behind it.
func newProxy(t testing.TB, place string, seed uint64) (*proxy, *pgstore.Address) {
	t.Helper()
	u, err := url.Parse(place)
	must(t, err)
	query := u.Query()
	dir, err := os.MkdirTemp("", "mem-proxy-")
	must(t, err)
	p := &proxy{dir: dir, server: filepath.Join(query.Get("host"), ".s.PGSQL.5432"),
		draw: rand.New(rand.NewPCG(seed, 1)), every: 120, until: -1}
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	must(t, err)
	t.Cleanup(func() { listener.Close(); os.RemoveAll(dir) })
	go p.accept(listener)
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	behind, err := pgstore.ParseURL(u.String())
	must(t, err)
	return p, behind
}

func (p *proxy) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.server)
		if err != nil {
			client.Close()
			continue
		}
		var swallows atomic.Bool
		p.mu.Lock()
		p.pairs = append(p.pairs, &swallows)
		p.mu.Unlock()
		go p.pass(client, server, true, &swallows)
		go p.pass(server, client, false, &swallows)
	}
}

// pass passes the messages of one direction.
func (p *proxy) pass(from, to net.Conn, fromClient bool, swallows *atomic.Bool) {
	defer from.Close()
	defer to.Close()
	for begin := fromClient; ; begin = false {
		message, err := readMessage(from, begin)
		if err != nil {
			return
		}
		if swallows.Load() {
			continue
		}
		cut, arrives := p.decide()
		if cut && !arrives {
			return
		}
		if _, err := to.Write(message); err != nil {
			return
		}
		if cut {
			if fromClient {
				from.Close()                      // the answer has nobody to go to
				time.Sleep(20 * time.Millisecond) // for the server to do it meanwhile
			}
			return
		}
	}
}

// decide draws whether a message is the last of its connection, and whether it still arrives.
func (p *proxy) decide() (cut, arrives bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until < 0 {
		return false, true
	}
	if p.until--; p.until >= 0 {
		return false, true
	}
	p.cuts++
	p.until = p.draw.IntN(p.every)
	return true, p.draw.IntN(2) == 0
}

// swallow makes the connections that there are silent; none of them ends.
func (p *proxy) swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, swallows := range p.pairs {
		swallows.Store(true)
	}
}

// begin starts the cutting; end ends it and returns how many cuts there were.
func (p *proxy) begin() { p.mu.Lock(); p.until = 5; p.mu.Unlock() }

func (p *proxy) end() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = -1
	return p.cuts
}

func (p *proxy) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// maxMessage is more than any message of a test has.
const maxMessage = 64 << 20

// readMessage reads one message; the first of a client has no type.
func readMessage(r io.Reader, first bool) ([]byte, error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(head[len(head)-4:]))
	if size < 4 || size > maxMessage {
		return nil, errors.New("no message of PostgreSQL")
	}
	message := append(head, make([]byte, size-4)...)
	_, err := io.ReadFull(r, message[len(head):])
	return message, err
}
