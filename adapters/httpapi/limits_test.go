package httpapi

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/ratelimit"
)

func TestAuthRoutesAreLimitedByAddress(t *testing.T) {
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
	for range 5 {
		api.do("GET", "/healthz", "").want(t, "a probe", http.StatusOK, "")
		api.do("GET", "/auth/me", "", ada).want(t, "an auth route, without its own limit", http.StatusOK, "")
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
