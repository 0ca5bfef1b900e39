package local

import (
	"log/slog"

	"github.com/atelierhq/atelier/adapters/functionworker"
	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/functions"
)

// openFunctions runs functions in a worker process if there is a program for it, and otherwise in
// this process.
func openFunctions(s settings.Settings, parts Parts, log *slog.Logger) (functions.Runner, func(), error) {
	if parts.Functions != nil {
		return parts.Functions, func() {}, nil
	}
	if s.Program != "" {
		pool := functionworker.NewPool(functionworker.Config{Command: []string{s.Program, functionworker.Command}, Log: log})
		return pool, pool.Close, nil
	}
	runner, err := quickjs.New(quickjs.DefaultLimits())
	return runner, func() {}, err
}

// runFunctions is the service's function worker.
func runFunctions() error {
	return functionworker.Run(func() (functionworker.Runner, error) { return quickjs.New(quickjs.DefaultLimits()) })
}
