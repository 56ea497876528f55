package disk

// Space describes the file system of a directory, and how much room it has left.
type Space struct {
	Kind    string // its name, as "ext4"; "" if the system has none
	Network bool   // on another machine or served by a program, so that its locks may not work
	Memory  bool   // a reboot empties it
	Free    int64  // bytes that this user may still write
	Files   int64  // files that can still be made; -1 if there is no limit
}

// SpaceOf returns what the file system of d is and has left.
func SpaceOf(d *Dir) (Space, error) {
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
