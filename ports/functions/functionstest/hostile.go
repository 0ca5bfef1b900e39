package functionstest

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/functions"
)

// hostileCase is a function that misbehaves, and what may become of its call: kinds of failures,
// or an answer.
type hostileCase struct{ name, want, script string }

// mayBe reports whether the case may end so.
func (c hostileCase) mayBe(end functions.FailureKind) bool {
	return slices.Contains(strings.Fields(c.want), string(end))
}

// hostile returns functions that misbehave.
func hostile() []hostileCase {
	all := endless()
	all = append(all, greedy()...)
	all = append(all, deep()...)
	all = append(all, cunning()...)
	return append(all, rude()...)
}

// endless functions take time without end.
func endless() []hostileCase {
	return []hostileCase{
		{"endless loop", "processor", `exports.default = () => { for (;;); }`},
		{"endless loop in an async function", "processor", `exports.default = async () => { await null; for (;;); }`},
		{"endless loop when loaded", "processor", `for (;;);`},
		{"endless loop in finally", "processor", `exports.default = () => { try { for (;;); } finally { for (;;); } }`},
		{"endless loop that catches", "processor", `exports.default = async () => { for (;;) { try { for (;;); } catch {} } }`},
		{"endless recursion of promises", "processor", `exports.default = () => { const f = () => Promise.resolve().then(f); return f() }`},
		{"endless microtasks", "processor", `exports.default = () => { const f = () => queueMicrotask(f); f(); return new Promise(() => {}) }`},
		{"endless await", "processor", `exports.default = async () => { for (;;) await null }`},
		{"endless generator", "processor memory", `exports.default = () => { function* g() { for (;;) yield 1 } return new Response([...g()].length) }`},
		{"endless regular expression", "processor", `exports.default = () => new Response(/(a+)+$/.test("a".repeat(50) + "b"))`},
		{"endless getter", "processor", `exports.default = () => { const o = { get x() { for (;;); } }; return new Response(o.x) }`},
		{"endless toJSON", "processor", `exports.default = () => Response.json({ toJSON() { for (;;); } })`},
		{"endless toString of a body", "processor", `exports.default = () => new Response({ toString() { for (;;); } })`},
		{"endless comparison", "processor", `exports.default = () => { [3, 2, 1].sort(() => { for (;;); }); }`},
		{"endless replacement", "processor", `exports.default = () => "abc".replace(/b/, () => { for (;;); })`},
		{"endless proxy", "processor", `exports.default = () => Object.keys(new Proxy({}, { ownKeys() { for (;;); } }))`},
		{"endless eval", "processor", `exports.default = () => eval("for (;;);")`},
		{"endless Function", "processor", `exports.default = () => new Function("for (;;);")()`},
		{"endless static block", "processor", `class A { static { for (;;); } }; exports.default = () => new Response("")`},
		{"endless interval", "time", `exports.default = () => new Promise(() => setInterval(() => {}, 1))`},
		{"endless timers", "time processor", `exports.default = () => new Promise(() => { const f = () => setTimeout(f, 0); f() })`},
		{"long sleep", "time", `exports.default = () => new Promise((done) => setTimeout(done, 1e9))`},
		{"thenable that never ends", "processor", `exports.default = () => ({ then(done) { for (;;); } })`},
		{"thenables without end", "processor", `exports.default = () => { const t = { then(done) { done({ then: t.then }) } }; return t }`},
		{"large power", "processor memory thrown", `exports.default = () => new Response(String((2n ** 30000000n) % 7n) + (3n ** 10000000n))`},
		{"large factorial", "processor memory thrown", `exports.default = () => { let n = 1n; for (let i = 1n; ; i++) n *= i }`},
		{"abort that never comes", "unsettled", `exports.default = () => new Promise((done) => new AbortController().signal.addEventListener("abort", done))`},
		{"promise that nothing settles", "unsettled", `exports.default = () => new Promise(() => {})`},
		{"promise of itself", "thrown unsettled", `exports.default = () => { let p; p = new Promise((done) => queueMicrotask(() => done(p))); return p }`},
		{"waiting for memory", "thrown", `exports.default = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)`},
	}
}

