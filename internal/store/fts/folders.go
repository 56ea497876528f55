package fts

import (
	"slices"
	"strings"
)

// folderWriter numbers folders. Keys come sorted, so all that lies below a folder comes together:
// the folders that can come again are those on the path of the last key.
type folderWriter struct {
	path []openFolder
	all  []writtenFolder
}

type openFolder struct {
	name  string // with its slash at the end
	since uint32 // the first row below it
	id    int    // -1 until a row lies right in it
}

// folder has the first place of the rows of a folder, their number, and the number of their words.
type folder struct {
	first, rows uint32
	words       uint64
}

// writtenFolder is a folder while rows are added.
type writtenFolder struct {
	folder
	since uint32 // the order of since and depth is that of the names
	depth int

	last     string // the name of its last row, as naturalName returns it
	unsorted bool   // the order of the names is not that of the rows
}

func (w *folderWriter) add(row uint32, key string, words int) uint32 {
	f := w.folderAt(row, folderOf(key))
	f.rows++
	f.words += uint64(words)
	name := naturalName(nameOf(key))
	f.unsorted = f.unsorted || name < f.last
	f.last = strings.Clone(name)
	return uint32(w.path[len(w.path)-1].id)
}

func (w *folderWriter) folderAt(row uint32, name string) *writtenFolder {
	for len(w.path) > 0 && !strings.HasPrefix(name, w.path[len(w.path)-1].name) {
		w.path = w.path[:len(w.path)-1]
	}
	for {
		at := 0
		if len(w.path) > 0 {
			at = len(w.path[len(w.path)-1].name)
		}
		if at == len(name) {
			break
		}
		end := at + strings.IndexByte(name[at:], '/') + 1
		w.path = append(w.path, openFolder{strings.Clone(name[:end]), row, -1})
	}
	f := &w.path[len(w.path)-1]
	if f.id < 0 {
		f.id = len(w.all)
		w.all = append(w.all, writtenFolder{since: f.since, depth: len(w.path)})
	}
	return &w.all[f.id]
}

// sortByName brings the folders into the order of their names, says where the rows of each begin in
// the order of folders and names, and returns each one's new number.
func (w *folderWriter) sortByName() (renumber []uint32) {
	order := make([]int, len(w.all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := w.all[a], w.all[b]
		if x.since != y.since {
			return int(x.since) - int(y.since)
		}
		return x.depth - y.depth
	})
	renumber = make([]uint32, len(order))
	sorted := make([]writtenFolder, len(order))
	for to, from := range order {
		renumber[from], sorted[to] = uint32(to), w.all[from]
	}
	first := uint32(0)
	for i := range sorted {
		sorted[i].first = first
		first += sorted[i].rows
	}
	w.all = sorted
	return renumber
}

// sortRows returns the rows by folder and, in each, as people count.
func (w *rowWriter) sortRows(renumber []uint32) (order []uint32) {
	order = make([]uint32, w.len())
	next, unsorted := make([]uint32, len(renumber)), false
	for row, old := range w.folderIDs {
		id := renumber[old]
		f := &w.folders.all[id]
		order[f.first+next[id]] = uint32(row)
		next[id]++
		unsorted = unsorted || f.unsorted
	}
	if unsorted {
		w.sortUnsorted(order, renumber)
	}
	return order
}

// sortUnsorted sorts the rows of those folders whose names are not in the order of the rows.
func (w *rowWriter) sortUnsorted(order, renumber []uint32) {
	names := make([][]string, len(renumber))
	row := 0
	for key := range w.eachKey {
		if id := renumber[w.folderIDs[row]]; w.folders.all[id].unsorted {
			names[id] = append(names[id], naturalName(nameOf(key)))
		}
		row++
	}
	for id, list := range names {
		if list != nil {
			f := &w.folders.all[id]
			sortByNames(order[f.first:f.first+f.rows], list)
		}
	}
}

// sortByNames sorts rows by their names; equals stay as they are.
func sortByNames(rows []uint32, names []string) {
	by := make([]int, len(names))
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	old := slices.Clone(rows)
	for to, from := range by {
		rows[to] = old[from]
	}
}

func (w *rowWriter) eachKey(yield func(key string) bool) {
	var last []byte
	data := w.keys
	for row := range w.len() {
		if row%keyBlock == 0 {
			last = last[:0]
		}
		last, data, _ = readShared(last, data)
		if !yield(string(last)) {
			return
		}
	}
}
