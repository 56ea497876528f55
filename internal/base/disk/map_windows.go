package disk

// Map returns a plain file's bytes, read whole.
func (d *Dir) Map(name string) (data []byte, unmap func() error, err error) {
	data, err = d.ReadFile(name, 1<<32)
	return data, func() error { return nil }, err
}
