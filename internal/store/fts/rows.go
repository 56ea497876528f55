package fts

import (
	"encoding/binary"
	"strings"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

// keyBlock is how many keys are written with what they share with the one before; the first of each
// block is whole.
const keyBlock = 16

// rowWriter collects the key, time, length and folder of every row.
type rowWriter struct {
	lengths   []byte
	folderIDs []uint32
	stamps    []log.Stamp
	marks     []analyzer.Marks
	keys      []byte
	blocks    []byte // for each block of keys: where it begins, and the words of all rows before it
	total     uint64 // words of all rows
	last      []byte
	folders   folderWriter
	closed    []closedRun
}

func (w *rowWriter) len() int { return len(w.lengths) }

// add takes the next row, whose key comes after that of the last.
func (w *rowWriter) add(l *line) {
	row, key := w.len(), l.Key.String()
	if row%keyBlock == 0 {
		w.blocks = binary.LittleEndian.AppendUint64(w.blocks, uint64(len(w.keys)))
		w.blocks = binary.LittleEndian.AppendUint64(w.blocks, w.total)
		w.last = w.last[:0]
	}
	w.keys = appendShared(w.keys, w.last, key)
	code := lengthCode(l.words)
	w.last = append(w.last[:0], key...)
	w.lengths = append(w.lengths, code)
	w.stamps = append(w.stamps, l.at)
	folder := w.folders.add(uint32(row), key, lengthOf(code))
	w.folderIDs = append(w.folderIDs, folder)
	w.closed = addClosed(w.closed, uint32(row), folder, l.realm)
	w.total += uint64(lengthOf(code))
	w.marks = append(w.marks, l.marks)
}

// appendShared writes a text as how many bytes it shares with the one before it, how many follow,
// and those.
func appendShared[T string | []byte](dst []byte, last T, text string) []byte {
	n := 0
	for n < len(last) && n < len(text) && last[n] == text[n] {
		n++
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = binary.AppendUvarint(dst, uint64(len(text)-n))
	return append(dst, text[n:]...)
}

// readShared reads what appendShared wrote, into the bytes of the text before it.
func readShared(last, data []byte) (text, rest []byte, ok bool) {
	shared, n := binary.Uvarint(data)
	if n <= 0 || shared > uint64(len(last)) {
		return nil, nil, false
	}
	data = data[n:]
	more, n := binary.Uvarint(data)
	if n <= 0 || more > uint64(len(data)-n) {
		return nil, nil, false
	}
	return append(last[:shared], data[n:n+int(more)]...), data[n+int(more):], true
}

// folderOf is the key up to and with its last slash: what lies in one folder has it in common.
func folderOf(key string) string { return key[:strings.LastIndexByte(key, '/')+1] }
