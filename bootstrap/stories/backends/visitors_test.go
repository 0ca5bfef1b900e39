package backends_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// guess tries to sign in with the header that a proxy sets.
func (b *book) guess(host, forwarded string) int {
	b.T.Helper()
	body := map[string]string{"identity": "ana@example.com", "password": "a guess"}
	return (&storytest.Caller{Site: b.Site}).
		Do(http.MethodPost, host+"/_data/collections/people/auth-with-password", body, "X-Forwarded-For", forwarded, "X-Real-Ip", forwarded).Status
}

// TestSignInsAreLimitedByTheAddressOfTheVisitor guesses passwords with headers that visitors may
// send themselves, and through a proxy.
func TestSignInsAreLimitedByTheAddressOfTheVisitor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env []string
		// apart says that visitors with different headers are told apart.
		apart bool
	}{
		"no proxy":        {nil, false},
		"a trusted proxy": {[]string{"TRUSTED_PROXIES=127.0.0.1/32"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := process.Start(t, process.Build(t), c.env...)
			b := &book{(&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create(storytest.Template)}
			b.save(core.BackendSchemaPath, object{"collections": []object{{"name": "people", "type": "auth", "createRule": ""}}})
			host := b.Preview(b.Caller)
			refused := map[string]int{}
			for i := range 30 {
				for kind, forwarded := range map[string]string{"one": "203.0.113.9", "many": fmt.Sprintf("198.51.100.%d, 10.0.0.1", i)} {
					if !c.apart && kind == "one" {
						continue
					}
					if kind == "many" && c.apart {
						// What a visitor sends stands before what the proxy adds.
						forwarded = fmt.Sprintf("198.51.100.%d, 203.0.113.10", i)
					}
					switch got := b.guess(host, forwarded); got {
					case http.StatusTooManyRequests:
						refused[kind]++
					case http.StatusBadRequest:
					default:
						t.Fatalf("got %d for a guess, want 400 or 429", got)
					}
				}
			}
			if refused["many"] < 5 {
				t.Errorf("got %d of 30 guesses with forged headers refused, want those beyond 20 in a minute", refused["many"])
			}
			if c.apart && b.guess(host, "203.0.113.11") != http.StatusBadRequest {
				t.Error("got another visitor refused, want each to have an own limit")
			}
		})
	}
}

// TestSignInsThroughAFunctionAreLimitedByTheAddressOfTheVisitor lets a function guess for one
// visitor until it may not, with addresses of its own choice, and then for another.
func TestSignInsThroughAFunctionAreLimitedByTheAddressOfTheVisitor(t *testing.T) {
	t.Parallel()
	b := &book{started(t, "TRUSTED_PROXIES=127.0.0.1/32").SignUp().Create(storytest.Template)}
	b.save(core.BackendSchemaPath, object{"collections": []object{{"name": "people", "type": "auth", "createRule": ""}}})
	b.Put("functions/guess.ts", `export default async (req: Request, ctx: any) => {
  const times = Number(await req.text());
  const got: Record<number, number> = {};
  for (let i = 0; i < times; i++) {
    const from = "198.51.100." + i;
    const status = await ctx.data.send("/api/collections/people/auth-with-password", {
      method: "POST",
      headers: { "X-Forwarded-For": from, "X-Real-IP": from, Forwarded: "for=" + from },
      body: { identity: "ana@example.com", password: "a guess" },
    }).then(() => 200, (e: any) => e.status);
    got[status] = (got[status] ?? 0) + 1;
  }
  return Response.json(got);
};`)
	host := b.Preview(b.Caller)
	guess := func(visitor, times string) (got map[int]int) {
		t.Helper()
		body := storytest.Form{Reader: strings.NewReader(times), Kind: "text/plain"}
		answer := (&storytest.Caller{Site: b.Site}).Do(http.MethodPost, host+"/_fn/guess", body, "X-Forwarded-For", visitor)
		if err := json.Unmarshal(answer.Body, &got); err != nil || answer.Status != http.StatusOK {
			t.Fatalf("got %d %s, want the statuses", answer.Status, answer.Body)
		}
		return got
	}
	if got := guess("203.0.113.9", "30"); got[http.StatusTooManyRequests] < 5 || got[http.StatusBadRequest]+got[http.StatusTooManyRequests] != 30 {
		t.Errorf("got %v, want those beyond 20 in a minute refused", got)
	}
	if got := guess("203.0.113.11", "1"); got[http.StatusBadRequest] != 1 {
		t.Errorf("got %v for another visitor, want each to have an own limit", got)
	}
}