// greedy functions take memory without end.
func greedy() []hostileCase {
	return []hostileCase{
		{"array bomb", "memory", `exports.default = () => { const a = []; for (;;) a.push("x".repeat(1e5) + a.length) }`},
		{"string bomb", "memory thrown", `exports.default = () => { let s = "x"; for (;;) { s += s; s.charCodeAt(s.length - 1) } }`},
		{"map bomb", "memory processor", `exports.default = () => { const m = new Map(); for (let i = 0; ; i++) m.set(i, {}) }`},
		{"set bomb", "memory processor", `exports.default = () => { const m = new Set(); for (let i = 0; ; i++) m.add("k" + i) }`},
		{"buffer bomb", "memory", `exports.default = () => { const a = []; for (;;) a.push(new ArrayBuffer(1 << 24)) }`},
		{"large buffer", "memory thrown", `exports.default = () => new ArrayBuffer(2 ** 40)`},
		{"large typed array", "memory thrown", `exports.default = () => new Float64Array(2 ** 30)`},
		{"large array", "memory processor", `exports.default = () => new Array(1e8).fill(1)`},
		{"large repeat", "memory thrown", `exports.default = () => "x".repeat(2 ** 30 - 2) + "y"`},
		{"large padding", "memory thrown", `exports.default = () => "x".padEnd(2 ** 29, "ab")`},
		{"long joined text", "memory thrown processor", `exports.default = () => new Array(2 ** 26).join("abcdefgh")`},
		{"linked list bomb", "memory processor", `exports.default = () => { let l = null; for (;;) l = { l } }`},
		{"closure bomb", "memory processor", `exports.default = () => { let f = () => 0; for (;;) { const g = f; f = () => g } }`},
		{"promise bomb", "memory processor", `exports.default = () => { const a = []; for (;;) a.push(new Promise(() => {})) }`},
		{"bomb that catches", "memory processor", `exports.default = () => { const a = []; for (;;) { try { for (;;) a.push("x".repeat(1e6) + a.length) } catch { a.push(1) } } }`},
		{"bomb in the console", "processor memory", `exports.default = () => { const a = []; for (;;) { a.push(a); console.log(a, a, a) } }`},
		{"bomb in a clone", "memory processor", `exports.default = () => { let a = []; for (;;) { a.push(1, 2, 3, 4); a = a.concat(structuredClone(a)) } }`},
		{"bomb in an encoder", "memory thrown processor", `exports.default = () => { let s = "ä".repeat(1 << 20); const a = []; for (;;) a.push(new TextEncoder().encode(s)) }`},
		{"bomb in base64", "memory thrown processor", `exports.default = () => { const a = []; const s = "x".repeat(1 << 20); for (;;) a.push(btoa(s + a.length)) }`},
		{"bomb in parameters", "memory thrown processor", `exports.default = () => { const p = new URLSearchParams(); for (;;) p.append("k".repeat(1000), "v".repeat(1000)) }`},
		{"bomb in an iterator", "memory processor", `exports.default = () => Array.from({ [Symbol.iterator]: () => ({ next: () => ({ value: "x".repeat(1000) + Math.random(), done: false }) }) })`},
		{"bomb in JSON", "memory thrown", `exports.default = () => JSON.stringify(new Array(1e6).fill("x".repeat(1000)))`},
		{"bomb in a regular expression", "memory thrown invalid", `exports.default = () => new RegExp("(?:" + "a{1,1000}".repeat(100000) + "){1000}").test("a")`},
		{"bomb of symbols", "memory processor", `exports.default = () => { const a = []; for (;;) a.push(Symbol("x" + a.length)) }`},
		{"bomb of timers", "thrown", `exports.default = () => { for (;;) setTimeout(() => {}, 1000) }`},
		{"bomb of requests", "processor memory", `exports.default = () => { for (;;) fetch("https://example.com/") ; }`},
		{"bomb of weak references", "memory processor", `exports.default = () => { const a = []; for (;;) { const o = {}; a.push(new WeakRef(o), o) } }`},
	}
}

