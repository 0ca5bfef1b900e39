package yjs_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestMaker(t *testing.T) { porttest.TestReplica(t, yjs.Maker{}) }
