package main

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
)

func TestTheSeedHoldsWhatTheTemplatesNeedAndNothingElse(t *testing.T) {
	lists, err := dependencies()
	if err != nil {
		t.Fatal(err)
	}
	if err := npm.CheckSeed(t.Context(), npm.BuiltIn(), lists); err != nil {
		t.Errorf("the seed of packages does not fit the templates: run `make seed` with a network, and commit %s:\n%v", seedDir, err)
	}
}

func TestEveryTemplateIsLookedAt(t *testing.T) {
	lists, err := dependencies()
	if err != nil {
		t.Fatal(err)
	}
	withReact := 0
	for _, list := range lists {
		if list["react"] != "" {
			withReact++
		}
	}
	if len(lists) != 6 || withReact != 5 {
		t.Errorf("got the lists %v, want those of six templates, five of them with react", lists)
	}
}
