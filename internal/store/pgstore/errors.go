package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/store/backend"
)

var (
	// ErrURL is wrapped where the name of a place is wrong.
	ErrURL = errors.New("no place in PostgreSQL")
	// ErrSchema is wrapped where a database has not the tables that this memd works with.
	ErrSchema = errors.New("the tables do not fit")
	// ErrNoSpace is wrapped where a space does not exist, or this role may not see it.
	ErrNoSpace = errors.New("there is no such space here")
	// ErrServer is wrapped by what the server, or the way there, fails with.
	ErrServer = errors.New("PostgreSQL")

	// errMoved ends an update that looked at an old head: it runs again.
	errMoved = errors.New("another client wrote meanwhile")
	// errBusy is returned where somebody else has the space.
	errBusy = errors.New("another client is writing")
)

func ioFault(err error, do advice.List) error { return fault.Wrap("io", "", err, do) }

func inputFault(err error, do advice.List) error { return fault.Wrap("input", "", err, do) }

// The codes of PostgreSQL that this package handles.
const (
	codeLocked        = "55P03" // lock_not_available
	codeTaken         = "23505" // unique_violation
	codeSerial        = "40001" // serialization_failure
	codeDeadlock      = "40P01"
	codeNoTable       = "42P01"
	codeNoSchema      = "3F000"
	codeNoColumn      = "42703"
	codePrivilege     = "42501"
	codeMarked        = "MEM01" // of the migration that refuses marks of lines
	codeNoDatabase    = "3D000"
	codeFull          = "53100"
	codeTooMany       = "53300"
	codeReadOnly      = "25006"
	codeUndefined     = "42704"
	codePassword      = "28P01"
	codeNoAccess      = "28000"
	classOfData       = "22"
	classOfDisaster   = "57P" // shutdown, crash, not yet started
	classOfConnection = "08"
)

// failure returns an error of the server, or of the way there, as one of this package. It quotes
// the server's message alone: its detail has values of the row.
func failure(err error) error {
	if err == nil || isOwn(err) {
		return err
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return serverFailure(server)
	}
	var refused *pgconn.ConnectError
	isConnect := errors.As(err, &refused)
	if errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) && !isConnect {
		return fmt.Errorf("%w: %w", ErrServer, err)
	}
	if isConnect && strings.Contains(root(err).Error(), "read only connection") {
		return ioFault(fmt.Errorf("%w: %s:%d is a standby, which lags behind", ErrServer,
			refused.Config.Host, refused.Config.Port),
			advice.Say("name the primary; target_session_attrs=any uses a standby for all reads"))
	}
	if errors.Is(err, errFull) {
		return ioFault(fmt.Errorf("%w: %w: %w", ErrServer, backend.ErrUnavailable, errFull),
			advice.Say("try again"))
	}
	if isConnect {
		return ioFault(fmt.Errorf("%w: %w: %s:%d: %w", ErrServer, backend.ErrUnavailable,
			refused.Config.Host, refused.Config.Port, root(err)),
			advice.Shell("is the server running, and reachable from here, with the sslmode that "+
				"it needs? --from-copy answers from this machine's copy"))
	}
	if isOfWay(err) {
		return ioFault(fmt.Errorf("%w: %w: %w", ErrServer, backend.ErrUnavailable, root(err)),
			advice.Say("try again"))
	}
	return ioFault(fmt.Errorf("%w: %w", ErrServer, err), nil)
}

// isOwn reports whether this package or its caller made an error.
func isOwn(err error) bool {
	for _, own := range []error{ErrURL, ErrSchema, ErrNoSpace, ErrServer, errMoved, errBusy} {
		if errors.Is(err, own) {
			return true
		}
	}
	return errors.As(err, new(*backend.UnknownError)) ||
		errors.As(err, new(interface{ Kind() string }))
}

// answer is an error that the server sent, without its detail: that has values of the row.
type answer struct{ *pgconn.PgError }

func (a answer) Error() string { return a.Message + " (" + a.Code + ")" }

// Unwrap returns the error of the driver, with its code.
func (a answer) Unwrap() error { return a.PgError }

func serverFailure(e *pgconn.PgError) error {
	err := fmt.Errorf("%w: %w", ErrServer, answer{e})
	if e.Code == codeTooMany || strings.HasPrefix(e.Code, classOfDisaster) {
		err = fmt.Errorf("%w: %w: %w", ErrServer, backend.ErrUnavailable, answer{e})
	}
	var do advice.List
	switch e.Code {
	case codeNoTable, codeNoSchema, codeNoColumn:
		return ioFault(fmt.Errorf("%w: %s", ErrSchema, e.Message),
			advice.RunAlone("migrate", "--root", "URL").Then(" makes the tables"))
	case codeUndefined: // of a connection: no statement here names what may not be there
		return inputFault(fmt.Errorf("%w: %s", ErrURL, e.Message),
			advice.Say("other parameters of the URL are settings of the server's session"))
	case codePrivilege:
		do = advice.Say("the role may not do that").
			Also(advice.RunAlone("space add").Then(" creates a role for a space"))
	case codeNoDatabase:
		do = advice.Shell("createdb --encoding UTF8 --template template0 NAME makes it")
	case codeFull:
		do = advice.Say("the server's disk is full; nothing was stored")
	case codeTooMany:
		do = advice.Say("the server has no connection left; try again")
	case codeReadOnly:
		do = advice.Say("this server is a standby; name the primary to write")
	case codePassword, codeNoAccess:
		do = advice.Say("put the password into ~/.pgpass, with mode 0600")
	}
	return ioFault(err, do)
}

// root returns the innermost error; of several the first, but for one that only says that another
// way was to be tried.
func root(err error) error {
	for {
		if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 {
			all := several.Unwrap()
			err = all[0]
			if len(all) > 1 && strings.Contains(err.Error(), "server refused TLS connection") {
				err = all[1]
			}
			continue
		}
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// isOfWay reports whether an error is one of the way to the server, which may be there again soon.
func isOfWay(err error) bool {
	for _, way := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET,
		syscall.EPIPE, syscall.ECONNREFUSED, syscall.ENOENT} {
		if errors.Is(err, way) {
			return true
		}
	}
	return errors.As(err, new(net.Error)) || pgconn.SafeToRetry(err)
}

// isCode reports whether the server answered with a code.
func isCode(err error, code string) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == code
}
