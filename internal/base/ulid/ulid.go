package ulid

import (
	"crypto/rand"
	"io"
	"strings"
	"sync"
	"time"
)

// Len is the length of an id.
const Len = 26

// alphabet is Crockford's: no I, L, O and U.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// maxTime is the last millisecond that 48 bits hold, in the year 10889.
const maxTime = 1<<48 - 1

// bits are those of an id, the time first.
type bits [16]byte

// New returns an id of an instant, with 80 bits from random; nil stands for the system's. An
// instant before 1970 counts as its first millisecond. The error is that of random.
func New(now time.Time, random io.Reader) (string, error) {
	b, err := draw(now, random)
	return b.String(), err
}

// Maker makes ids of which a later one is greater than an earlier one of the same millisecond. The
// zero Maker is ready; goroutines may share it.
type Maker struct {
	Random io.Reader // the source of the random bits; nil: the system's

	mu   sync.Mutex
	made bool // the first
	last bits
}

// New returns an id of an instant that the Maker has not returned before, see [New].
func (m *Maker) New(now time.Time) (string, error) {
	b, err := draw(now, m.Random)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made && [6]byte(b[:6]) == [6]byte(m.last[:6]) {
		b = m.last.next()
	}
	m.made, m.last = true, b
	return b.String(), nil
}

func draw(now time.Time, random io.Reader) (b bits, err error) {
	if random == nil {
		random = rand.Reader
	}
	ms := uint64(min(max(now.UnixMilli(), 0), maxTime))
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	_, err = io.ReadFull(random, b[6:])
	return b, err
}

// next returns the bits counted up by one. After the last of a millisecond comes the first of the
// next one: to get there by chance takes more luck than to draw one id twice.
func (b bits) next() bits {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]++; b[i] != 0 {
			break
		}
	}
	return b
}

// String returns the 128 bits in base 32, the highest first; the first character has three of them.
func (b bits) String() string {
	var text [Len]byte
	for i := range text {
		text[i] = alphabet[b.five(5*i-2)]
	}
	return string(text[:])
}

// five returns the five bits from a position on; those before the first bit are 0.
func (b bits) five(from int) (value byte) {
	for i := from; i < from+5; i++ {
		value <<= 1
		if i >= 0 {
			value |= b[i/8] >> (7 - i%8) & 1
		}
	}
	return value
}

// Is reports whether a text is spelled as an id is.
func Is(text string) bool {
	return len(text) == Len && text[0] <= '7' && strings.Trim(text, alphabet) == ""
}

// Time returns the instant of an id, in whole milliseconds; the zero time for a text that is none.
func Time(id string) time.Time {
	if !Is(id) {
		return time.Time{}
	}
	var ms int64
	for _, c := range []byte(id[:10]) {
		ms = ms<<5 | int64(strings.IndexByte(alphabet, c))
	}
	return time.UnixMilli(ms).UTC()
}

// FromHash returns the id that some bytes stand for, as a hash: its first 128 bits.
func FromHash(sum []byte) string {
	var b bits
	copy(b[:], sum)
	return b.String()
}
