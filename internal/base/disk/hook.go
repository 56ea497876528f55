package disk

// Op names a kind of call for the hook.
type Op string

// The kinds of call that pass the hook. Those before OpOpen change the disk.
const (
	OpCreate   Op = "create"
	OpWrite    Op = "write"
	OpSync     Op = "sync"
	OpSyncTree Op = "synctree" // of a whole file system, where OpSync is of one file or directory
	OpTruncate Op = "truncate"
	OpRename   Op = "rename"
	OpRemove   Op = "remove"
	OpMkdir    Op = "mkdir"
	OpChmod    Op = "chmod"
	OpOpen     Op = "open"
	OpRead     Op = "read"
	OpStat     Op = "stat"
)

// Mutates reports whether the call changes the disk.
func (op Op) Mutates() bool { return op != OpOpen && op != OpRead && op != OpStat }

// Short is a fault for OpWrite: half of the bytes are written, then Err is returned.
type Short struct{ Err error }

func (s *Short) Error() string { return "short write: " + s.Err.Error() }

// Unwrap returns the cause.
func (s *Short) Unwrap() error { return s.Err }

var hook func(op Op, path string) error

// SetHook sets the function that is called before every call that reads or changes the disk; an
// error from it is returned in place of the call. It is not safe to change while a store is open.
func SetHook(fn func(op Op, path string) error) { hook = fn }

func call(op Op, path string) error {
	if hook == nil {
		return nil
	}
	return hook(op, path)
}

// call calls the hook with a name below d. Without a hook no path is joined: a compaction and a
// batch make a call for each file of the index.
func (d *Dir) call(op Op, name string) error {
	if hook == nil {
		return nil
	}
	return hook(op, d.Join(name))
}
