package fts

import (
	"cmp"
	"strings"

	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// The order of names in a folder: doc.go, Score.

// naturalName returns a text that sorts where a name does among those of its folder. Of names that
// have the same, such as 7 and 07, the lesser key comes first.
func naturalName(name string) string {
	if strings.IndexFunc(name, analyzer.IsDigit) < 0 {
		return name
	}
	if isDrawn(name) {
		return "\xff" + name
	}
	var out strings.Builder
	for rest := name; rest != ""; {
		n := strings.IndexFunc(rest, analyzer.IsDigit)
		if n < 0 {
			n = len(rest)
		}
		out.WriteString(rest[:n])
		rest = writeNumber(&out, rest[n:])
	}
	return out.String()
}

// writeNumber writes the digits that a text begins with so that they sort by their value, and
// returns what follows them. Digits or other signs: a number sorts where 0 does.
func writeNumber(out *strings.Builder, text string) (rest string) {
	rest = strings.TrimLeft(text, "0123456789")
	if digits := text[:len(text)-len(rest)]; digits != "" {
		digits = strings.TrimLeft(digits, "0")
		out.WriteByte('0')
		out.WriteByte(byte(min(len(digits), 0xff)))
		out.WriteString(digits)
	}
	return rest
}

// isDrawn reports whether a name ends with a ULID, or changes so often between letters and digits
// that it is a number in base 16 or 32.
func isDrawn(name string) bool {
	const most = 3
	if ulid.Is(name[max(0, len(name)-ulid.Len):]) {
		return true // some ULIDs have hardly a digit, and so few changes
	}
	changes, last := 0, byte('-')
	for i := range len(name) {
		c := name[i]
		if ordinal(c) >= 0 && ordinal(last) >= 0 && (c <= '9') != (last <= '9') {
			changes++
		}
		last = c
	}
	return changes > most
}

// nameOf returns the part of a key behind its folder.
func nameOf(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// placer finds the places of docs of the tail among the rows, by folder and name. A place near the
// last one costs little.
type placer struct {
	cursor
	folder, place uint32 // of the last one
}

// find returns the first place of a folder that does not come before a doc; where the index does
// not have the folder, the one behind all.
func (p *placer) find(folder uint32, d *tailDoc) (uint32, error) {
	if p.ix == nil || int(folder) >= p.ix.folderCount() {
		return p.rows(), nil
	}
	f, err := p.ix.folderAt(int(folder))
	if err != nil {
		return 0, err
	}
	low, high := f.first, f.first+f.rows
	if p.folder != folder {
		p.folder, p.place = folder, high // most that is new comes behind all
	}
	if low, high, err = p.narrow(low, high, d); err != nil {
		return 0, err
	}
	for low < high && err == nil {
		var behind bool
		mid := (low + high) / 2
		if behind, err = p.isBehind(d, mid); behind {
			low = mid + 1
		} else {
			high = mid
		}
	}
	p.place = low
	return low, err
}

func (p *placer) rows() uint32 {
	if p.ix == nil {
		return 0
	}
	return p.ix.rows
}

// narrow looks ever farther from the last place.
func (p *placer) narrow(low, high uint32, d *tailDoc) (uint32, uint32, error) {
	place := min(max(p.place, low), high)
	for step := uint32(1); step <= place-low; step *= 2 {
		behind, err := p.isBehind(d, place-step)
		if err != nil {
			return low, high, err
		}
		if behind {
			low = place - step + 1
			break
		}
		high = place - step
	}
	if low < place { // it comes before the last one
		return low, high, nil
	}
	for step := uint32(1); step <= high-place; step *= 2 {
		behind, err := p.isBehind(d, place+step-1)
		if !behind || err != nil {
			return low, place + step - 1, err
		}
		low = place + step
	}
	return low, high, nil
}

// isBehind reports whether a doc comes after the row at a place of its folder.
func (p *placer) isBehind(d *tailDoc, place uint32) (bool, error) {
	row, err := rowAt(p.ix, place)
	if err != nil {
		return false, err
	}
	key, err := p.keyOf(row)
	if err != nil {
		return false, err
	}
	order := strings.Compare(d.naturalName(), naturalName(nameOf(key)))
	return cmp.Or(order, strings.Compare(d.rec.Key.String(), key)) > 0, nil
}
