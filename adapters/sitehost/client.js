// The preview's client, which runs in every page of a preview. It updates the page to the
// newest build, shows build errors, and reports errors of the page.

const script = document.querySelector('script[src="/@atelier/client.js"]');
let shown = script?.dataset.build ?? '';
const studio = script?.dataset.studio ?? '';
// A page of a development server shows its own errors.
const showsItself = script?.dataset.runtime === 'node';
// Only the studio may frame this page (frame-ancestors).
const framed = studio !== '' && window.parent !== window;
if (framed) import('/@atelier/bridge.js').catch(() => {});
tellStudio({ type: 'begun' });

// Builds

// Updates run one at a time: each starts from the modules that the previous one left.
let updates = Promise.resolve();

// refusedFor is the delay, in milliseconds, before a new attempt if the stream was
// rejected. Browsers reconnect by themselves only after a broken connection.
const refusedFor = 10_000;
listen(refusedFor);

function listen(wait) {
  const events = new EventSource('/@atelier/events');
  events.onopen = () => { wait = refusedFor; };
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, wait * (1 + Math.random()), Math.min(wait * 2, 300_000));
  };
  events.onmessage = (message) => {
    const { modules, ...event } = JSON.parse(message.data);
    if (event.type === 'moved') {
      events.close();
      if (!framed) leave(event);
      return;
    }
    tellStudio(event);
    if (event.type === 'build.error') {
      if (!shown) renewNotice();
      else if (!showsItself && !framed) showDiagnostics(event.diagnostics); // The studio shows them itself.
    } else if (event.type === 'build.ok') {
      // The first event repeats the page's own build, so its error is still valid.
      if (event.build !== shown || !ofPage) hideDiagnostics();
      updates = updates.then(() => follow(event.build, modules));
    }
  };
}

async function follow(build, modules) {
  if (build === shown) return;
  const how = await update(modules);
  if (how === 'reload') {
    reloadFor(build);
    return;
  }
  shown = build;
  if (how !== 'failed' && hasFailed) recover();
}

// update lets the page's runtime, if its build has one, replace changed modules. It
// requests a list of modules that the event does not contain.
async function update(modules) {
  const runtime = globalThis.__atelier;
  if (!shown || !runtime) return 'reload';
  try {
    if (modules) return await runtime.update(modules);
    const answer = await fetch('/@app/modules.json', { cache: 'no-cache' });
    if (!answer.ok) return 'reload';
    return await runtime.update(await answer.json());
  } catch (error) {
    console.error(error);
    showFailure(error);
    return 'failed';
  }
}

// If a page is still old after a reload, it comes from elsewhere, such as a service worker.
// Further reloads would not help.
const reloadedFor = 'atelier:reloaded-for';
if (remembered() === shown) remember('');

function reloadFor(build) {
  if (remembered() === build) return;
  remember(build);
  location.reload();
}

function remembered() {
  try {
    return sessionStorage.getItem(reloadedFor) ?? '';
  } catch {
    return ''; // A page without storage has no guard.
  }
}

function remember(build) {
  try {
    sessionStorage.setItem(reloadedFor, build);
  } catch {
    // As above.
  }
}

function tellStudio(event) {
  if (framed) window.parent.postMessage({ source: 'atelier-preview', ...event }, studio);
}

// Moves. The host of a preview changes with the members of its project. The studio leads its frame to
// the next host, and a tab of its own goes there through the studio, which knows who may see it. What
// PocketBase's client keeps of the end user comes along in fragments, which reach no server.

const userKey = 'pocketbase_auth';
const maxUser = 32_000;
const arrivalMark = '#atelier-arrival&';
if (!framed) arrive().catch(() => {});

function leave({ to, code }) {
  const kept = new URLSearchParams({ code, path: location.pathname + location.search + location.hash });
  const user = storedUser();
  if (user && user.length <= maxUser) kept.set('user', user);
  location.replace(`${to}#${kept}`);
}

// arrive signs the end user in who was signed in at the former host, unless somebody is. The service
// says whether this page comes from there, because anybody can make a link with a fragment.
async function arrive() {
  if (!location.hash.startsWith(arrivalMark)) return;
  const kept = new URLSearchParams(location.hash.slice(arrivalMark.length));
  const user = kept.get('user') ?? '';
  history.replaceState(history.state, '', location.pathname + location.search + (kept.get('hash') ?? ''));
  if (user === '' || user.length > maxUser || storedUser() !== null) return;
  const answer = await fetch('/@atelier/arrive', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code: kept.get('code') }),
  });
  if (!answer.ok) return;
  localStorage.setItem(userKey, user);
  location.reload(); // The page's scripts have looked already.
}

