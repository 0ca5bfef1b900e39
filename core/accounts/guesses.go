package accounts

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxGuesses is how many wrong passwords an account takes at once from networks that it
// was never entered from, in one process; GuessEvery is how long each of them takes to
// be forgotten. It counts for addresses without an account as well, so that a refusal
// tells nothing.
const (
	MaxGuesses = 10
	GuessEvery = 6 * time.Minute
)

// maxGuessed bounds the addresses that are remembered.
const maxGuessed = 20_000

// guesses counts wrong passwords by account, because a guesser may have any number
// of addresses to come from. An account's own people are not locked out by it: networks
// from which the account was entered are held to the limit of their address alone.
type guesses struct {
	now func() time.Time

	mu sync.Mutex
	// full is when the last wrong password of an account will be forgotten.
	full map[string]time.Time
	// welcome are networks whose people have just proven that an account is theirs, and
	// until when, by account and network.
	welcome map[[2]string]time.Time
}

func newGuesses(now func() time.Time) *guesses {
	return &guesses{now: now, full: map[string]time.Time{}, welcome: map[[2]string]time.Time{}}
}

// take counts a try at an account. It returns core.CodeRateLimited, with the time until
// the next, when there were too many.
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
		limited := core.Errorf(core.CodeRateLimited, "too many wrong passwords for this account: wait, or set a new password by mail")
		limited.RetryAfter = wait
		return limited
	}
	g.full[account] = at.Add(GuessEvery)
	return nil
}

// giveBack takes back the last try, which was right.
func (g *guesses) giveBack(account string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at, known := g.full[account]; known {
		g.full[account] = at.Add(-GuessEvery)
	}
}

// greet lets somebody try who has just proven by mail that the account is theirs.
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

// networkOf is what one client usually has all of: an address of IPv4, a /64 of IPv6.
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

// mayTry counts a try to sign in. An account that was entered from the caller's network
// takes any number of tries from there. Both questions are asked for every address, with
// an account or without.
func (s *Service) mayTry(ctx context.Context, tables storage.Tables, by core.Actor, account string, user core.ID) (counted bool, err error) {
	if !s.settings.LimitGuesses {
		return false, nil
	}
	limited := s.guesses.take(account)
	if limited == nil {
		return true, nil
	}
	network := networkOf(by.IP)
	known, err := tables.Sessions.Known(ctx, user, network)
	if err != nil {
		return false, err
	}
	if known || s.guesses.isWelcome(account, network) {
		return false, nil
	}
	return false, limited
}
