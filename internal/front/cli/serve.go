package cli

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/wire"
)

// Serve runs the verb of a request for a caller elsewhere, and returns what it prints and its exit
// code, or what it wants first. The error is a panic of the verb, which is in the reply too.
func Serve(ctx context.Context, b app.Build, caller mem.Caller, s *app.Served) (
	wire.Reply, error) {
	ctx = s.Context(ctx)
	defer s.Close()
	b.Program = "mem" // the program that the caller has typed
	a := &app.App{Build: b, Began: app.Started(), Getenv: s.Getenv, Caller: caller, Served: s}
	root := command(a, s.Request.Words())
	root.SetArgs(a.Args)
	root.SetIn(s.Stdin())
	stdout, stderr := s.Screens()
	answer := a.NewAnswer(stdout)
	root.SetOut(answer)
	root.SetErr(stderr)
	root.SetContext(ctx)
	err := checkServed(firstWord(a.Flags, a.Args))
	if err == nil {
		err = a.NameDeleted(ctx, app.Execute(root))
	}
	if answer.Err != nil {
		err = answer.Err
	}
	code := mem.KindDone.ExitCode()
	if s.Want == nil {
		code = a.Report(stdout, stderr, err)
	}
	reply := s.Reply(code, err)
	if app.IsPanic(err) {
		return reply, err
	}
	return reply, nil
}

// checkServed refuses a verb that needs the machine of the memory, or of its caller.
func checkServed(verb string) error {
	if hasTrait(verb, served) {
		return nil
	}
	return app.BadInput(verb, "it does not work on a memory behind a server",
		"run it on the machine of the server")
}
