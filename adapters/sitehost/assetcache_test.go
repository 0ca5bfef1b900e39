package sitehost

import (
	"fmt"
	"strings"
	"testing"
)

func TestCommon(t *testing.T) {
	made := 0
	get := func(c *assetCache, path, content string) *asset {
		return c.get(path, []byte(content), func() *asset {
			made++
			return newAsset(path, []byte(content), true, noStore)
		})
	}

	t.Run("makes an asset once for equal contents", func(t *testing.T) {
		c := newCommon(1 << 20)
		made = 0
		first := get(c, "a.js", "one")
		if get(c, "a.js", "one") != first || made != 1 {
			t.Errorf("got %d makings, want one asset", made)
		}
		if other := get(c, "a.js", "two"); other == first || string(other.content) != "two" {
			t.Errorf("got %q, want the other content", other.content)
		}
		if get(c, "b.js", "one") == first {
			t.Error("got the asset of another path, want one of its own")
		}
	})

	t.Run("holds no more than its limit", func(t *testing.T) {
		c := newCommon(10_000)
		for n := range 1000 {
			get(c, fmt.Sprint(n%30, ".js"), strings.Repeat("x", n))
			var sum int64
			for _, held := range c.assets {
				sum += held.size()
			}
			if sum != c.bytes || sum > 10_000 {
				t.Fatalf("got %d bytes counted and %d held, want the same, at most 10000", c.bytes, sum)
			}
		}
	})
}
