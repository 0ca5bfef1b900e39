package functionstest

// program returns a function of the suite.
func program(name string) Program {
	for _, p := range Programs() {
		if p.Name == name {
			return p
		}
	}
	panic("no program " + name)
}

// Programs are the functions of the suite.
func Programs() []Program {
	return []Program{
		{"echo", `exports.default = async (req) => new Response([req.method, req.url, req.headers.get("x-test"), await req.text()].join(" "), {status: 201, headers: {"x-answer": "yes"}})`},
		{"bytes", `exports.default = async (req) => new Response(await req.arrayBuffer())`},
		{"context", `exports.default = (req, ctx) => new Response(ctx.user.email + " " + ctx.secrets.KEY)`},
		{"guest", `exports.default = (req, ctx) => new Response(String(ctx.user))`},
		{"throws", `exports.default = async () => { throw new Error("the stock is empty") }`},
		{"wrong", `exports.default = () => ({status: 200})`},
		{"empty", `exports.schedule = "0 8 * * *"`},
		{"fetch", `exports.default = async (req) => {
			const answer = await fetch("https://api.example.com/v1", {method: "POST", headers: {"x-sent": "sent"}, body: await req.text()})
			return new Response(answer.status + " " + answer.headers.get("x-seen") + " " + await answer.text())
		}`},
		{"catches", `exports.default = async () => {
			try { await fetch("https://example.com") } catch (e) { return new Response(e.message) }
		}`},
		{"records", `exports.default = async (req, ctx) => {
			const own = await ctx.data.collection("notes").getOne("n1"), any = await ctx.data.admin.collection("notes").getOne("n1")
			const gone = await ctx.data.collection("notes").getOne("missing").catch((e) => e.status)
			return new Response([own.asked, any.asked, gone].join(", "))
		}`},
		{"posts", `exports.default = async (req, ctx) => {
			await ctx.mail("ada@example.com", "Hi", "Text")
			return new Response(await ctx.ai("Hello", {system: "be brief", maxTokens: 7}))
		}`},
		{"talks", `exports.default = (req, ctx) => { ctx.log("one", 1); console.warn("two"); console.error("three"); throw new Error("enough") }`},
		{"chatters", `exports.default = () => { for (let i = 0; i < 10000; i++) console.log("x".repeat(i)); return new Response("") }`},
		{"counts", `globalThis.count = (globalThis.count ?? 0) + 1; exports.default = () => new Response(String(globalThis.count))`},
		{"huge", `exports.default = () => new Response("x".repeat(5 * 1024 * 1024 + 1))`},
	}
}
