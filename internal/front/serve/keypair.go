package serve

import (
	"crypto/tls"
	"os"
	"sync"
	"time"
)

// keyPair is a certificate with its key, in two files.
type keyPair struct {
	cert, key string

	mu      sync.Mutex
	read    time.Time // the time of the file with the certificate that was read
	current *tls.Certificate
}

// get returns the certificate on disk, or the one before: it may be half replaced.
func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fi, err := os.Stat(p.cert)
	if err == nil && p.current != nil && fi.ModTime().Equal(p.read) {
		return p.current, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(p.cert, p.key)
	}
	if err != nil && p.current != nil {
		return p.current, nil
	}
	if err == nil {
		p.current, p.read = &pair, fi.ModTime()
	}
	return p.current, err
}
