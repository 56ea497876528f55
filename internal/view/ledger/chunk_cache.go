package ledger

import (
	"hash/maphash"
	"sync"

	"github.com/set-memory/mem/readout"
)

// Cache remembers how texts are cut, and what they cost: a server is asked for the same ones again
// and again, and to count the tokens of a text is most of what a bundle costs. It holds hashes of
// texts and no text, of 128 bits each, so that two are one by chance in no lifetime; and at most
// twice so many as its size, the ones that were asked for last. A nil *Cache remembers nothing. It
// may be used by several goroutines.
type Cache struct {
	seeds [2]maphash.Seed
	size  int

	mu       sync.Mutex
	now, old map[cacheKey]cachedText // texts not looked up while now fills up are forgotten
}

type cacheKey [2]uint64

// cachedText holds the cached results for a text.
type cachedText struct {
	tokens int   // of the whole; 0: not known
	chunks []cut // by chunkerVersion; nil: not known, or none
}

// NewCache returns a cache of about so many texts.
func NewCache(size int) *Cache {
	return &Cache{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, size: size,
		now: map[cacheKey]cachedText{}}
}

// Tokens is readout.Tokens.
func (c *Cache) Tokens(text string) int {
	if c == nil {
		return readout.Tokens(text)
	}
	key := c.key(text)
	known := c.get(key)
	if known.tokens == 0 && text != "" {
		known.tokens = readout.Tokens(text)
		c.put(key, known)
	}
	return known.tokens
}

// cuts is [cutText] with the cuts of a text that was cut before.
func (c *Cache) cuts(version int, text string) ([]cut, error) {
	if c == nil || version != chunkerVersion {
		return cutText(version, text)
	}
	key := c.key(text)
	known := c.get(key)
	if known.chunks != nil {
		return known.chunks, nil
	}
	list, err := cutText(version, text)
	if err == nil {
		known.chunks = list
		c.put(key, known)
	}
	return list, err
}

func (c *Cache) key(text string) cacheKey {
	return cacheKey{maphash.String(c.seeds[0], text), maphash.String(c.seeds[1], text)}
}

func (c *Cache) get(key cacheKey) cachedText {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.now[key]
	if !ok {
		if known, ok = c.old[key]; ok {
			c.add(key, known)
		}
	}
	return known
}

func (c *Cache) put(key cacheKey, known cachedText) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, known)
}

// add adds an entry; where there are enough of them, those that were not asked for since the last
// time go. mu is held.
func (c *Cache) add(key cacheKey, known cachedText) {
	if len(c.now) >= c.size {
		c.old, c.now = c.now, make(map[cacheKey]cachedText, c.size)
	}
	c.now[key] = known
}