// deep functions nest.
func deep() []hostileCase {
	return []hostileCase{
		{"deep recursion", "depth", `exports.default = () => { const f = () => f() + 1; return f() }`},
		{"deep mutual recursion", "depth", `exports.default = () => { const f = () => g() + 1, g = () => f() + 1; return f() }`},
		{"deep getters", "depth", `exports.default = () => { const o = { get x() { return this.x } }; return o.x }`},
		{"deep toString", "depth", `exports.default = () => { const o = { toString() { return "" + o } }; return "" + o }`},
		{"deep JSON to write", "depth thrown", `exports.default = () => { let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return Response.json(o) }`},
		{"deep JSON to read", "depth thrown", `exports.default = () => Response.json(JSON.parse("[".repeat(1e6)))`},
		{"deep proxies", "depth thrown invalid", `exports.default = () => { let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x }`},
		{"deep bound functions", "depth memory thrown invalid", `exports.default = () => { let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); return f() }`},
		{"deep groups", "depth thrown", `exports.default = () => new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("")`},
		{"deep brackets", "depth thrown", `exports.default = () => eval("(".repeat(1e5) + "1" + ")".repeat(1e5))`},
		{"deep brackets when loaded", "depth thrown", "exports.default = " + strings.Repeat("(", 1e5) + "1" + strings.Repeat(")", 1e5)},
		{"deep array literal", "depth thrown", `exports.default = () => eval("[".repeat(1e5) + "]".repeat(1e5))`},
		{"deep blocks", "depth thrown", `exports.default = () => eval("{".repeat(1e5) + "}".repeat(1e5))`},
		{"deep functions", "depth thrown", `exports.default = () => eval("()=>".repeat(1e5) + "1")`},
		{"deep classes", "depth thrown invalid", `exports.default = () => { let A = class {}; for (let i = 0; i < 1e4; i++) { const B = A; A = class extends B {} } return new A() }`},
		{"deep prototypes", "answer depth thrown", `exports.default = () => { let o = {}; for (let i = 0; i < 1e4; i++) o = Object.create(o); return new Response(String(o.nothing)) }`},
		{"deep flat", "depth thrown answer", `exports.default = () => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return new Response(a.flat(Infinity).length) }`},
		{"deep clone", "depth", `exports.default = () => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return structuredClone(a) }`},
		{"deep console", "answer", `exports.default = () => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(a); return new Response("") }`},
		{"deep generators", "depth thrown processor", `exports.default = () => { function* g() { yield* g() } return [...g()] }`},
		{"deep asynchronous recursion", "depth memory processor", `exports.default = async () => { const f = async () => { await f() }; await f() }`},
		{"deep comparisons", "depth", `exports.default = () => { const f = () => [2, 1].sort(f); return f() }`},
		{"deep replacements", "depth", `exports.default = () => { const f = () => "a".replace(/a/, f); return f() }`},
		{"deep exception", "depth thrown processor", `exports.default = () => { const f = (n) => { try { f(n + 1) } finally { f(n + 1) } }; f(0) }`},
	}
}

// cunning functions change what the engine's own scripts may rely on, and look for ways out.
func cunning() []hostileCase {
	return []hostileCase{
		{"then on every object", "invalid thrown unsettled answer", `Object.prototype.then = function (f) { f(1) }; exports.default = () => new Response("")`},
		{"toJSON on every object", "answer thrown invalid", `Object.prototype.toJSON = () => { throw 1 }; exports.default = (req, ctx) => { console.log({}); return new Response("") }`},
		{"no iterators", "thrown answer", `Array.prototype[Symbol.iterator] = null; exports.default = () => new Response("", { headers: { a: "b" } })`},
		{"own promises", "answer thrown unsettled invalid", `Promise.prototype.then = () => {}; exports.default = async () => new Response("")`},
		{"no promises", "answer thrown unsettled", `globalThis.Promise = null; exports.default = async () => new Response("")`},
		{"own JSON", "thrown answer invalid", `JSON.parse = () => ({ url: 1, method: 2 }); JSON.stringify = () => "}"; exports.default = () => new Response("")`},
		{"own JSON with getters", "thrown answer", `JSON.parse = () => new Proxy({}, { get() { throw 1 } }); exports.default = () => new Response("")`},
		{"own maps", "answer thrown", `Map.prototype.get = Map.prototype.set = () => { throw 1 }; exports.default = () => { setTimeout(() => {}, 1); return new Response("", { headers: { a: "b" } }) }`},
		{"own call", "answer thrown", `Function.prototype.call = function (...a) { globalThis.leaked = this; throw 1 }; exports.default = () => new Response("")`},
		{"own base64", "answer thrown", `Uint8Array.prototype.toBase64 = () => "%%%"; Uint8Array.fromBase64 = () => 1; exports.default = () => new Response(new Uint8Array(3))`},
		{"own entries", "answer thrown", `Headers.prototype.entries = function* () { yield ["a\r\nb", "c"] }; exports.default = () => new Response("", { headers: { a: "b" } })`},
		{"own sort", "answer thrown", `Array.prototype.sort = () => [Symbol()]; exports.default = () => new Response("", { headers: { a: "b" } })`},
		{"own strings", "answer thrown unsettled", `String.prototype.slice = String.prototype.replace = () => { throw 1 }; exports.default = () => { console.log("x"); return new Response("") }`},
		{"frozen globals", "answer thrown", `Object.freeze(Object.prototype); Object.freeze(Function.prototype); Object.freeze(globalThis); exports.default = () => new Response("")`},
		{"no Response", "answer thrown", `const R = Response; delete globalThis.Response; delete globalThis.Request; exports.default = () => new R("")`},
		{"the host by name", "answer", `exports.default = () => new Response(typeof isolateHost)`},
		{"the host through constructors", "answer", `exports.default = () => new Response(typeof (() => {}).constructor("return this.isolateHost")())`},
		{"the host through callers", "answer thrown", `exports.default = () => { const f = function () { return f.caller }; return new Response(String(f())) }`},
		{"modules of the system", "thrown", `exports.default = async () => { await import("os"); return new Response("") }`},
		{"modules of Node", "thrown", `exports.default = () => { require("fs") }`},
		{"the process", "answer", `exports.default = () => new Response(typeof process + typeof std + typeof os + typeof Deno)`},
		{"species", "answer thrown memory", `Object.defineProperty(Array, Symbol.species, { get() { throw 1 } }); exports.default = () => { console.log([1, 2]); return new Response("") }`},
		{"prepared stacks", "thrown", `Error.prepareStackTrace = () => { throw 1 }; exports.default = () => { throw new Error("x") }`},
	}
}

