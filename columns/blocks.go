package columns

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

const (
	blockSize = 4096
	payload   = blockSize - 4 // the rest is the block's CRC-32C
)

// castagnoli makes its table at the first use: most processes of mem read no columns.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// blockWriter cuts a stream into blocks.
type blockWriter struct {
	w     io.Writer
	piece []byte
	err   error
}

// Write takes the next bytes of the stream.
func (b *blockWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), payload-len(b.piece))
		b.piece = append(b.piece, rest[:n]...)
		if rest = rest[n:]; len(b.piece) == payload {
			b.close()
		}
	}
	return len(p), b.err
}

// close ends the current block, the last one of a stream short.
func (b *blockWriter) close() error {
	if len(b.piece) > 0 && b.err == nil {
		sum := crc32.Checksum(b.piece, castagnoli())
		_, b.err = b.w.Write(binary.LittleEndian.AppendUint32(b.piece, sum))
	}
	b.piece = b.piece[:0]
	return b.err
}

// blocks reads a stream of blocks in place.
type blocks struct {
	data    []byte
	checked []bool // blocks whose CRC was found right
}

func newBlocks(data []byte) blocks {
	return blocks{data: data, checked: make([]bool, (len(data)+blockSize-1)/blockSize)}
}

// size is the length of the stream.
func (b *blocks) size() int64 { return int64(len(b.data)) - 4*int64(len(b.checked)) }

// at gives n bytes of the stream, without copying them where they lie in one block. The error wraps ErrStale.
func (b *blocks) at(off int64, n int) ([]byte, error) {
	if off < 0 || n < 0 || off > b.size()-int64(n) {
		return nil, fmt.Errorf("%w: it leads out of itself", ErrStale)
	}
	piece, err := b.piece(off / payload)
	if err != nil || n == 0 {
		return nil, err
	}
	piece = piece[off%payload:]
	if n <= len(piece) {
		return piece[:n], nil
	}
	joined := make([]byte, 0, n)
	for {
		joined = append(joined, piece[:min(n-len(joined), len(piece))]...)
		if len(joined) == n {
			return joined, nil
		}
		if piece, err = b.piece((off + int64(len(joined))) / payload); err != nil {
			return nil, err
		}
	}
}

// piece gives the payload of a block, which it checks the first time.
func (b *blocks) piece(i int64) ([]byte, error) {
	if i >= int64(len(b.checked)) {
		return nil, nil // the end of the stream: only asked for with no bytes
	}
	block := b.data[i*blockSize : min((i+1)*blockSize, int64(len(b.data)))]
	if len(block) < 4 {
		return nil, fmt.Errorf("%w: cut short", ErrStale)
	}
	piece, sum := block[:len(block)-4], block[len(block)-4:]
	if !b.checked[i] {
		if crc32.Checksum(piece, castagnoli()) != binary.LittleEndian.Uint32(sum) {
			return nil, fmt.Errorf("%w: block %d is damaged", ErrStale, i)
		}
		b.checked[i] = true
	}
	return piece, nil
}
