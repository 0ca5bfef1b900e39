// Calls every documented method of the stock client against one host: a preview or a site. The
// environment names the host (HOST) and who reads mails (MAILS).
import assert from "node:assert/strict";
import dns from "node:dns";
import { EventSource } from "eventsource";
import PocketBase from "pocketbase";

globalThis.EventSource = EventSource; // as the client's README says for Node.js

// Names below localhost, which browsers resolve themselves.
const resolve = dns.lookup;
dns.lookup = (name, options, done) => resolve(name.endsWith("localhost") ? "127.0.0.1" : name, options, done);

const client = () => new PocketBase(`${process.env.HOST}/_data`);
const password = "correct horse battery", png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAEklEQVR4nGP4z8DwnwEMgDQDAB34A/0xLkkZAAAAAElFTkSuQmCC", "base64");

// fails expects a refusal with a status.
async function fails(status, promise) {
	await assert.rejects(promise, (error) => {
		assert.equal(error.status, status, `${error.url} ${JSON.stringify(error.response)}`);
		return true;
	});
}

// mailed waits for the newest mail to an address that matches, and returns the pattern's group.
async function mailed(to, pattern) {
	for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((r) => setTimeout(r, 25))) {
		const text = await (await fetch(`${process.env.MAILS}/?to=${encodeURIComponent(to)}`)).text();
		const found = [...text.matchAll(pattern)].at(-1);
		if (found) return found[1];
	}
	assert.fail(`no mail to ${to} has ${pattern}`);
}

// heard collects what a subscription hears.
function heard() {
	const events = [];
	let wake = () => {};
	return {
		take: (event) => { events.push(event); wake(); },
		events,
		async next() {
			const late = setTimeout(() => { assert.fail("nothing was heard"); }, 20_000);
			while (events.length === 0) await new Promise((r) => { wake = r; });
			clearTimeout(late);
			return events.shift();
		},
	};
}

const anna = client(), ben = client(), guest = client();
let annaID, benID, post;

