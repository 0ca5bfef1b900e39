package local

import (
	"errors"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/markup"
)

// Helper carries out what the service asks of the program that Settings.Program names:
// to build projects, and to set up a sandbox from within. args are the program's
// arguments without its name; ran is false when they ask for neither. A host whose own
// program is Settings.Program calls it first thing in its main and ends when it ran:
//
//	if ran, err := local.Helper(os.Args[1:]); ran {
//		if err != nil { log.Fatal(err) }
//		return
//	}
func Helper(args []string) (ran bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	switch args[0] {
	case bwrap.EnterCommand:
		return true, bwrap.Enter(args[1:])
	case buildworker.Command:
		return true, buildProjects(args[1:])
	}
	return false, nil
}

// buildProjects is a worker of the service, with the cache that its argument names.
func buildProjects(args []string) error {
	if len(args) != 1 {
		return errors.New("this is for the service to start: it takes the directory of the build cache")
	}
	return buildworker.Run(func() (buildworker.Tools, error) {
		builder, err := esbuild.New(args[0])
		return buildworker.Tools{Builder: builder, Checker: builder, Patcher: markup.New()}, err
	})
}
