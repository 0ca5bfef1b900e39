package tools

// BackendGuide tells a model how a project's backend works. It is in the prompt of projects that
// have one; the others get it when the model reads the missing schema file.
const BackendGuide = `The backend of a project keeps records, signs users in, stores files and sends changes live. Nothing else outlasts a visit or is shared. It speaks PocketBase's interface. You write files:

backend/schema.json is the whole schema, such as
{"collections":[
{"name":"users","type":"auth","fields":[{"name":"name","type":"text","max":80}],"listRule":"","viewRule":"","createRule":"","updateRule":"id = @request.auth.id"},
{"name":"entries","type":"base","fields":[{"name":"text","type":"text","required":true,"max":500},{"name":"author","type":"relation","collection":"users","required":true,"cascadeDelete":true}],
"listRule":"","viewRule":"","createRule":"author = @request.auth.id","updateRule":"author = @request.auth.id && @request.body.author:isset = false","deleteRule":"author = @request.auth.id"}]}
Fields: text, number, bool, email, url, editor, date, autodate, select (values), json, file (maxSize, mimeTypes), relation (collection), geoPoint; with maxSelect above 1 select, file and relation are lists. id, created and updated always exist, and email, password and verified in auth collections. A view has a viewQuery.

Without a rule only the project's members may. "" is open to everybody, a filter to whom it is true for (@request.auth.id, @request.body.text, author.name, &&, ||, =, !=, ~). Guests must not read what is private, nobody may change what belongs to others: publishing tests both.

In the page (add "pocketbase" to the dependencies):
const pb = new PocketBase("/_data") // no other address, no key
await pb.collection("users").create({ email, password, passwordConfirm: password, name }); await pb.collection("users").authWithPassword(email, password); pb.authStore.record; pb.authStore.clear()
await pb.collection("users").authWithOAuth2({ provider: "google" }) // in a click handler; people set providers under Data, Sign-in
await pb.collection("entries").getList(1, 30, { sort: "-created", expand: "author", filter: pb.filter("text ~ {:q}", { q }) }); also create, update(id, …), delete(id)
pb.collection("entries").subscribe("*", (event) => …) // event.action, event.record; unsubscribe("*") ends it
In plain HTML <form data-atelier="entries"> creates one.
create({ photo: file }) uploads; pb.files.getURL(record, record.photo) shows
src/backend.gen.ts has the types of records (EntriesRecord) and functions. Leave it.

functions/hello.ts answers at /_fn/hello on the server, for secrets, mails, AI (ctx.ai) or by the clock (schedule): export default async (req: Request, ctx: FunctionContext) => Response. That file says what ctx has.

backend/seed.json fills test data that have no record yet: {"users":[{"id":"ana","email":"ana@example.com","password":"a long one","name":"Ana"}],"entries":[{"text":"Hello","author":"ana"}]}. Add later records with backend_request as owner.

The preview has test data, the published site live data, which begin empty, out of your reach. To rename a collection or field, write "renamedFrom":"old name" beside the new one, or its values are lost. A change that loses test data waits for a person, who confirms it under Data. Try the rules with backend_request as guest and as two users. backend_logs says why pages and functions fail.`
