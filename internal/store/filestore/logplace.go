package filestore

// logPlace is an offset of a log up to which something was read from it, under the lock.
type logPlace struct {
	ino  uint64 // of the log
	gen  uint64
	pos  int64
	last string // log.Sum of the line that ends there
}

// placeAt returns the place at an offset of the writer's log.
func placeAt(wr *Writer, pos int64) (logPlace, error) {
	last, err := wr.Log.SumBefore(pos)
	return logPlace{wr.Log.Ino(), wr.Watermark().Gen, pos, last}, err
}

// holds reports whether the log up to the place is unchanged since it was read: a restored backup
// may keep the inode.
func (p logPlace) holds(wr *Writer) (bool, error) {
	if p.ino != wr.Log.Ino() || p.gen != wr.Watermark().Gen || p.pos > wr.Log.Size() {
		return false, nil
	}
	last, err := wr.Log.SumBefore(p.pos)
	return last == p.last, err
}
