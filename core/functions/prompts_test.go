package functions_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/functions"
)

// TestPromptsOfStrangersAreBounded lets guests and users ask until neither may, in two environments.
func TestPromptsOfStrangersAreBounded(t *testing.T) {
	h := newHouse(t, map[string]string{
		"signup": `exports.default = async (req, ctx) => { await ctx.data.collection("users").create({ email: "ada@example.com", password: "long enough 1", passwordConfirm: "long enough 1" }); const { token } = await ctx.data.send("/api/collections/users/auth-with-password", { method: "POST", body: { identity: "ada@example.com", password: "long enough 1" } }); return new Response(token) }`,
		"many":   `exports.default = async (req, ctx) => { let n = 0; for (; n < 10; n++) try { await ctx.ai("Greet") } catch (e) { return new Response(n + " " + e.message) } return new Response(n) }`,
	})
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h.now = func() time.Time { return now }
	h.deps.Now = h.now
	h.Service = functions.New(h.deps)
	h.withModels(core.ProviderDemo, demo.New())
	ada := http.Header{"Authorization": {h.ask(core.DataTest, "POST", "/_fn/signup", "", nil).Body.String()}}
	ask := func(user http.Header) (answered int, last string) {
		for {
			last = h.ask(core.DataTest, "GET", "/_fn/many", "", user).Body.String()
			count, why, _ := strings.Cut(last, " ")
			n, err := strconv.Atoi(count)
			h.must(err)
			if answered += n; n < 10 {
				return answered, why
			}
		}
	}
	const guests, all = "at most 60 times an hour for visitors who have not signed in", "at most 600 times an hour:"
	for _, step := range []struct {
		after time.Duration
		user  http.Header
		want  int
		why   string
	}{
		{0, nil, 60, guests},
		{0, ada, 540, all},
		{0, nil, 0, all},
		{time.Minute, nil, 1, guests},
		{0, ada, 9, all},
		{24 * time.Hour, nil, 60, guests},
	} {
		now = now.Add(step.after)
		if got, why := ask(step.user); got != step.want || !strings.Contains(why, step.why) {
			t.Errorf("%+v: got %d answers, then %q", step, got, why)
		}
	}
}
