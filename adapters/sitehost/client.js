// The preview's client. It runs in every page of a preview: it loads the page
// again when a newer build is served, shows what keeps the sources from
// building, and reports what goes wrong in the page.

const script = document.querySelector('script[src="/@atelier/client.js"]');
const shown = script?.dataset.build ?? '';
const studio = script?.dataset.studio ?? '';

// Builds

const events = new EventSource('/@atelier/events');
events.onmessage = (message) => {
  const event = JSON.parse(message.data);
  tellStudio(event);
  if (event.type === 'build.error') {
    if (shown) showDiagnostics(event.diagnostics);
    else renewNotice();
  } else if (event.type === 'build.ok') {
    hideDiagnostics();
    if (event.build !== shown) reloadFor(event.build);
  }
};

// A page that is the old one even after a reload comes from somewhere else, a
// service worker for instance: loading it again and again would not help.
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
  if (studio && window.parent !== window) window.parent.postMessage({ source: 'atelier-preview', ...event }, studio);
}

// Diagnostics

let overlay = null;

function showDiagnostics(diagnostics) {
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
  title.textContent = 'The project does not build. This is the last page that did.';
  panel.append(close, title, ...diagnostics.map(describe));
  root.append(style, panel);
  document.documentElement.append(overlay);
}

// A page without a build is a notice, which lists what is wrong by itself: the
// first event only repeats it.
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

let welcome = 20;
setInterval(() => { welcome = Math.min(20, welcome + 5); }, 1000);

function report(level, message, source = '', line = 0, column = 0) {
  if (welcome < 1) return;
  welcome -= 1;
  const entry = { level, message: String(message).slice(0, 2000), source: String(source).slice(0, 300), line, column };
  fetch('/@atelier/console', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(entry),
    keepalive: true,
  }).catch(() => {});
}

for (const level of ['error', 'warn']) {
  const write = console[level];
  console[level] = (...values) => {
    write.apply(console, values);
    report(level, values.map(inWords).join(' '));
  };
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
    report('error', inWords(event.error ?? event.message), event.filename, event.lineno, event.colno);
  } else if (event.target instanceof Element) {
    report('error', `could not load ${event.target.getAttribute('src') ?? event.target.getAttribute('href')}`);
  }
}, true);

addEventListener('unhandledrejection', (event) => {
  report('error', `unhandled rejection: ${inWords(event.reason)}`);
});