const steps = {
	async "people sign up and sign in"() {
		assert.equal((await guest.health.check()).code, 200);
		for (const [who, email] of [[anna, "anna@example.com"], [ben, "ben@example.com"]]) {
			await guest.collection("users").create({ email, password, passwordConfirm: password, name: email.split("@")[0] });
			const signedIn = await who.collection("users").authWithPassword(email, password);
			assert.equal(signedIn.record.email, email);
			assert.ok(who.authStore.isValid && !who.authStore.isSuperuser);
		}
		[annaID, benID] = [anna.authStore.record.id, ben.authStore.record.id];
		await fails(400, guest.collection("users").authWithPassword("anna@example.com", "wrong password"));
		const before = anna.authStore.token;
		assert.ok((await anna.collection("users").authRefresh()).token);
		assert.ok(before && anna.authStore.isValid);
		const methods = await guest.collection("users").listAuthMethods();
		assert.ok(methods.password.enabled && methods.otp.enabled);
		assert.deepEqual(await anna.collection("users").listExternalAuths(annaID), []);
		const cookie = anna.authStore.exportToCookie({ httpOnly: false }), other = client();
		other.authStore.loadFromCookie(cookie);
		assert.equal(other.authStore.record.id, annaID);
	},

	async "records are created, read, changed and deleted"() {
		const posts = anna.collection("posts");
		post = await posts.create({
			title: "First", author: annaID, stars: 3, published: true, day: "2026-01-02 03:04:05.678Z", kind: ["news"],
			meta: { a: [1, "zwei"] }, contact: "a@example.com", link: "https://example.com", place: { lon: 1.5, lat: 2.5 }, body: "<p>hello</p>",
		});
		assert.deepEqual([post.stars, post.published, post.kind, post.meta, post.place, post.day],
			[3, true, ["news"], { a: [1, "zwei"] }, { lon: 1.5, lat: 2.5 }, "2026-01-02 03:04:05.678Z"]);
		assert.equal((await guest.collection("posts").getOne(post.id)).title, "First");
		const changed = await posts.update(post.id, { "stars+": 2, "kind+": "sport" });
		assert.deepEqual([changed.stars, changed.kind, changed.title], [5, ["news", "sport"], "First"]);
		const gone = await posts.create({ title: "Gone", author: annaID });
		await posts.delete(gone.id);
		await fails(404, posts.getOne(gone.id));
		await fails(404, posts.getOne(""));
		await fails(400, posts.create({ author: annaID }));
		await fails(400, posts.create({ title: "not mine", author: benID }));
		await fails(404, ben.collection("posts").update(post.id, { title: "stolen" }));
		await fails(404, ben.collection("posts").delete(post.id));
		await fails(400, guest.collection("posts").create({ title: "x" }));
		await fails(404, guest.collection("nothing").getList());
	},

	async "lists are paged, filtered, sorted, expanded and reduced"() {
		const posts = anna.collection("posts");
		const red = await anna.collection("tags").create({ name: "red" }), blue = await anna.collection("tags").create({ name: "blue" });
		for (let i = 1; i <= 6; i++) {
			await posts.create({ title: `it's ${i}`, author: annaID, stars: i, tags: i % 2 ? [red.id, blue.id] : [blue.id] });
		}
		const like = { filter: posts.client.filter("title ~ {:t}", { t: "it's" }), sort: "-stars" };
		const page = await posts.getList(2, 4, like);
		assert.deepEqual([page.page, page.perPage, page.totalItems, page.totalPages, page.items.map((p) => p.stars)], [2, 4, 6, 2, [2, 1]]);
		assert.equal((await posts.getList(1, 2, { ...like, skipTotal: true })).totalItems, -1);
		assert.equal((await posts.getFullList({ ...like, batch: 4 })).length, 6);
		assert.equal((await posts.getFirstListItem("stars = 4", { fields: "title" })).title, "it's 4");
		await fails(404, posts.getFirstListItem("stars = 400"));
		const one = await posts.getFirstListItem("stars = 3 && tags.name ?= 'red'", { expand: "author,tags", fields: "id,title,expand.author.name,expand.tags.name" });
		assert.deepEqual([one.expand.author.name, one.expand.tags.map((t) => t.name), one.stars], ["anna", ["red", "blue"], undefined]);
		const back = await anna.collection("users").getOne(annaID, { expand: "posts_via_author" });
		assert.ok(back.expand.posts_via_author.length >= 6);
		const cut = await posts.getOne(post.id, { fields: "body:excerpt(3)" });
		assert.equal(cut.body, "hel");
		await anna.collection("comments").create({ words: "nice", post: post.id });
		const nested = await anna.collection("comments").getFirstListItem(`post.author.name = "anna"`, { expand: "post.author" });
		assert.equal(nested.expand.post.expand.author.name, "anna");
		for (const filter of [`created >= @todayStart`, `stars > 3 && stars <= 5`, `(title !~ "First" || stars != 1)`, `tags:length > 1`]) {
			assert.ok((await posts.getList(1, 50, { filter, requestKey: null })).totalItems > 0, filter);
		}
		assert.equal((await anna.collection("totals").getFirstListItem("comments = 1")).title, "First");
		await fails(400, posts.getList(1, 5, { filter: "nowhere = 1" }));
		await fails(400, posts.getList(1, 5, { filter: "title = " }));
		const parallel = await Promise.allSettled([posts.getList(1, 1), posts.getList(2, 1)]);
		assert.ok(parallel[0].reason.isAbort && parallel[1].value.items.length === 1);
	},

	async "files are uploaded, served, protected and removed"() {
		const posts = anna.collection("posts"), form = new FormData();
		form.set("cover", new File([png], "Cover Picture.png", { type: "image/png" }));
		post = await posts.update(post.id, form);
		assert.match(post.cover, /^cover_picture_\w+\.png$/);
		const bytes = async (url, status = 200) => {
			const got = await fetch(url);
			assert.equal(got.status, status, url);
			return Buffer.from(await got.arrayBuffer());
		};
		assert.deepEqual(await bytes(guest.files.getURL(post, post.cover)), png);
		assert.ok((await bytes(guest.files.getURL(post, post.cover, { thumb: "10x10" }))).length > 0);
		const download = await fetch(guest.files.getURL(post, post.cover, { download: true }));
		assert.match(download.headers.get("Content-Disposition"), /^attachment/);
		const drafts = anna.collection("drafts");
		let draft = await drafts.create({ author: annaID, papers: [new File(["one"], "one.txt"), new File(["two"], "two.txt")] });
		assert.equal(draft.papers.length, 2);
		const paper = (token) => guest.files.getURL(draft, draft.papers[0], { token });
		await bytes(paper(), 404);
		assert.equal((await bytes(paper(await anna.files.getToken()))).toString(), "one");
		await bytes(paper(await ben.files.getToken()), 404);
		await bytes(paper(anna.authStore.token), 404);
		await fails(401, guest.files.getToken());
		const [first] = draft.papers, old = paper(await anna.files.getToken());
		draft = await drafts.update(draft.id, { "papers-": [first], "papers+": [new File(["three"], "three.txt")] });
		assert.deepEqual(draft.papers.map((p) => p.split("_")[0]), ["two", "three"]);
		await bytes(old, 404);
		await fails(400, posts.update(post.id, { cover: new File(["not a picture"], "x.png") }));
		post = await posts.update(post.id, { cover: null });
		assert.equal(post.cover, "");
	},

	async "a batch happens as a whole, or not at all"() {
		const batch = anna.createBatch();
		batch.collection("tags").create({ name: "green" });
		batch.collection("posts").update(post.id, { title: "In a batch", cover: new File([png], "b.png") });
		batch.collection("tags").upsert({ id: "upserted0000001", name: "upserted" });
		const [tag, changed, upserted] = await batch.send();
		assert.deepEqual([tag.status, changed.body.title, upserted.body.id], [200, "In a batch", "upserted0000001"]);
		const bad = anna.createBatch();
		bad.collection("tags").create({ name: "lost" });
		bad.collection("tags").delete("upserted0000001");
		bad.collection("posts").create({ author: annaID });
		await fails(400, bad.send());
		assert.equal((await anna.collection("tags").getList(1, 9, { filter: "name = 'lost'" })).totalItems, 0);
		assert.equal((await anna.collection("tags").getOne("upserted0000001")).name, "upserted");
	},

	async "another window sees changes at once"() {
		const all = heard(), one = heard(), hidden = heard();
		await guest.collection("posts").subscribe("*", all.take, { expand: "author", fields: "id,title,expand.author.name" });
		await ben.collection("posts").subscribe(post.id, one.take, { filter: "stars > 4" });
		await guest.collection("comments").subscribe("*", hidden.take);
		await anna.collection("comments").create({ words: "for members", post: post.id });
		await anna.collection("posts").update(post.id, { title: "Changed" });
		let event = await all.next();
		assert.deepEqual([event.action, event.record.id, event.record.title], ["update", post.id, "Changed"]);
		assert.equal((await one.next()).record.title, "Changed");
		const made = await anna.collection("posts").create({ title: "Brief", author: annaID });
		event = await all.next();
		assert.deepEqual([event.action, event.record.title], ["create", "Brief"]);
		// PocketBase hands each event to a goroutine: two that are under way at once may change places.
		await anna.collection("posts").delete(made.id);
		assert.deepEqual([(await all.next()).action, one.events.length], ["delete", 0]);
		await guest.collection("posts").unsubscribe("*");
		const stop = await ben.collection("posts").subscribe("*", one.take);
		await stop();
		await anna.collection("posts").update(post.id, { stars: 1 });
		await anna.collection("posts").update(post.id, { stars: 9 });
		assert.equal((await one.next()).record.stars, 9);
		assert.deepEqual([all.events.length, hidden.events.length], [0, 0]);
		await Promise.all([guest.realtime.unsubscribe(), ben.realtime.unsubscribe()]);
	},

	async "mails verify, reset, change and sign in"() {
		const users = guest.collection("users");
		assert.ok(await users.requestVerification("anna@example.com"));
		await users.confirmVerification(await mailed("anna@example.com", /@confirm\/verification#([\w.-]+)/g));
		assert.ok((await anna.collection("users").getOne(annaID)).verified);
		const asked = await users.requestOTP("anna@example.com");
		const code = await mailed("anna@example.com", /\b(\d{8})\b/g);
		await fails(400, client().collection("users").authWithOTP(asked.otpId, "00000000"));
		const signedIn = await client().collection("users").authWithOTP(asked.otpId, code);
		assert.equal(signedIn.record.id, annaID);
		await anna.collection("users").requestEmailChange("anne@example.com");
		await users.confirmEmailChange(await mailed("anne@example.com", /@confirm\/email#([\w.-]+)/g), password);
		await fails(401, anna.collection("users").authRefresh());
		await users.requestPasswordReset("anne@example.com");
		const token = await mailed("anne@example.com", /@confirm\/password#([\w.-]+)/g);
		await users.confirmPasswordReset(token, "another password", "another password");
		await fails(400, users.authWithPassword("anne@example.com", password));
		await anna.collection("users").authWithPassword("anne@example.com", "another password");
		assert.ok(await users.requestPasswordReset("nobody@example.com"));
	},

	async "nobody administers"() {
		for (const call of [
			() => guest.collection("_superusers").authWithPassword("a@example.com", password), () => anna.collections.getFullList(),
			() => anna.collections.create({ name: "x" }), () => anna.collections.truncate("posts"), () => anna.settings.getAll(), () => anna.logs.getList(1, 1),
			() => anna.backups.getFullList(), () => anna.backups.create("x.zip"), () => anna.crons.getFullList(), () => anna.collections.import([], true),
		]) await fails(404, call());
		await fails(404, ben.collection("users").impersonate(annaID, 10));
	},

	async "people leave"() {
		await fails(404, ben.collection("users").delete(annaID));
		await anna.collection("users").delete(annaID);
		await fails(401, anna.collection("users").authRefresh());
		anna.authStore.clear();
		assert.ok(!anna.authStore.isValid);
	},
};

for (const [name, step] of Object.entries(steps)) {
	try {
		await step();
	} catch (error) {
		console.error(`${name}: ${error.stack}\n${error.url ?? ""} ${JSON.stringify(error.response ?? {})}`);
		process.exit(1);
	}
}
console.log(`${Object.keys(steps).length} steps`);
process.exit(0);