function storedUser() {
  try {
    return localStorage.getItem(userKey);
  } catch {
    return null; // A page without storage has no session to keep.
  }
}

// Diagnostics

let overlay = null;
// ofPage is true if the overlay shows an error of the page, not of a build.
let ofPage = false;

function showDiagnostics(diagnostics) {
  show('The build failed. This page shows the last successful build.', diagnostics);
  ofPage = false;
}

// hasFailed is true while the page is that of an older build, because a module of the newest threw, or
// has thrown itself: a newer build may have mended it.
let hasFailed = false;

// showFailure shows an error that a module threw while loading. Only a newer build or a
// reload can fix it. The studio shows it itself.
async function showFailure(error) {
  const message = await located(inWords(error));
  hasFailed = true;
  if (framed) {
    tellStudio({ type: 'failed', cause: message.slice(0, longestCause) });
    return;
  }
  show('The page couldn’t start.', [{ message }]);
  ofPage = true;
}

function recover() {
  hasFailed = false;
  tellStudio({ type: 'recovered' });
}

function show(heading, diagnostics) {
  hideDiagnostics();
  overlay = document.createElement('atelier-diagnostics');
  const root = overlay.attachShadow({ mode: 'closed' });
  const style = document.createElement('style');
  style.textContent = `
    :host { position: fixed; inset: auto 0 0 0; z-index: 2147483647; }
    section { max-height: 60vh; overflow: auto; padding: 16px 20px; background: #1c1917; color: #fafaf9;
      border-top: 3px solid #f87171; font: 13px/1.6 ui-monospace, monospace; }
    h1 { margin: 0 0 8px; font-size: 13px; color: #fca5a5; }
    p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    span { color: #a8a29e; }
    button { float: right; border: 0; padding: 0 4px; background: none; color: inherit; font: inherit; cursor: pointer; }`;
  const panel = document.createElement('section');
  const close = document.createElement('button');
  close.textContent = 'Hide';
  close.onclick = hideDiagnostics;
  const title = document.createElement('h1');
  title.textContent = heading;
  panel.append(close, title, ...diagnostics.map(describe));
  root.append(style, panel);
  document.documentElement.append(overlay);
}

// A page without a build is a notice that lists the errors itself. The first event only
// repeats them.
let listed = document.querySelector('main li') !== null;

function renewNotice() {
  if (!listed) location.reload();
  listed = false;
}

function describe({ path, line, column, message }) {
  const item = document.createElement('p');
  if (path) {
    const place = document.createElement('span');
    place.textContent = line ? `${path}:${line}:${column} ` : `${path} `;
    item.append(place);
  }
  item.append(message);
  return item;
}

function hideDiagnostics() {
  overlay?.remove();
  overlay = null;
}

// Console

// Limits of the reported lines. Errors count separately from other output, so that a loop
// that logs cannot hide them.
const welcome = { grave: 20, casual: 20 };
setInterval(() => {
  welcome.grave = Math.min(20, welcome.grave + 5);
  welcome.casual = Math.min(20, welcome.casual + 5);
}, 1000);

function isWelcome(level) {
  const kind = level === 'error' || level === 'warn' ? 'grave' : 'casual';
  if (welcome[kind] < 1) return false;
  welcome[kind] -= 1;
  return true;
}

// Lines are sent in batches, shortly after the first one.
const batchTime = 100;
let batch = [];

function flush() {
  if (batch.length === 0) return;
  const body = JSON.stringify(batch);
  batch = [];
  fetch('/@atelier/console', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body, keepalive: true,
  }).catch(() => {});
}

addEventListener('pagehide', flush);

async function report(level, message, source = '', line = 0, column = 0) {
  const place = /^(.*):(\d+):(\d+)$/.exec(await located(`${source}:${line}:${column}`)) ?? ['', source, line, column];
  const entry = {
    level,
    message: (await located(String(message))).slice(0, 1000),
    source: String(place[1]).slice(0, 300),
    line: Number(place[2]),
    column: Number(place[3]),
  };
  const lines = batch.push(entry);
  if (lines === 1) setTimeout(flush, batchTime);
  // Browsers limit requests of a page being closed to 64 KiB.
  if (lines === 16) flush();
}

