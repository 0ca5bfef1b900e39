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
await watch(pb, "entries", { sort: "-created" }, (records) => …) // live; returns its end
In plain HTML <form data-atelier="entries"> creates one.
create({ photo: file }) uploads; pb.files.getURL(record, record.photo) shows
src/backend.gen.ts has watch and the types of records (EntriesRecord) and functions. Leave it.

functions/hello.ts answers at /_fn/hello on the server, for secrets, mails, AI (ctx.ai) or by the clock (schedule): export default async (req: Request, ctx: FunctionContext) => Response. That file says what ctx has.

backend/seed.json fills test data that have no record yet: {"users":[{"id":"ana","email":"ana@example.com","password":"a long one","name":"Ana"}],"entries":[{"text":"Hello","author":"ana"}]}. Add later records with backend_request as owner.

The preview has test data, the published site live data, which begin empty, out of your reach. To rename a collection or field, write "renamedFrom":"old name" beside the new one, or its values are lost. A change that loses test data waits for a person, who confirms it under Data. Try the rules with backend_request as guest and as two users. backend_logs says why pages and functions fail.`

// designFile is where a project may have a guide of its own. The model reads DesignGuide there until it
// does.
const designFile = "DESIGN.md"

// DesignGuide tells a model how to design, for new pages and a new look: at most 800 tokens.
const DesignGuide = `The project has no DESIGN.md of its own, so this goes.

Begin with what is there: the theme's tokens, the components, the spacing of the other pages. A new page looks like their sister. For a new look, change the tokens first.

Hierarchy: one thing on a page matters most. Give it size, weight or space, not all three. Group by space before you draw lines and boxes.
Type: 12, 14, 16, 20, 24, 32, 48 px. Text 16 px with a line height of 1.5, headings 1.1 to 1.25, lines of 45 to 75 characters, two weights. Numbers in columns: tabular-nums, aligned right.
Space: 4, 8, 12, 16, 24, 32, 48, 64 px. Less inside of a group than between groups. Sections 64 to 96 px apart on wide screens, 40 to 56 on phones.
Colour: neutrals carry the page. One accent, for what can be pressed and nothing else. Red, amber and green for states only. Contrast 4.5:1 for text, 3:1 for controls and their edges, in light and in dark. In dark, what is raised is lighter, and colours are less saturated.
Layout: content at most 1200 px wide, text 680. At 390 px one column, targets of 44 px, nothing that scrolls sideways; tables become lists, a navigation becomes a menu.
States: each control has hover, focus-visible (a ring), active, disabled and busy. Each list has loading (a skeleton of its shape), empty (what it is for, and the button to begin), failed (what happened, and the button to try again), one entry, and many with long names.
Forms: a label above each field, never a placeholder in its place. type, autocomplete and inputmode. One column. The error is below its field and says what to enter; what was typed stays. One main button, named by what it does: "Book the room", not "Submit". Then say that it worked, and show the result.
Pictures: the project's or the person's own, or painted if there is a tool for it, or none: a plain surface is better than a grey box or a link to somebody else's server. Width and height set, object-fit: cover, alt text that says what matters, an empty one for decoration. Icons of one set in 16, 20 or 24 px; one that stands alone has a name.
Motion: 120 to 200 ms for what changes by a press, none with prefers-reduced-motion.
Words: short, in the person's language, one word for one thing. Buttons are verbs. Dates, numbers and money by Intl.

At the end look at 390 and at 1440 px, in light and in dark, and take away what the page does not need.`
