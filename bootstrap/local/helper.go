package local

import (
	"errors"
	"fmt"
	"os"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/functionworker"
	"github.com/atelierhq/atelier/adapters/markup"
)

// RunHelper carries out the service's helper commands and then ends the process. Without
// such a command it returns immediately. Hosts with Workers call it first in their main.
func RunHelper() {
	ran, err := Helper(os.Args[1:])
	if !ran {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Helper carries out what the service asks of the program that Settings.Program names: to
// build projects, to run their functions, or to set up a sandbox from within. args are the
// program's arguments without its name. ran is false if they ask for none of these.
func Helper(args []string) (ran bool, err error) {
	if len(args) == 0 {
		return false, nil
	}
	switch args[0] {
	case bwrap.EnterCommand:
		return true, bwrap.Enter(args[1:])
	case buildworker.Command:
		return true, buildProjects(args[1:])
	case dataworker.Command:
		return true, holdData(args[1:])
	case functionworker.Command:
		return true, runFunctions()
	}
	return false, nil
}

// buildProjects is a build worker of the service, with the cache directory that its
// argument names.
func buildProjects(args []string) error {
	if len(args) != 1 {
		return errors.New("this command is internal: the service starts it with the directory of the build cache")
	}
	return buildworker.Run(func() (buildworker.Tools, error) {
		builder, err := esbuild.New(args[0])
		return buildworker.Tools{Builder: builder, Checker: builder, Patcher: markup.New()}, err
	})
}
