package main

import (
	"errors"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/markup"
)

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
