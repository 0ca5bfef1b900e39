package yjs_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/ports/replica/replicatest"
)

func TestMaker(t *testing.T) { replicatest.Run(t, yjs.Maker{}) }
