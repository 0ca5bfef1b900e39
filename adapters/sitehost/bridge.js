// The bridge between a page of a preview and the studio that frames it. They have different
// origins, so they exchange messages. Every message is an object with a `source`, which
// identifies the sender, and a `type`.
//
// Messages of the page, with source 'atelier-preview':
//
//	{type: 'location', path, title, back, forward, first}  where it is now: path with
//	    query and fragment, and whether it can go back and forward. first marks a page
//	    that has just loaded. Sent again whenever any of it changes.
//	{type: 'picked', element}  the element that is picked, null for none (picker.js
//	    lists its fields). Sent again whenever any of them changes.
//	{type: 'picking', on}  the user began or ended picking in the page itself.
//	{type: 'several', elements}  the elements that are picked together with it, each with tag,
//	    loc, selector, says and trail.
//	{type: 'layers', layers}  the elements with a known place (layers.js lists the fields). Sent
//	    again whenever any of it changes.
//	{type: 'drop', from, to, after, trail}  the user moved an element beside a sibling: tag, loc
//	    and selector of both, and where the element will be. Both are null if they are no siblings.
//	{type: 'arrange', to}  the user asked to 'delete', 'duplicate' or 'wrap' the picked elements.
//	{type: 'chosen'}  the user pressed the picked element, or Enter.
//	{type: 'write'}  the user wants to write the text of the picked element on the page.
//	{type: 'written', text}  the user has written this text.
//	{type: 'step', to}  the user asked for 'undo' or 'redo' while picking.
//	{type: 'pinned', found}  the pins whose elements are on the page, each with its id and
//	    its element's place in the sources now. Sent again whenever any of it changes.
//	{type: 'pin', id}  the user pressed this pin.
//	{type: 'user', text}  what PocketBase's client keeps of the end user who is signed
//	    in, null for nobody. Sent again whenever it changes.
//	What client.js hears of builds, with the type that it has there, and what it says
//	    of the page: {type: 'begun'} when the page begins to load, {type: 'crashed',
//	    cause} when an error left it blank, {type: 'recovered'} when it shows something
//	    again. cause is the error with its stack.
//
// Messages of the studio, with source 'atelier-studio':
//
//	{type: 'hello'}  asks for the location again.
//	{type: 'user', text}  what a page at an earlier address of this preview sent.
//	{type: 'navigate', path}, {type: 'reload'}, {type: 'back'}, {type: 'forward'}
//	{type: 'pick', on}  begin or end picking.
//	{type: 'select', trail, tag}  pick the element that stands there: trail counts
//	    children from the root of the document, tag is its name.
//	    With also, the element is picked together with the picked one, or no longer.
//	{type: 'layers', on}  begin or stop sending the layers.
//	{type: 'hover', trail, tag}  mark an element, or none.
//	{type: 'arrange', to}  what the page sends, or 'earlier' and 'later' among the siblings.
//	{type: 'drop', from, tag, to, over, after}  as the page's, by trails and names.
//	{type: 'tokens', css}  show these declarations of tokens before they are saved.
//	{type: 'move', to}  pick a neighbour: 'parent', 'child', 'next' or 'previous'.
//	{type: 'show', property, value, variant}  show a value in the picked element before it
//	    is saved: 'textContent', 'src', 'alt', 'className', or a CSS property; null
//	    shows again what was there when the element was picked. With a variant, which
//	    may be '', the value becomes a class.
//	{type: 'write'}  let the user write the text of the picked element.
//	{type: 'pins', pins, active}  show these pins instead of earlier ones (pins.js lists
//	    their fields), and one of them as the active one.
//	{type: 'reveal', id}  scroll to the element of this pin.
//	{type: 'settle'}  what is shown for classes is saved, and the next build has it.
//
// The page accepts messages only from its parent window and the studio's origin. The studio
// accepts only those of the frame's window and the preview's origin, and checks every
// field, because any script in a page can imitate this one.

const studio = document.querySelector('script[src="/@atelier/client.js"]')?.dataset.studio ?? '';

/** tell sends the studio a message. */
export function tell(message) {
  window.parent.postMessage({ source: 'atelier-preview', ...message }, studio);
}

addEventListener('message', ({ origin, source, data }) => {
  if (origin !== studio || source !== window.parent || data?.source !== 'atelier-studio') return;
  hear(data).catch(() => {});
});

async function hear(message) {
  switch (message.type) {
    case 'hello': return tellPlace(true);
    case 'navigate': return navigate(message.path);
    case 'reload': return location.reload();
    case 'back': return window.navigation?.back();
    case 'forward': return window.navigation?.forward();
    case 'user': return restoreUser(message.text);
    case 'layers': case 'hover': case 'tokens': case 'arrange': case 'drop':
    case 'pick': case 'select': case 'move': case 'show': case 'settle': case 'write': {
      const picker = await import('/@atelier/picker.js');
      return picker.hear(message);
    }
    case 'pins': case 'reveal': {
      const pins = await import('/@atelier/pins.js');
      return pins.hear(message);
    }
  }
}

// navigate goes to a path of this host. Other hosts are not part of the preview.
function navigate(path) {
  const to = new URL(String(path), location.href);
  if (to.origin !== location.origin) return;
  if (to.href === location.href) location.reload();
  else location.assign(to);
}

// The end user. PocketBase's client keeps the session in the storage of the page's host. The
// host of a preview changes with the members of its project, so the studio carries the
// session from one host to the next. It is of test data.

const userKey = 'pocketbase_auth';
const maxUser = 32_000;
let toldUser;

function storedUser() {
  try {
    return localStorage.getItem(userKey);
  } catch {
    return null; // A page without storage has no session to keep.
  }
}

function tellUser() {
  const text = storedUser();
  if (text === toldUser || text?.length > maxUser) return;
  toldUser = text;
  tell({ type: 'user', text });
}

// restoreUser signs the end user in where nobody is. The page's scripts have looked already,
// so it loads again.
function restoreUser(text) {
  if (typeof text !== 'string' || text === '' || text.length > maxUser || storedUser() !== null) return;
  try {
    localStorage.setItem(userKey, text);
  } catch {
    return; // As above.
  }
  location.reload();
}

// A page gets no event for its own changes of its storage.
setInterval(tellUser, 1000);
for (const type of ['storage', 'pagehide']) addEventListener(type, tellUser);
tellUser();

// History. The navigation API lists only the frame's entries, while history also goes
// through the studio's.

let told = '';

function tellPlace(again = false) {
  const place = {
    type: 'location',
    path: (location.pathname + location.search + location.hash).slice(0, 2000),
    title: document.title.slice(0, 200),
    back: window.navigation?.canGoBack ?? false,
    forward: window.navigation?.canGoForward ?? false,
  };
  const text = JSON.stringify(place);
  if (text === told && !again) return;
  tell({ ...place, first: told === '' });
  told = text;
}

window.navigation?.addEventListener('currententrychange', () => setTimeout(tellPlace));
for (const type of ['popstate', 'hashchange', 'load', 'pageshow']) addEventListener(type, () => tellPlace());
new MutationObserver(() => tellPlace()).observe(document.head ?? document.documentElement, { childList: true, subtree: true, characterData: true });
// A page restored from the back/forward cache counts as just loaded.
addEventListener('pagehide', () => { told = ''; });
tellPlace();