// located replaces places in modules by those in their sources.
async function located(text) {
  return globalThis.__atelier?.locate(text) ?? text;
}

for (const level of ['error', 'warn', 'info', 'log', 'debug']) {
  const write = console[level];
  console[level] = (...values) => {
    write.apply(console, values);
    if (isWelcome(level)) report(level, format(values));
  };
}

// format formats the arguments of a console call as consoles do: the first may be a format string.
function format([first, ...rest]) {
  if (typeof first !== 'string' || rest.length === 0) return [first, ...rest].map(inWords).join(' ');
  const text = first.replace(/%[sdifoOc%]/g, (directive) => {
    if (directive === '%%') return '%';
    if (rest.length === 0) return directive;
    const value = rest.shift();
    if (typeof value === 'symbol') return String(value);
    switch (directive) {
      case '%c': return '';
      case '%d': case '%i': return String(Number.parseInt(value, 10));
      case '%f': return String(Number.parseFloat(value));
      default: return inWords(value);
    }
  });
  return [text, ...rest.map(inWords)].join(' ');
}

function inWords(value) {
  if (value instanceof Error) return value.stack || String(value);
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return String(value);
  }
}

addEventListener('error', (event) => {
  if (event instanceof ErrorEvent) {
    if (!framed && globalThis.__atelier?.starting()) showFailure(event.error ?? event.message);
    suspectCrash(event.error ?? `${event.message}\n${event.filename}:${event.lineno}:${event.colno}`);
    if (isWelcome('error')) report('error', inWords(event.error ?? event.message), event.filename, event.lineno, event.colno);
  } else if (event.target instanceof Element) {
    const message = `could not load ${event.target.getAttribute('src') ?? event.target.getAttribute('href')}`;
    if (event.target.matches('script')) suspectCrash(message);
    if (isWelcome('error')) report('error', message);
  }
}, true);

addEventListener('unhandledrejection', (event) => {
  suspectCrash(event.reason);
  if (isWelcome('error')) report('error', `unhandled rejection: ${inWords(event.reason)}`);
});

// Crashes

// cause is the latest uncaught error. The page has crashed as long as it is blank after
// one: a page that is still loading, or that recovers, shows something later. A page that
// goes on is told of all the same, until a newer build.
let cause = '';
let isCrashed = false;
const longestCause = 4000;
const changes = new MutationObserver(judge);

async function suspectCrash(error) {
  if (!framed) return;
  cause = (await located(inWords(error))).slice(0, longestCause);
  changes.observe(document.documentElement, { childList: true, subtree: true, characterData: true });
  judge();
  if (isCrashed || harmless.test(cause)) return;
  hasFailed = true;
  tellStudio({ type: 'threw', cause });
}

// Errors that sound pages throw, and those of other origins, which say nothing.
const harmless = /ResizeObserver loop|AbortError|NotAllowedError|^Script error/;

function judge() {
  if (isBlank() === isCrashed) return;
  isCrashed = !isCrashed;
  tellStudio(isCrashed ? { type: 'crashed', cause } : { type: 'recovered' });
}

// The studio shows what the agent builds until the page has been painted for the first time.
const paints = new MutationObserver(tellPaint);
if (framed) {
  paints.observe(document.documentElement, { childList: true, subtree: true, characterData: true });
  addEventListener('DOMContentLoaded', tellPaint);
}

function tellPaint() {
  if (document.readyState === 'loading' || isBlank()) return;
  paints.disconnect();
  removeEventListener('DOMContentLoaded', tellPaint);
  requestAnimationFrame(() => requestAnimationFrame(() => tellStudio({ type: 'painted' })));
}

// isBlank reports whether the page shows nothing: no text, no graphics, and no content in
// the elements that its scripts fill.
function isBlank() {
  const { body } = document;
  if (!body) return true;
  const parts = [...body.children].filter((part) => !part.matches('script, style, link, template, noscript, atelier-picker, atelier-diagnostics'));
  if (parts.some((part) => part.childElementCount > 0 || part.matches('img, svg, canvas, video, iframe, object, embed, input, textarea, select'))) return false;
  return [...body.childNodes].every((node) => (node.nodeType === Node.TEXT_NODE || parts.includes(node) ? node.textContent.trim() === '' : true));
}
