package httpapi

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/ratelimit"
)

func TestAttemptsAreLimitedByAddress(t *testing.T) {
	api := newAPI(t, func(d *Deps) {
		d.Settings.AuthRatePerMinute, d.Settings.RatePerMinute = 3, 1000
		d.Settings.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	from := func(ip string) answer {
		return api.do("POST", "/auth/login", `{"email":"a@example.com","password":"wrong password"}`, header("X-Forwarded-For", ip))
	}
	for range 3 {
		from("192.0.2.1").want(t, "within the limit", http.StatusUnauthorized, "invalid_credentials")
	}
	limited := from("192.0.2.1")
	limited.want(t, "over the limit", http.StatusTooManyRequests, "rate_limited")
	if retry := limited.Header.Get("Retry-After"); retry != "20" {
		t.Errorf("Retry-After: got %q, want 20", retry)
	}
	from("192.0.2.2").want(t, "another address", http.StatusUnauthorized, "invalid_credentials")
	api.do("GET", "/workspaces", "", header("X-Forwarded-For", "192.0.2.1")).want(t, "another route", http.StatusUnauthorized, "unauthenticated")
	api.clock.add(20 * time.Second)
	from("192.0.2.1").want(t, "20 seconds later", http.StatusUnauthorized, "invalid_credentials")
}

func TestOtherRoutesAreLimitedByCaller(t *testing.T) {
	api := newAPI(t, func(d *Deps) { d.Settings.RatePerMinute = 2 })
	ada, eve := bearer(api.signUp("ada@example.com").text("accessToken")), bearer(api.signUp("eve@example.com").text("accessToken"))
	for range 2 {
		api.do("GET", "/workspaces", "", ada).want(t, "within the limit", http.StatusOK, "")
		api.do("GET", "/workspaces", "", bearer("forged")).want(t, "nobody within the limit", http.StatusUnauthorized, "unauthenticated")
	}
	api.do("GET", "/workspaces", "", ada).want(t, "over the limit", http.StatusTooManyRequests, "rate_limited")
	api.do("GET", "/workspaces", "", bearer("forged")).want(t, "nobody over the limit", http.StatusTooManyRequests, "rate_limited")
	api.do("GET", "/workspaces", "", eve).want(t, "another caller of the same address", http.StatusOK, "")
	api.do("GET", "/auth/me", "", ada).want(t, "the account's own routes", http.StatusTooManyRequests, "rate_limited")
	for range 5 {
		api.do("GET", "/healthz", "").want(t, "a probe", http.StatusOK, "")
		api.do("POST", "/auth/login", `{"email":"ada@example.com","password":"correct horse"}`).want(t, "an attempt, without its own limit", http.StatusOK, "")
	}
}

func TestZeroIsNoLimit(t *testing.T) {
	limiter := ratelimit.New(0, time.Now)
	for range 10_000 {
		if err := limiter.Take("a"); err != nil {
			t.Fatalf("got %v, want no limit", err)
		}
	}
}

// office is people behind one address.
type office struct {
	*api
	address requestOption
	people  []answer
}

func newOffice(t *testing.T, people int) office {
	t.Helper()
	api := newAPI(t, func(d *Deps) {
		d.Settings.AuthRatePerMinute, d.Settings.RatePerMinute = 20, 1200
		d.Settings.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	o := office{api: api, address: header("X-Forwarded-For", "192.0.2.1")}
	for i := range people {
		body := fmt.Sprintf(`{"email":"person%d@example.com","password":"correct horse"}`, i)
		made := api.do("POST", "/auth/signup", body, header("X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i)))
		made.want(t, "sign up elsewhere", http.StatusCreated, "")
		o.people = append(o.people, made)
	}
	return o
}

// load loads a page of the studio as one of them, and returns how many calls were refused.
func (o office) load(t *testing.T, who answer) (refused int) {
	t.Helper()
	access, refresh := cookie("app_access_token", who.text("accessToken")), cookie("app_refresh_token", who.text("refreshToken"))
	for _, call := range [][2]string{
		{"GET", "/auth/me"}, {"GET", "/workspaces"}, {"GET", "/users/me/invites"}, {"GET", "/auth/sessions"}, {"POST", "/auth/refresh"},
	} {
		got := o.do(call[0], call[1], "", o.address, access, refresh, header("Origin", "http://localhost:8080"))
		if got.StatusCode == http.StatusTooManyRequests {
			refused++
		} else if got.StatusCode != http.StatusOK {
			t.Errorf("%s %s: got %d %s", call[0], call[1], got.StatusCode, got.body)
		}
	}
	return refused
}

func TestAnOfficeBehindOneAddressLoadsPages(t *testing.T) {
	o, refused := newOffice(t, 200), 0
	for range 4 { // the clock is stopped: all within a minute
		for _, who := range o.people {
			refused += o.load(t, who)
		}
	}
	if refused != 0 {
		t.Errorf("got %d calls refused of 4 pages of each of 200 people, want none", refused)
	}
	// After lunch everybody's access token has expired: pages fail several times and are renewed.
	o.clock.add(20 * time.Minute)
	for _, who := range o.people {
		stale := cookie("app_access_token", who.text("accessToken"))
		for range 10 {
			o.do("GET", "/workspaces", "", o.address, stale).want(t, "an expired session", http.StatusUnauthorized, "token_expired")
		}
	}
}

func TestGuessingStopsWithoutLockingTheOfficeOut(t *testing.T) {
	o, tried := newOffice(t, 200), 0
	for i := range o.people {
		body := fmt.Sprintf(`{"email":"person%d@example.com","password":"password%d"}`, i, i)
		if got := o.do("POST", "/auth/login", body, o.address); got.StatusCode != http.StatusTooManyRequests {
			got.want(t, "a guess", http.StatusUnauthorized, "invalid_credentials")
			tried++
		}
	}
	if tried != 20 {
		t.Errorf("got %d of 200 guesses answered, want 20", tried)
	}
	for i, who := range o.people {
		if refused := o.load(t, who); refused != 0 {
			t.Fatalf("person %d, who is signed in: got %d calls refused, want none", i, refused)
		}
	}
	for _, path := range []string{"/auth/signup", "/auth/forgot-password", "/auth/reset-password"} {
		o.do("POST", path, `{}`, o.address).want(t, path+" after the guesses", http.StatusTooManyRequests, "rate_limited")
	}
	o.do("GET", "/auth/github/callback?code=x&state=y", "", o.address).want(t, "a callback after the guesses", http.StatusTooManyRequests, "rate_limited")
}

func TestForgedSessionsCountAgainstTheAddress(t *testing.T) {
	api := newAPI(t, func(d *Deps) {
		d.Settings.RatePerMinute = 3
		d.Settings.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	for i := range 4 { // an address of the same /64 each time
		got := api.do("POST", "/auth/refresh", "", header("X-Forwarded-For", fmt.Sprintf("2001:db8::%d", i+1)),
			header("Origin", "http://localhost:8080"), cookie("app_refresh_token", fmt.Sprintf("forged%d", i)))
		if limited := got.StatusCode == http.StatusTooManyRequests; limited != (i == 3) {
			t.Errorf("forged token %d: got %d, want only the fourth to be limited", i+1, got.StatusCode)
		}
	}
	api.do("POST", "/auth/refresh", "", header("X-Forwarded-For", "2001:db8:0:1::1"), header("Origin", "http://localhost:8080"), cookie("app_refresh_token", "forged")).
		want(t, "another /64", http.StatusUnauthorized, "unauthenticated")
}
