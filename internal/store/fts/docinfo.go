package fts

import "encoding/binary"

// docInfo holds the codes of the lengths of some docs and their folders, for scoring.
type docInfo struct {
	*corpus
	lengths   []byte
	folderIDs []uint32
}

// maxGap is how many rows there may be to each doc for all to be read as one.
const maxGap = 16

// read reads the lengths and folders of some docs, in order.
func (d *docInfo) read(docs []posting) error {
	d.lengths, d.folderIDs = d.lengths[:0], d.folderIDs[:0]
	n := len(docs)
	if n > 0 && docs[n-1].row < d.rows && int(docs[n-1].row-docs[0].row) < maxGap*n {
		return d.readRange(docs, docs[0].row, docs[n-1].row+1)
	}
	for _, p := range docs {
		length, err := d.lengthCode(p.row)
		if err != nil {
			return err
		}
		folder, err := d.folder(p.row)
		if err != nil {
			return err
		}
		d.lengths, d.folderIDs = append(d.lengths, length), append(d.folderIDs, folder)
	}
	return nil
}

// readRange reads them at once, for rows that lie close together.
func (d *docInfo) readRange(docs []posting, from, to uint32) error {
	lengths, err := d.ix.part(secLengths, int(from), int(to))
	if err != nil {
		return err
	}
	folders, err := d.ix.part(secRowFolders, 4*int(from), 4*int(to))
	if err != nil {
		return err
	}
	paths := d.ix.folderCount()
	for _, p := range docs {
		id := binary.LittleEndian.Uint32(folders[4*(p.row-from):])
		switch {
		case d.scope.isOwnRow(p.row):
			id = noFolder
		case int(id) >= paths:
			return stale("leads out of bounds")
		}
		d.lengths, d.folderIDs = append(d.lengths, lengths[p.row-from]), append(d.folderIDs, id)
	}
	return nil
}
