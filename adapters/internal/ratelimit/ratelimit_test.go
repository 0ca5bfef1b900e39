package ratelimit

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestALimiterLetsABurstPassAndThenTheRate(t *testing.T) {
	now := time.Unix(0, 0)
	clock := func() time.Time { return now }
	limiter := New(60, clock)
	for i := range 60 {
		if err := limiter.Take("a"); err != nil {
			t.Fatalf("call %d: got %v, want it to pass", i+1, err)
		}
	}
	err := limiter.Take("a")
	known, _ := err.(*core.Error)
	if known == nil || known.Code != core.CodeRateLimited || known.RetryAfter != time.Second {
		t.Fatalf("call 61: got %v, want %s for a second", err, core.CodeRateLimited)
	}
	if err := limiter.Take("b"); err != nil {
		t.Errorf("another caller: got %v, want it to pass", err)
	}
	now = now.Add(time.Second)
	if first, second := limiter.Take("a"), limiter.Take("a"); first != nil || second == nil {
		t.Errorf("a second later: got %v and %v, want one to pass", first, second)
	}
}

func TestALimiterForgetsOnlyFullBuckets(t *testing.T) {
	now := time.Unix(0, 0)
	clock := func() time.Time { return now }
	limiter := New(2, clock)
	for range 2 {
		_ = limiter.Take("a")
	}
	now = now.Add(30 * time.Second)
	_ = limiter.Take("a")
	for range 3 {
		now = now.Add(29 * time.Second)
		if err := limiter.Take("a"); err == nil {
			t.Error("29 seconds later: got it to pass, want it limited: a token takes 30")
		}
		now = now.Add(time.Second)
		if err := limiter.Take("a"); err != nil {
			t.Errorf("30 seconds later: got %v, want it to pass", err)
		}
	}
}

func TestALimiterIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	clock := func() time.Time { return now }
	limiter := New(1, clock)
	for i := range 3 * maxBuckets {
		_ = limiter.Take(fmt.Sprint(i))
	}
	if held := len(limiter.young) + len(limiter.old); held > 2*maxBuckets {
		t.Errorf("got %d buckets, want at most %d", held, 2*maxBuckets)
	}
}

func TestOneIPv6NetworkIsOneClient(t *testing.T) {
	key := func(text string) string { return AddressKey(netip.MustParseAddr(text)) }
	if key("2001:db8::1") != key("2001:db8::ffff:1") || key("2001:db8::1") == key("2001:db8:0:1::1") || key("192.0.2.1") == key("192.0.2.2") {
		t.Error("got keys that do not follow /64 for IPv6 and the address for IPv4")
	}
}

func BenchmarkLimiter(b *testing.B) {
	limiter := New(1200, time.Now)
	for b.Loop() {
		_ = limiter.Take("user 1")
	}
}
