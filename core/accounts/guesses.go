package accounts

import (
	"net/netip"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// MaxGuesses is how many wrong passwords one process accepts in a burst for an account,
// from networks without an earlier sign-in; GuessEvery is how long each takes to be
// forgotten. Addresses without an account are counted as well, so that a refusal reveals
// nothing.
const (
	MaxGuesses = 10
	GuessEvery = 6 * time.Minute
)

// maxGuessed bounds the addresses that are remembered.
const maxGuessed = 20_000

// guesses is a token bucket of wrong passwords per account, because a guesser may use
// any number of addresses. It does not lock out the account's owner: networks from which
// somebody has signed in to the account only have the limit per address.
type guesses struct {
	now func() time.Time

	mu sync.Mutex
	// full is when an account's last wrong password will be forgotten and its bucket is
	// full again.
	full map[string]time.Time
	// welcome has, by account and network, until when a network is exempt because
	// somebody there has proven to own the account.
	welcome map[[2]string]time.Time
}

func newGuesses(now func() time.Time) *guesses {
	return &guesses{now: now, full: map[string]time.Time{}, welcome: map[[2]string]time.Time{}}
}

// take counts an attempt at an account. After too many it returns core.CodeRateLimited,
// with the time until the next.
func (g *guesses) take(account string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if len(g.full) >= maxGuessed {
		forgetBefore(g.full, now)
	}
	if len(g.full) >= maxGuessed {
		clear(g.full)
	}
	at := g.full[account]
	if at.Before(now) {
		at = now
	}
	if wait := at.Sub(now) - (MaxGuesses-1)*GuessEvery; wait > 0 {
		limited := core.Errorf(core.CodeRateLimited, "too many wrong passwords for this account: try again later, or reset the password by mail")
		limited.RetryAfter = wait
		return limited
	}
	g.full[account] = at.Add(GuessEvery)
	return nil
}

// giveBack uncounts the last attempt, because its password was right.
func (g *guesses) giveBack(account string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at, known := g.full[account]; known {
		g.full[account] = at.Add(-GuessEvery)
	}
}

// greet exempts the network of somebody who has just proven by mail to own the account.
func (g *guesses) greet(account, network string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if len(g.welcome) >= maxGuessed {
		forgetBefore(g.welcome, now)
	}
	if len(g.welcome) < maxGuessed {
		g.welcome[[2]string{account, network}] = now.Add(time.Hour)
	}
}

func (g *guesses) isWelcome(account, network string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now().Before(g.welcome[[2]string{account, network}])
}

func forgetBefore[K comparable](times map[K]time.Time, now time.Time) {
	for key, at := range times {
		if at.Before(now) {
			delete(times, key)
		}
	}
}

// networkOf returns the network that usually belongs to one client: an IPv4 address, or
// a /64 of IPv6.
func networkOf(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.String()
		}
	}
	return addr.String()
}
