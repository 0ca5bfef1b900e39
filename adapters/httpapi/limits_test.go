package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

func TestALimiterLetsABurstPassAndThenTheRate(t *testing.T) {
	clock := &clock{now: time.Unix(0, 0)}
	limiter := newLimiter(60, clock.Now)
	for i := range 60 {
		if err := limiter.take("a"); err != nil {
			t.Fatalf("call %d: got %v, want it to pass", i+1, err)
		}
	}
	err := limiter.take("a")
	known, _ := err.(*core.Error)
	if known == nil || known.Code != core.CodeRateLimited || known.RetryAfter != time.Second {
		t.Fatalf("call 61: got %v, want %s for a second", err, core.CodeRateLimited)
	}
	if err := limiter.take("b"); err != nil {
		t.Errorf("another caller: got %v, want it to pass", err)
	}
	clock.add(time.Second)
	if first, second := limiter.take("a"), limiter.take("a"); first != nil || second == nil {
		t.Errorf("a second later: got %v and %v, want one to pass", first, second)
	}
}

func TestALimiterForgetsOnlyFullBuckets(t *testing.T) {
	clock := &clock{now: time.Unix(0, 0)}
	limiter := newLimiter(2, clock.Now)
	for range 2 {
		_ = limiter.take("a")
	}
	clock.add(30 * time.Second)
	_ = limiter.take("a")
	for range 3 {
		clock.add(29 * time.Second)
		if err := limiter.take("a"); err == nil {
			t.Error("29 seconds later: got it to pass, want it limited: a token takes 30")
		}
		clock.add(time.Second)
		if err := limiter.take("a"); err != nil {
			t.Errorf("30 seconds later: got %v, want it to pass", err)
		}
	}
}

func TestALimiterIsBounded(t *testing.T) {
	clock := &clock{now: time.Unix(0, 0)}
	limiter := newLimiter(1, clock.Now)
	for i := range 3 * maxBuckets {
		_ = limiter.take(fmt.Sprint(i))
	}
	if held := len(limiter.young) + len(limiter.old); held > 2*maxBuckets {
		t.Errorf("got %d buckets, want at most %d", held, 2*maxBuckets)
	}
}

func TestOneIPv6NetworkIsOneClient(t *testing.T) {
	key := func(text string) string { return ipKey(netip.MustParseAddr(text)) }
	if key("2001:db8::1") != key("2001:db8::ffff:1") || key("2001:db8::1") == key("2001:db8:0:1::1") || key("192.0.2.1") == key("192.0.2.2") {
		t.Error("got keys that do not follow /64 for IPv6 and the address for IPv4")
	}
}

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
	limiter := newLimiter(0, time.Now)
	for range 10_000 {
		if err := limiter.take("a"); err != nil {
			t.Fatalf("got %v, want no limit", err)
		}
	}
}

func TestOnlyTrustedProxiesAreBelieved(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"198.51.100.7"}, "192.0.2.1"},
		{"10.0.0.1:5", nil, "10.0.0.1"},
		{"10.0.0.1:5", []string{"198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"1.1.1.1, 198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"1.1.1.1, 198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"1.1.1.1", "198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"198.51.100.7, garbage"}, "10.0.0.1"},
		{"10.0.0.1:5", []string{"garbage, 198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"10.0.0.9"}, "10.0.0.9"},
		{"10.0.0.1:5", []string{""}, "10.0.0.1"},
		{"[::ffff:10.0.0.1]:5", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"[fd00::1]:5", []string{"2001:db8::1"}, "2001:db8::1"},
		{"@", []string{"198.51.100.7"}, "invalid IP"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		for _, line := range c.forwarded {
			r.Header.Add("X-Forwarded-For", line)
		}
		if got := rest.ClientIP(r, trusted).String(); got != c.want {
			t.Errorf("%s forwarding %q: got %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func BenchmarkLimiter(b *testing.B) {
	limiter := newLimiter(1200, time.Now)
	for b.Loop() {
		_ = limiter.take("user 1")
	}
}
