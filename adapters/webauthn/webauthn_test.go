package webauthn_test

import (
	"net/url"
	"testing"

	"github.com/atelierhq/atelier/adapters/webauthn"
	"github.com/atelierhq/atelier/ports/passkeys"
	"github.com/atelierhq/atelier/ports/passkeys/passkeystest"
)

func TestCeremonies(t *testing.T) {
	passkeystest.Run(t, func(origin string) passkeys.Ceremonies {
		address, err := url.Parse(origin)
		if err != nil {
			t.Fatal(err)
		}
		made, err := webauthn.New(address)
		if err != nil {
			t.Fatal(err)
		}
		return made
	})
}