// rude functions answer, throw and export what they should not.
func rude() []hostileCase {
	return []hostileCase{
		{"throwing getters", "invalid", `exports.default = () => ({ get status() { throw 1 }, get headers() { throw 2 }, get body() { throw 3 } })`},
		{"throwing getters on a response", "answer", `exports.default = () => { const r = new Response("ok"); for (const n of ["status", "headers", "body", "then"]) { if (n !== "then") Object.defineProperty(r, n, { get() { throw 1 } }) } return r }`},
		{"throwing then", "thrown", `exports.default = () => { const r = new Response("ok"); Object.defineProperty(r, "then", { get() { throw new Error("no") } }); return r }`},
		{"a proxy of a response", "invalid", `exports.default = () => new Proxy(new Response("ok"), {})`},
		{"a false response", "invalid", `exports.default = () => Object.create(Response.prototype)`},
		{"a response that lies", "answer", `exports.default = () => new (class extends Response { get status() { return 99999 } get headers() { return null } })("ok")`},
		{"a wrong status", "thrown", `exports.default = () => new Response("", { status: 99 })`},
		{"an invalid status", "thrown", `exports.default = () => new Response("", { status: NaN })`},
		{"a header with lines", "thrown", `exports.default = () => new Response("", { headers: { a: "b\r\nset-cookie: x=1" } })`},
		{"a header with a wrong name", "thrown", `exports.default = () => new Response("", { headers: { "a b": "c" } })`},
		{"many headers", "thrown", `exports.default = () => { const r = new Response(""); for (let i = 0; i < 1e4; i++) r.headers.set("h" + i, "v".repeat(100)); return r }`},
		{"a body that throws", "thrown", `exports.default = () => new Response({ toString() { throw new Error("no") } })`},
		{"a body that is a symbol", "answer", `exports.default = () => new Response(Symbol())`},
		{"a huge text", "size", `exports.default = () => new Response("ä".repeat(3 * 1024 * 1024))`},
		{"huge bytes", "size", `exports.default = () => new Response(new Uint8Array(6 * 1024 * 1024))`},
		{"nothing", "invalid", `exports.default = () => {}`},
		{"null", "invalid", `exports.default = () => null`},
		{"a function", "invalid", `exports.default = () => () => {}`},
		{"throwing nothing", "thrown", `exports.default = () => { throw undefined }`},
		{"throwing a symbol", "thrown", `exports.default = () => { throw Symbol("x") }`},
		{"throwing a proxy", "thrown", `exports.default = () => { throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } }) }`},
		{"throwing an error with getters", "thrown", `exports.default = () => { const e = new Error(); for (const n of ["message", "name", "stack"]) Object.defineProperty(e, n, { get() { throw 1 } }); throw e }`},
		{"throwing a long text", "thrown", `exports.default = () => { throw new Error("x".repeat(1e7)) }`},
		{"exports that throw", "thrown", `Object.defineProperty(exports, "default", { get() { throw new Error("no") } })`},
		{"exports that are a proxy", "thrown invalid", `module.exports = new Proxy({}, { get() { throw new Error("no") } })`},
		{"no exports", "thrown", `module.exports = null`},
		{"a closed wrapper", "thrown invalid answer", `}); ((module, exports) => { exports.default = () => new Response("")`},
		{"no script", "thrown", `this is no script`},
		{"bytes that are no text", "thrown", "\xff\xfe\x00\xc0"},
		{"a wrong address", "thrown", `exports.default = () => fetch("nonsense")`},
		{"a request with a wrong header", "thrown", `exports.default = () => fetch("https://example.com", { headers: { "x\n": "y" } })`},
		{"two answers", "answer", `exports.default = async () => { setTimeout(() => { throw new Error("late") }, 0); return new Response("first") }`},
		{"a timer that throws", "thrown", `exports.default = () => new Promise(() => setTimeout(() => { throw new Error("late") }, 1))`},
	}
}
