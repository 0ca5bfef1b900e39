package memory_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/porttest"
)

func TestTokens(t *testing.T) {
	porttest.TestTokens(t, func(_ *testing.T, now func() time.Time) identity.Tokens { return memory.NewTokens(now) })
}

func TestPasswords(t *testing.T) {
	porttest.TestPasswords(t, func(*testing.T) identity.Passwords { return memory.NewPasswords() })
}

func TestSealer(t *testing.T) {
	porttest.TestSealer(t, func(*testing.T) identity.Sealer { return memory.NewSealer() })
}
