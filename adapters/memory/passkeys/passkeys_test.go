package passkeys_test

import (
	"net/url"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory/passkeys"
	port "github.com/atelierhq/atelier/ports/passkeys"
	"github.com/atelierhq/atelier/ports/passkeys/passkeystest"
)

func TestCeremonies(t *testing.T) {
	passkeystest.Run(t, func(origin string) port.Ceremonies {
		address, err := url.Parse(origin)
		if err != nil {
			t.Fatal(err)
		}
		return passkeys.New(address)
	})
}
