package disk

// Space is what the file system of a directory is, and has left.
type Space struct {
	Kind    string // its name, as "ext4"; "" where the system does not say
	Network bool   // its files are on another machine, or behind a program, and its locks may be worth nothing
	Memory  bool   // a reboot empties it
	Free    int64  // bytes that this user may still write
	Files   int64  // files that can still be made; -1 where there is no limit
}

// Space asks the file system that d is on.
func (d *Dir) Space() (Space, error) {
	if err := call(OpStat, d.path); err != nil {
		return Space{}, err
	}
	f, err := d.root.Open(".")
	if err != nil {
		return Space{}, err
	}
	defer f.Close()
	return spaceOf(f)
}
