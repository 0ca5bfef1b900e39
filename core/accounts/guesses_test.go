package accounts

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestGuessesAreForgottenOneByOne(t *testing.T) {
	now := time.Unix(0, 0)
	g := newGuesses(func() time.Time { return now })
	for i := range MaxGuesses {
		if err := g.take("ada"); err != nil {
			t.Fatalf("guess %d: got %v, want it counted", i+1, err)
		}
	}
	limited, _ := g.take("ada").(*core.Error)
	if limited == nil || limited.Code != core.CodeRateLimited || limited.RetryAfter != GuessEvery {
		t.Fatalf("got %v, want %s for %s", limited, core.CodeRateLimited, GuessEvery)
	}
	if err := g.take("bob"); err != nil {
		t.Errorf("another account: got %v, want nil", err)
	}
	now = now.Add(GuessEvery)
	if first, second := g.take("ada"), g.take("ada"); first != nil || second == nil {
		t.Errorf("got %v and %v, want one more", first, second)
	}
	g.giveBack("ada")
	if err := g.take("ada"); err != nil {
		t.Errorf("after a right password: got %v, want its try back", err)
	}
}

func TestNetworks(t *testing.T) {
	for ip, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "::ffff:192.0.2.7": "192.0.2.7", "fe80::1%eth0": "fe80::/64", "": "", "x": "x",
	} {
		if got := networkOf(ip); got != want {
			t.Errorf("%q: got %q, want %q", ip, got, want)
		}
	}
}
