package quickjs_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// answer runs a script and returns its answer, or its failure.
func answer(t testing.TB, r *quickjs.Runner, call functions.Call) string {
	t.Helper()
	call.Tenant = core.NewID()
	if call.Request.URL == "" {
		call.Request = functions.Request{Method: "GET", URL: "https://shop.example.com/_fn/x"}
	}
	found, err := r.Run(t.Context(), call, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Failure != nil {
		return string(found.Failure.Kind) + ": " + found.Failure.Message
	}
	return string(found.Response.Body)
}

func TestTheSurfaceOfTheWeb(t *testing.T) {
	r := runner(t, quickjs.DefaultLimits())
	for _, c := range []struct{ expression, want string }{
		{`new URL("../a b?x=1#y", "http://Ex.com:80/q/w/e").href`, "http://ex.com/q/a%20b?x=1#y"},
		{`new URL("https://user:pw@Example.com:8443/a/./b/../c?d=e").href`, "https://user:pw@example.com:8443/a/c?d=e"},
		{`new URL("https://example.com").pathname`, "/"},
		{`new URL("//other.example/x", "https://example.com/a").host`, "other.example"},
		{`new URL("?q", "https://example.com/a/b").href`, "https://example.com/a/b?q"},
		{`URL.canParse("nonsense")`, "false"},
		{`URL.canParse("https://")`, "false"},
		{`(() => { const u = new URL("https://a.example/?b=1"); u.searchParams.append("c d", "ä&"); u.pathname = "x y"; u.port = "81"; u.hash = "z"; return u })()`, "https://a.example:81/x%20y?b=1&c+d=%C3%A4%26#z"},
		{`new URL("mailto:ada@example.com").pathname`, "ada@example.com"},
		{`new URLSearchParams("a=1&b=%zz&a=2+3").getAll("a").join()`, "1,2 3"},
		{`new URLSearchParams("b=%zz").get("b")`, "%zz"},
		{`new URLSearchParams({ a: "1 2", b: "*-._~!'()" })`, "a=1+2&b=*-._%7E%21%27%28%29"},
		{`new TextDecoder().decode(new TextEncoder().encode("häß€😀"))`, "häß€😀"},
		{`new TextDecoder().decode(new Uint8Array([0x61, 0xff, 0x62]))`, "a\ufffdb"},
		{`(() => { try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff])) } catch { return "fatal" } })()`, "fatal"},
		{`new TextEncoder().encode("\ud800").join()`, "239,191,189"},
		{`btoa("hällo") + atob("aOQ=")`, "aORsbG8=h\u00e4"},
		{`(() => { try { btoa("€") } catch (e) { return e.name } })()`, "InvalidCharacterError"},
		{`[...new Headers([["B", "1"], ["a", "2"], ["b", "3"]])].join(";")`, "a,2;b,1, 3"},
		{`(() => { const h = new Headers(); h.append("Set-Cookie", "a=1"); h.append("set-cookie", "b=2"); return h.getSetCookie().join("|") + [...h].length })()`, "a=1|b=22"},
		{`await new Response("text").clone().text() + new Response("x").headers.get("content-type")`, "texttext/plain;charset=UTF-8"},
		{`await (async () => { const r = new Response("x"); await r.text(); try { await r.text() } catch (e) { return e.name + r.bodyUsed } })()`, "TypeErrortrue"},
		{`Response.json({ a: 1 }).headers.get("content-type")`, "application/json"},
		{`(await (await new Response("ab").arrayBuffer())).byteLength`, "2"},
		{`await new Response(new Response("body").body).text()`, "body"},
		{`await (async () => { let all = ""; for await (const part of new Response("streamed").body) all += new TextDecoder().decode(part); return all })()`, "streamed"},
		{`new Request("https://a.example/", { method: "post", body: new URLSearchParams({ a: "b" }) }).headers.get("content-type")`, "application/x-www-form-urlencoded;charset=UTF-8"},
		{`(await new Request("https://a.example/", { method: "POST", body: new URLSearchParams({ a: "b c" }) }).formData()).get("a")`, "b c"},
		{`new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"))).toHex()`, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{`/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()) && crypto.randomUUID() !== crypto.randomUUID()`, "true"},
		{`crypto.getRandomValues(new Uint32Array(4)).some((n) => n > 0)`, "true"},
		{`(() => { try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { return e.name } })()`, "QuotaExceededError"},
		{`(() => { const a = { d: new Date(0), m: new Map([[1, new Set([2])]]), b: new Uint8Array([1]) }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c, c.d.getTime(), c.m.get(1).has(2), c.b[0]] })()`, "true,true,0,true,1"},
		{`(() => { try { structuredClone(() => 1) } catch (e) { return e.name } })()`, "DataCloneError"},
		{`await new Promise((done) => { const seen = []; setTimeout(() => done(seen.join()), 20); setTimeout(() => seen.push(2), 10); setTimeout(() => seen.push(1), 1); clearTimeout(setTimeout(() => seen.push(0), 1)) })`, "1,2"},
		{`await new Promise((done) => { const seen = []; for (let i = 1; i <= 30; i++) setTimeout(() => { if (seen.push(i) === 30) done(seen.join() === [...seen].sort((a, b) => a - b).join()) }, i); for (const start = Date.now(); Date.now() < start + 60;); })`, "true"},
		{`await new Promise((done) => { let n = 0; const id = setInterval(() => { if (++n === 3) { clearInterval(id); done(n) } }, 1) })`, "3"},
		{`await new Promise((done) => { const c = new AbortController(); c.signal.addEventListener("abort", () => done(c.signal.reason.name)); c.abort() })`, "AbortError"},
		{`await fetch("https://a.example", { signal: AbortSignal.abort() }).catch((e) => e.name)`, "AbortError"},
		{`typeof performance.now() + typeof queueMicrotask`, "numberfunction"},
	} {
		script := fmt.Sprintf("exports.default = async (req, ctx) => new Response(String(%s))", c.expression)
		if got := answer(t, r, functions.Call{Code: []byte(script)}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.expression, got, c.want)
		}
	}
}

// TestAWebhookOfStripeIsVerified verifies a signature in the way that Stripe documents for its
// webhooks: HMAC with SHA-256 over the time, a full stop and the body.
func TestAWebhookOfStripeIsVerified(t *testing.T) {
	script, err := os.ReadFile("testdata/stripe.js")
	if err != nil {
		t.Fatal(err)
	}
	event, err := os.ReadFile("testdata/stripe.json")
	if err != nil {
		t.Fatal(err)
	}
	const secret, at = "whsec_test_secret", "1492774577"
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write([]byte(at + "." + string(event)))
	signature := hex.EncodeToString(sum.Sum(nil))
	r := runner(t, quickjs.DefaultLimits())
	for _, c := range []struct{ name, header, body, want string }{
		{"the right signature", "t=" + at + ",v1=" + signature, string(event), `{"received":"charge.succeeded"}`},
		{"one of two signatures", "t=" + at + ",v1=" + hex.EncodeToString(make([]byte, 32)) + ",v1=" + signature, string(event), `{"received":"charge.succeeded"}`},
		{"another body", "t=" + at + ",v1=" + signature, string(event) + " ", "wrong signature"},
		{"another time", "t=1492774578,v1=" + signature, string(event), "wrong signature"},
		{"an older scheme", "t=" + at + ",v0=" + signature, string(event), "wrong signature"},
		{"no signature", "", string(event), "wrong signature"},
	} {
		got := answer(t, r, functions.Call{
			Code: script, Secrets: map[string]string{"STRIPE_WEBHOOK_SECRET": secret, "STRIPE_NOW": at},
			Request: functions.Request{Method: "POST", URL: "https://shop.example.com/_fn/stripe", Header: http.Header{"Stripe-Signature": {c.header}}, Body: []byte(c.body)},
		})
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
