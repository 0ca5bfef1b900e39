var e=[{id:"first-app",title:"Your first app",about:"From an idea to a page that works, in one sentence.",words:"start begin new project create template import getting started",picture:{name:"workbench",alt:"A project: the chat on the left, the finished page on the right."},text:`
You don’t need to know how to program. Say what you want in your own words; the agent writes the app, and you see it as it grows.

1. Go to [Projects](/dashboard) and describe your app: what it does, who uses it, and how it should look.
2. Press **Build**. The chat shows what the agent does, step by step. The page appears beside it.
3. Try the page. It’s not a picture; it works. Click buttons, fill in forms.
4. Say what should change, one thing at a time: “Make the title bigger”, “Add a page with opening hours”.

## Good first sentences

- “A site for my bakery with opening hours, prices, and directions.”
- “A habit tracker where I check off each day.”
- “A quiz about capitals that counts the right answers.”

## Other ways to start

A template gives you a finished page to change. “Share as a template…” in the menu of a project makes one for everyone in the workspace. If you have a project as a ZIP file or in Git, import it on the dashboard.`},{id:"import",title:"Bring your project",about:"Go on here with what you began in Lovable, Bolt, v0, Firebase Studio, Replit or elsewhere.",words:"import zip git github lovable bolt v0 firebase studio ai studio replit figma make base44 dyad vite create react app supabase move migrate export",text:`
1. Get the project’s files from the other builder as a ZIP file, or push them to a Git repository.
2. Go to [Projects](/dashboard) and press **Import…**, or drop the ZIP file on the page.
3. Read what we changed and what is still missing, then open the project. The agent can do the rest: “Make this run here.”

Most projects run right away. If one needs tools of its own, its preview says why and takes a minute for the packages. Settings in \`vite.config\`, \`tsconfig.json\` and \`tailwind.config\` are followed.

## Lovable

Connect the project to GitHub there, then import the repository or its ZIP file. The page keeps using Supabase if you add \`VITE_SUPABASE_URL\` and \`VITE_SUPABASE_PUBLISHABLE_KEY\` to the environment variables under **Publish**. Or move the data here, as described below.

## Bolt and dyad

Download the project as a ZIP file and import it. Variables of the old project go into the environment variables under **Publish**.

## v0

Download the ZIP file. The project is made with Next.js and runs with its own tools. A published site consists of files, so the project needs \`output: 'export'\` in its \`next.config\`; ask the agent to add it.

## Firebase Studio and AI Studio

Download the files as a ZIP file. Next.js projects work as those from v0. An app from AI Studio runs as it is, but a Gemini key that its page uses can be read by everyone: ask the agent to move the call into a function, and store the key as a secret.

## Replit

Download the ZIP file. If the project has a server, the preview runs it too, but a published site has pages only: ask the agent to rebuild what the pages need as functions and data.

## Figma Make

Download the code and import the ZIP file. Imports with versions in their names (\`package@1.2.3\`) work as they are.

## Everything else

Plain pages, Vite, Create React App, Vue, Svelte, Astro and other projects with a \`package.json\` can be imported the same way. Of a repository with several apps, import the folder of one.

## Your data

The tables of Supabase or another Postgres database become collections under **Data**, **Tables from Supabase or Postgres…**: from the project’s own \`supabase/migrations\`, or from a file that \`pg_dump --schema-only\` writes. You see the collections with their rules before they are saved, and what could not be taken over.

Then export each table as CSV or JSON, and import it into its collection: first those that others refer to.

Ids that don’t fit here, such as UUIDs, are replaced in all tables alike, so relations stay. If you import a file again, the records that it made are changed, not doubled. If something in a file is wrong, you see all of it at once, and nothing is imported.`},{id:"agent",title:"Talking to the agent",about:"How to ask so that you get what you mean.",words:"chat prompt message ask plan build mode image file stop queue mention command",text:`
The agent reads your project before it changes anything, looks at the page afterward, and fixes what doesn’t work.

## What helps

- Say what you see and what you want to see instead: “The button is hidden behind the picture. Put it below.”
- Attach a picture: a sketch, a screenshot or a photo. Paste it or drop it on the message field.
- Type \`@\` to name a file, and \`/\` for commands of your workspace.
- Pick an element on the page to talk about exactly that one.

## Three modes

- **Build** changes your project.
- **Plan** thinks first and shows you its steps. Nothing changes until you agree.
- **Ask** only answers questions.

## While it works

You can keep writing; your messages wait their turn. {stop} or the square button stops it; what it has done so far is kept. You can edit an earlier message and send it again, and restore the files to how they were then.`},{id:"editing",title:"Editing on the page",about:"Change words, colors and spacing by clicking on them.",words:"visual edit click text color font size image style undo design",picture:{name:"visual-edit",alt:"A heading is selected on the page; the panel beside it changes its text and type."},text:`
You don’t need the agent for small changes. Press **Edit** above the preview and click on what you want to change.

- Change the text, its size, weight and color, the space around it, the corners, or an image.
- You see the change right away, and it’s saved automatically.
- {undo} undoes, {redo} brings it back.
- {toParent} selects the parent of the element, {toChild} its first child.
- {leaveEditing} stops editing. What you changed becomes a version.

If a text comes from a list or a calculation in the code, the panel shows the place where it is. Or ask the agent: the field for that is in the same panel.`},{id:"versions",title:"Versions and undo",about:"Nothing is lost: go back to any earlier state.",words:"history undo restore back save point git compare star name",text:`
Every change becomes a version: the agent’s changes, yours on the page, and those in the code. Open **Versions** in a project to see them.

- **Look at it** shows an old state without restoring it.
- **Undo** undoes one change and keeps everything that came after it.
- **Restore** brings the whole project back to a version. That is a new version too, so you can go back again.
- **Last working version**, shown when a page crashes or no longer builds, finds the newest version that works and offers to restore it.
- Give a version a name or a star to find it again, and compare any two.

Your files are a Git repository. Its address is under **Versions** if you want to work with your own tools.`},{id:"publishing",title:"Publishing and domains",about:"Put your app on the web, under your own name.",words:"publish deploy site url address domain dns cname live password visits rollback seo title",text:`
1. Press **Publish** in a project and choose an address.
2. Your app is built, checked, and then live for everyone. Changes you make later are not shown until you publish again.

## Your own domain

Add the domain under **Publish**. You get records to set where you bought the domain (your registrar). We check them automatically, which can take up to an hour. The HTTPS certificate is automatic, too.

## How the site presents itself

Title, description, the picture in link previews, language and the page for wrong addresses are in the site's settings. There you also choose who can open it: everyone, people with a password, or your workspace.

## If something went wrong

Each publish is listed as a deployment. You can look at an earlier one and roll back to it in a second. **Unpublish** takes the site off the web; the project stays.`},{id:"data",title:"Data and users",about:"Let your app remember things, and let people sign in to it.",words:"database backend records collection table form sign-in login account users rules test live export",picture:{name:"data",alt:"The entries of a guestbook in a table."},text:`
Ask the agent for something the app must remember (“Keep the orders”, “People can sign in”) and it sets up data for your project. Open **Data** to see it as tables.

- Each kind of thing is a **collection**, each entry a **record**.
- **Test data** belongs to the preview: play with it as you like. **Live data** belongs to the published site and has a color of its own. They never mix.
- **Rules** say who can read and write what, in plain words.
- People who sign in to your app are in the collection of users. They are not members of your workspace.
- You can import and export tables as CSV and keep snapshots to go back to.

If a change to the collections would lose data, you see what would be lost before it happens.`},{id:"functions",title:"Functions",about:"Code that runs on the server: secrets, email, other services.",words:"server api secret key mail environment variable function schedule log",text:`
Some things must not happen in the browser, where everyone could read them: a secret key, a payment, an email to your customers. For these, the agent writes **functions**, which run on the server.

- Ask for what you need: “Send me an email for each order.” The agent writes the function and the page that calls it.
- Keys of other services go into **Environment variables** under **Publish**, marked as secret. Never paste them into the chat.
- **Logs** in the data pane show what was called, how long it took, and what failed.`},{id:"checks",title:"Checks",about:"Steps that run automatically before you publish.",words:"test check automatic quality publish broken",text:`
A check is a small story about your app: “Open the page, add a task, see it in the list.” A browser runs it just as a person would.

- Ask the agent to write checks, or accept those it proposes.
- They run before each publish. If one fails, you see at which step, with a picture, and your site stays as it is.
- **Fix it** hands the problem to the agent.`},{id:"tasks",title:"Tasks",about:"Get several things done at once, each on its own copy.",words:"parallel board copy branch merge background",text:`
A task works on a copy of your project. You can give several at once and keep working in the meantime.

1. Open **Tasks** in the project and describe what needs to be done.
2. When a task is done, look at its page and its changes.
3. **Merge** brings them into your project; **Discard** throws them away.

If two tasks changed the same lines, you are asked which text stays.`},{id:"sharing",title:"Sharing",about:"Show your work to others, with or without an account.",words:"share link preview qr phone public private visibility comment feedback review pin",text:`
**Share** is beside the project's name.

- **Private**: you and the admins of the workspace. **Workspace**: all its members. **Public**: everyone with an account here can view it, and only members can change it.
- A **preview link** shows the page as it is now to anyone, with test data, without an account. You choose when it ends, and can end it at any time.
- The **QR code** opens it on a phone.

## Comments

Press **Comment** above the preview, choose something on the page, and write. Everyone in the project sees the comment at once, pinned to its element, and can reply.

- **Ask the agent** sends the comment to the chat, with the place it is about. When the agent is done, **Resolve** it.
- **Copy link** in a comment’s menu leads others right to it.
- If the element is gone from the page, the comment stays in the list.`},{id:"team",title:"Working as a team",about:"Invite people and work in the same project at the same time.",words:"workspace member invite role owner admin live together follow audit",text:`
A **workspace** holds projects, people and AI providers. You have a personal one; create others for your teams in the menu at the top left.

- Admins invite people by email under **Workspace → Members**, or copy the link and send it themselves.
- **Members** build. **Admins** also manage people, providers and domains. **Owners** can do everything.
- Several people can write in the same file. You see their cursors; click on a face to follow someone, and press {unfollow} to stop.
- The **security log** of a workspace says who did what.`},{id:"models",title:"Models and costs",about:"Which AI answers, and what it costs.",words:"provider api key openai anthropic ollama token price limit budget usage demo",text:`
The agent needs a language model. Without one, a small demo answers, which builds a few fixed examples.

- An admin connects a model under **Workspace → AI providers**: paste a key of OpenAI, Anthropic or a compatible service, or use a model on your own computer with Ollama. A test shows whether the model can do what the agent needs.
- You choose the model for a message below the message field.
- **Workspace → Usage** shows tokens and costs by day, model and person. Admins can set a limit; the agent stops when it is reached.

Large models cost more and make fewer mistakes. For small changes a small one is enough.`},{id:"code",title:"The code",about:"Read and change the files yourself.",words:"file editor search replace regex upload download zip type typescript quick open",picture:{name:"code",alt:"The files of a project, and one of them in the editor."},text:`
You never have to, but you can: **Code** has all files, in an editor that saves automatically.

- {quickOpen} opens a file by part of its name; the ones you opened last come first.
- {search} searches all files. **Replace** shows what would change before anything does, and becomes one version.
- In TypeScript and JavaScript, the editor completes names, marks mistakes while you type ({nextProblem} goes to the next one), and says what the name under the pointer is. {definition} goes to where it’s defined. {save} also formats the file, unless you turn that off below the editor; {format} formats it at any time.
- **Check types** finds mistakes in all files that the build doesn’t.
- Drop files from your computer on the list to upload them.`},{id:"keyboard",title:"Keyboard",about:"Everything can be reached without a mouse.",words:"shortcut key keys hotkey command palette accessibility screen reader",text:`
- {shortcuts} shows the shortcuts for where you are.
- {palette} opens the commands: type what you want to do, or the name of a project, chat or file.
- {pane1}, {pane2} and so on switch between the parts of a project; {toggleChat} shows or hides the chat.
- In the editor, Tab indents. Press {stop}, then Tab, to leave it.`},{id:"privacy",title:"Privacy and security",about:"What is stored where, and who can see it.",words:"data secret password passkey two-step 2fa session token encryption delete account gdpr",text:`
Atelier runs on a server that someone operates for you. Your projects and data stay there and go nowhere else.

- What you write to the agent, and the files it reads for that, go to the model provider that your workspace uses. With a model on your own server, nothing leaves it.
- Keys are stored encrypted and never shown again. Passwords are stored as hashes only.
- Preview pages run on addresses of their own, apart from your account.
- Under [Settings → Security](/settings/security) you can see where you’re signed in, end sessions, change your password, add a passkey (fingerprint, face or screen lock) or a code from an app to signing in, download what your account holds, and delete the account.
- Deleted projects are kept in the trash for a while, then removed for good.`}],t=[{id:"2026-11",title:"November 2026",text:`
- The **code editor** completes names, shows types and mistakes while you type, goes to definitions ({definition}), and formats when you save.
- **Search and replace** in all files, with a preview, by path, and with undo.
- **Shortcuts**: press {shortcuts} to see those of the page. The commands ({palette}) have groups, recent ones, files, chats and models.
- This **manual**.
- **Data**: collections, records, sign-in for the users of your app, rules in plain words, snapshots, logs and functions.
- **Checks** that run in a browser before each publish.
- **Tasks** that work on copies of your project at the same time.
- **Comments** on the page, pinned to an element, that the agent can be asked to do.
- **Preview links** for anyone, with QR codes.
- **Versions** with names and stars, a look at old ones, and a comparison of any two.
- **Sites** have a title, a description, a picture, a password, and count their visits.
- **Sessions**: see where you are signed in, and sign out elsewhere.
- **Commands** (\`/\`) and references (\`@\`) in the chat; edit an earlier message and send it again.`}];export{t as news,e as topics};
