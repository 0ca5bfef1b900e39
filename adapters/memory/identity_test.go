package memory_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/identity/identitytest"
)

func TestTokens(t *testing.T) {
	identitytest.RunTokens(t, func(_ *testing.T, now func() time.Time) identity.Tokens { return memory.NewTokens(now) })
}

func TestPasswords(t *testing.T) {
	identitytest.RunPasswords(t, func(*testing.T) identity.Passwords { return memory.NewPasswords() })
}

func TestSealer(t *testing.T) {
	identitytest.RunSealer(t, func(*testing.T) identity.Sealer { return memory.NewSealer() })
}

func TestTimeCodes(t *testing.T) { identitytest.RunTimeCodes(t, memory.NewTimeCodes()) }
