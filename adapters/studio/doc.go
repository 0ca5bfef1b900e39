// Package studio serves the web page in which people use Atelier. The page is a
// client of the public interface like any other: the package calls no use case.
//
//	web/    the sources, TypeScript with Preact
//	locks/  which packages they are built with
//	NOTICES.txt  the licences of these packages
//	dist/   what was built of them (`make studio`), which the program carries
//
// Unit tests are beside the modules that they test, as name.test.ts. They hold what
// needs no page, and run in Node.js (bootstrap/tools/studio, TestUnits); what needs one is
// played in a browser (bootstrap/stories/browser).
//
// Everything in dist is public and the same for everybody; what depends on the
// installation is written into the page (Config).
//
// # A client like any other
//
// The studio calls the public interface with the session's cookie, which its scripts cannot
// read. Of the service it knows only the few words that page.go writes into the page: which
// sign-ins there are, the domain of sites, whether a session's cookie came along, whether
// nobody has an account yet, who may sign up, the version, a nonce. Some of its addresses are the API's as well (/projects/:id). A browser that goes
// there, or to an unknown address, gets the page; any other client gets the API (handler.go).
//
// The content security policy allows scripts of the build alone, frames of previews alone, and
// no text that becomes HTML. Trusted types are on, and the only policy makes one constant, the
// address of the service worker, so a slip in the sources fails in the browser instead of
// running what a model wrote. Markdown is parsed into
// a tree and becomes elements one by one.
//
// # The sources
//
//	web/main.tsx        renders the application
//	web/app             session, routes, the frame of all pages, the palette of commands, theme
//	web/api             calls (client.ts: renewal of the session, errors with codes), streams,
//	                    loading, the records
//	web/ui              the parts that all pages are made of; there is one of each
//	web/text            all words, a folder a language, a file an area; the English ones are
//	                    the type of the others; index.ts chooses the language
//	web/styles          tokens.css has every colour and size (make lint-studio refuses literal
//	                    ones elsewhere); type.css the typeface; one file a part
//	web/pages           the pages; those of a project are panes that share
//	                    pages/project/store.ts and never call each other
//
// Every page is a chunk of its own, loaded while the session is being looked up. The editor is
// one more, loaded when code is opened; the editor's languages load with the first file that
// has them. weight_test.go bounds what is loaded. bootstrap/tools/studio holds dist to being
// the same bytes when it is built again: the builder is deterministic, and the lock names
// every package with its digest. Its TestTheTypesHold checks types like those of any project.
//
// # Installed
//
// The studio can be installed: manifest.webmanifest, icons (drawn from favicon.svg), and a
// service worker (web/public/worker.js). The worker answers only navigations, and only when the
// service cannot be reached, with a page whose words web/app/installed.ts tells it. It keeps no
// script, page or answer, so an update needs no help and nothing personal stays. Addresses in
// the manifest are relative to it, because APP_URL may have a path.
//
// # Adding a page
//
//  1. Write a component in web/pages, and its line in web/app/routes.tsx.
//  2. Add its address to handler.go and its test.
//  3. Add its words in every language of web/text.
//  4. Add its visit to bootstrap/stories/browser/studio_pages_test.go, which holds it to axe's
//     rules, both themes and the width of a phone.
//
// # Adding a language
//
// Copy web/text/en to a folder with the tag of the language, such as fr or pt-BR, and
// translate its files. The builder finds the folder, and with it the language is in all menus.
// words.ts of the folder counts (Intl.PluralRules), lists and formats numbers by the rules of
// the language; texts use it instead of comparing numbers themselves. languages.test.ts holds
// each language to having every text.
//
// # The front page
//
// Visitors without a session see web/pages/front at the root. What they type there is kept in
// the tab (web/app/wish.ts) and built when they are signed in; the dashboard does that. Who has
// signed in with the browser goes from the root to the dashboard without a request. page.go
// names the chunk of whichever page it will be, so that it loads with the first scripts.
//
// # The dashboard
//
// What the dashboard (web/pages/dashboard) shows is its address (place.ts: folder, search,
// visibility, trash), so going back and reloading lead to the same. desk.ts is what its parts
// share; Doing names the one dialog that is open. Lists are paged by 24. A search or filter
// covers all folders and keeps earlier results in sight. Uploads use XMLHttpRequest
// (api/upload.ts), since fetch reports no progress. Names of people and projects are isolated
// from the text around them, in sentences by isolate, in elements by <bdi>. A wish that was
// typed is kept until a project was made of it.
//
// # Keys, commands and the manual
//
// web/app/shortcuts.ts is the table of all keyboard shortcuts: their keys, the place in which
// they count, and their words. A page binds functions to their ids (useShortcuts in keys.ts),
// and one listener runs the one of the innermost place. The palette, labels and the list that
// a question mark opens read the table. A new shortcut is a line of it; its test finds
// conflicts. The palette (palette.tsx) shows what pages offer (useCommands in commands.ts).
//
// The manual (web/text/LANG/manual.ts) is data, in a chunk of its own a language. Its test
// holds it to the topics, links and shortcuts that there are. latestNews in web/app/news.ts
// is the newest entry of the page of news; a browser that has read an older one shows a dot.
//
// # Own settings
//
// After a change of password the studio signs in again at once, because all sessions ended
// with the old password (web/pages/settings). A 401 invalid_credentials never renews a
// session, so a wrong password counts once.
//
// # The preview's frame
//
// The studio and a preview's page talk by messages alone. adapters/sitehost/bridge.js lists
// them; web/pages/project/preview/messages.ts is the other side, which checks every field. A
// page that says nothing after it was loaded (a picture, a notice) makes the studio ask where
// the preview is now: the token in its host may have changed. The session of the page's end
// user moves along (visitor.ts): the studio keeps its text for the tab and the project until
// somebody signs out, never reads it, and sends it to the exact origin of the project's preview
// alone. A hostile page can thus plant a session in its own project, which it can do anyway.
//
// Editing on the page: the picker tells the element's place (data-loc, which the preview's JSX
// runtime puts there) or, for pages that are files, a selector that it has tried on the file's
// own source. The studio shows values at once through the bridge and saves them by
// direct-save. Before that it checks whether the element's tag is at that place, and follows
// the place through its own latest changes if the page has not caught up (patch.ts). Undo
// reverts the diff that direct-save answered, in the file as it is now (If-Match), so changes
// of others elsewhere in the file stay.
//
// # Chat
//
// In web/pages/project/chat, events.ts has the events of the interface and log.ts is a pure
// function from events to what is shown. state.ts is a state machine: which states a chat can
// be in and what follows from what, without the page or the service. conversation.ts drives
// one chat by it. It loads pages (history.ts, which cuts where a turn begins), sends with
// detach, follows streams and reconnects. An event is taken when its seq is the next one. An
// older one is a repetition. A later one is a gap: the stream is left and requested again
// after the last event that was taken. queue.ts keeps messages until they are accepted, also
// the one that is being sent, so nothing that was typed is only in the air; of several tabs,
// one sends it.
//
// Events are shown once a frame. reader.ts is an incremental reader of Markdown: finished
// blocks are read and rendered once, the last two blocks with every frame, a code block line
// by line; a window bounds the cost of one reading, whatever a model writes. markdown.tsx and
// inline.tsx turn marked's tokens into elements. Tags are text, images are links, links lead
// to http, https and mailto only, and characters that change the direction of text are shown
// as what they are.
//
// The agent's list of steps (todo.ts) is shown once a turn, in the place of its calls. A run that
// ended with a question shows the choices; one is sent like any message.
//
// # Code
//
// In web/pages/project/code, Desk holds the open files of a project and follows store.files,
// store.wanted and store.diagnostics. OpenFile is one of them: its CodeMirror state (kept
// whether shown or not, with one EditorView for all), the text that the service has (base,
// etag), and how the two come together. reconcile takes the service's text in place when the
// file is clean, by a three-way merge of lines when it is dirty, and else keeps both until the
// person chooses. state.ts is its state machine.
//
// Saver saves with a debounce of 600 ms after the last key, always with If-Match (optimistic
// locking), and with back-off while the service cannot be reached. Calls about one file never
// overtake each other. drafts.ts keeps unsaved text and its base through reloads. lines.ts and
// merge.ts are pure. A file keeps its bytes: BOM, CRLF, mixed line ends, a missing last
// newline.
//
// In code/assist, TypeScript's language server helps (core/codeintel): Assist asks the service,
// with the text that the editor has; extension.ts shows the answers as completions, hovers and
// definitions, and Desk those about mistakes beside the build's. Until the service has said that
// it has a language server, and where it has none, the editor is as without. Questions that were
// overtaken by typing are aborted. An import that belongs to a completion is mapped over what was
// typed while it was on its way. Saving by hand formats; saving by itself never does, because it
// happens while somebody types.
//
// # Data
//
// In web/pages/project/data, DataDesk holds the state of the project's backend and which of its
// two environments is shown; live data has a colour of its own, and a question before every
// change. RecordList holds the pages of a collection that were loaded; the table renders visible
// rows only. Labels looks up what records are called that others refer to. rules.ts says in words
// who may do what, and shows a rule as it is when words would simplify it. values.ts turns
// values into what people enter and back, and divides the message of a refused record by its
// fields. A plan that loses data is shown by schema-plan.tsx, here and before publishing.
//
// # Live rooms
//
// A project's page has one socket of atelier.v1 (web/pages/project/live): who is there, and
// what they and the agent do. Pages poll only while it is down. Link is what both kinds of
// sockets are made of. It reconnects, renews a session that expired (4401), detects networks
// that swallow everything (a question is answered within 8 seconds), and gives up on 4403 and
// the other 44xx, which the page says. An event of a chat makes the conversation follow the
// run's stream; its seq keeps known events from showing twice.
//
// The code pane has a second socket, of y-websocket (web/pages/project/code/room). Room is the
// reader's copy of the document, Shared holds one file's editor and its Y.Text together,
// Whereabouts tells and shows cursors, Company brings the open files into the room. There is
// one rule. A file is edited in the room as soon as the room has it and nothing is unsaved
// here. It leaves the room, with its text, when the room has another text or none under its
// path, or takes no edits; it continues as without rooms (If-Match and a three-way merge)
// until it can join again.
//
// A file in the room stays there while the connection is gone ("Offline, your edits are kept
// here"); Yjs brings the edits over. "Saved" means that the disk has the editor's text:
// file.changed tells, and after 3 seconds without news the page looks. What the room has not
// confirmed is kept through a reload as a draft; an answer to sync step 1 confirms all before
// it. Undo is the editor's own: changes of others are not in its history, which it maps over
// them. Positions in the editor count a line's end as one character, those in the document
// count its characters. Shared translates, so files with CRLF stay as they are.
//
// # Why these packages
//
//	preact, @preact/signals  components in 5 KB, and state that changes only what shows it
//	preact-iso               routes, and pages that are loaded when somebody goes there
//	@fontsource-variable/geist  the typeface, 29 KB for all weights; the page names it, so that
//	                         it is there with the first paint
//	lucide                   icons, each a module of its own: a page loads those that it shows
//	marked                   parses Markdown; its tokens become elements and its HTML is not
//	                         used, so there is nothing to sanitise
//	codemirror               the editor: small next to its peers, usable on phones and by
//	                         screen readers, and styled with a nonce instead of inline styles
//	yjs, y-protocols, lib0   the document of a room, in the contract's format, and the messages
//	                         of y-websocket
//
// Two packages are not used. y-websocket reconnects forever, whatever the close code, while
// both sockets of the page need the same rules, so one Link serves both. y-codemirror.next
// counts every line end as one character, which breaks CRLF files; follows only while an
// editor is shown, while tabs in the background must follow too; and overwrites the awareness
// field cursor, which the contract gives another form.
package studio
