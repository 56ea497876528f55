package log

import "github.com/set-memory/mem/internal/base/disk"

// ReadHolder returns the holder that signed the lock file.
func ReadHolder(dir *disk.Dir) Holder { return readHolder(dir, LockFile) }

var (
	Encode         = Watermark.encode
	ParseWatermark = parseWatermark
)
