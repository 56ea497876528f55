package log

import "errors"

var (
	// ErrTime is returned by ParseTime, and by stamping when no later time can be written in four
	// digits of a year.
	ErrTime = errors.New("not a time")
	// ErrNoLater is wrapped by stamping when the newest record has the last time there is.
	ErrNoLater = errors.New("no later ts can be written")
	// ErrEnvelope is wrapped by Decode's error when a line is JSON but no envelope: a field absent
	// or of the wrong type.
	ErrEnvelope = errors.New("not an envelope")
	// ErrChecksum is returned by Decode when a line's checksum is not the one of its bytes.
	ErrChecksum = errors.New("checksum does not match")
	// ErrLineTooLong is the reason of a Damage that no reader would hold in memory.
	ErrLineTooLong = errors.New("line longer than 8 MiB")
	// ErrUncut is wrapped where an append failed in the middle, and so did the cut that takes back
	// what it wrote: whole lines of it may be part of the log.
	ErrUncut = errors.New("cutting it off again failed, so a part of it may be stored")
	// ErrTorn is the reason of a Damage at the end of a log: a last line whose write was cut off.
	ErrTorn = errors.New("torn last line")
	// ErrLocked is returned by Acquire when the wait is over and somebody else still holds the
	// lock.
	ErrLocked = errors.New("the store is locked")
	// ErrNoLock is returned by Acquire when the file system cannot lock; nothing runs unlocked.
	ErrNoLock = errors.New("the file system cannot lock")
	// ErrWatermark is returned by ReadWatermark when the record is absent, damaged or cut short;
	// the watermark is then not trusted.
	ErrWatermark = errors.New("no valid watermark")
	// ErrNewer is returned by ReadWatermark when a later build of mem wrote the store in a format
	// this one does not know.
	ErrNewer = errors.New("store written by a newer mem")
)
