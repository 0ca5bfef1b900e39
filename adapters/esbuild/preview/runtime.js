// The runtime of a preview's pages. It knows a page's modules and replaces them by new
// versions: Fast Refresh keeps the state of React components, style sheets are exchanged,
// modules that accept their new versions receive them, and any other change reloads the
// page.

const tag = document.querySelector('script[src="/@app/~runtime.js"]');
const { page = '', html = '', files = '' } = tag?.dataset ?? {};

// Modules

// The page's modules, by path.
const modules = new Map();
let broken = false;

// begin records the version of a module that starts to run, and returns its import.meta.hot.
function begin(url) {
  const { pathname, searchParams } = new URL(url);
  let known = modules.get(pathname);
  if (!known) modules.set(pathname, known = { seen: new Set(), data: {}, again: 0 });
  Object.assign(known, { version: searchParams.get('v') ?? '', ended: false, components: false, exported: {}, accepted: [], disposed: [] });
  known.seen.add(known.version);
  return hotOf(known);
}

function end(url) {
  modules.get(new URL(url).pathname).ended = true;
}

// hotOf implements the part of Vite's HMR API that concerns one module.
function hotOf(known) {
  return {
    data: known.data,
    accept(...given) {
      const callback = given.at(-1);
      if (given.length < 2 && (callback === undefined || typeof callback === 'function')) known.accepted.push(callback);
    },
    acceptExports() {},
    dispose(callback) { known.disposed.push(callback); },
    prune() {},
    decline() {},
    invalidate() { location.reload(); },
    on() {},
    off() {},
    send() {},
  };
}

// Style sheets

const styles = new Map();

function style(url, text) {
  const { pathname } = new URL(url);
  let element = styles.get(pathname);
  if (!element) {
    element = document.createElement('style');
    element.dataset.atelierStyle = pathname;
    styles.set(pathname, element);
  }
  if (!element.isConnected) document.head.append(element);
  if (element.textContent !== text) element.textContent = text;
}

function dropStyles(now) {
  for (const [path, element] of styles) {
    if (path in now) continue;
    element.remove();
    styles.delete(path);
    modules.delete(path);
  }
}

// exchangeLinks loads the new version of every linked style sheet, and removes the old one
// once the new one is loaded.
function exchangeLinks(paths, now) {
  for (const link of document.querySelectorAll('link[rel="stylesheet"]')) {
    const path = new URL(link.href, location.href).pathname;
    const version = now[path]?.version;
    if (!paths?.includes(path) || link.dataset.old || new URL(link.href).searchParams.get('v') === version) continue;
    const next = link.cloneNode();
    next.href = `${path}?v=${version}`;
    next.onload = next.onerror = () => link.remove();
    link.dataset.old = 'yes';
    link.after(next);
  }
}

// React

// A page without the development build of React cannot be refreshed.
let refreshers = 0;
ReactRefresh.injectIntoGlobalHook(window);
const hook = window.__REACT_DEVTOOLS_GLOBAL_HOOK__;
const inject = hook.inject;
hook.inject = function (renderer) {
  if (typeof renderer?.scheduleRefresh === 'function') refreshers += 1;
  return inject.apply(this, arguments);
};

// refresh registers a module's components and hooks.
function refresh(url, parts) {
  for (const { component, hook, id, exports, key, hooks } of parts) {
    const type = component ?? hook;
    if (typeof type !== 'function' && (typeof type !== 'object' || type === null)) continue;
    if (component) {
      ReactRefresh.register(component, id);
      const known = modules.get(new URL(url).pathname);
      known.components = true;
      for (const name of exports) known.exported[name] = id;
    }
    ReactRefresh.setSignature(type, key, false, () => hooks().filter((used) => typeof used === 'function'));
  }
}

// Updates

// update applies the manifest of a build. It returns 'same', 'updated', or 'reload' if the
// page must be reloaded. It throws what a new module throws; then only a reload helps.
async function update(manifest) {
  const now = manifest.modules;
  const about = manifest.pages[page];
  if (broken || !about || about.html !== html || manifest.files !== files) return 'reload';
  if (about.entries.some((entry) => modules.get(entry)?.version !== now[entry]?.version || !modules.get(entry)?.ended)) return 'reload';
  const changed = changes(now);
  if (changed === null) return 'reload';
  exchangeLinks(about.links, now);
  dropStyles(now);
  if (changed.length === 0) return 'same';
  return replace(changed, now);
}

// changes returns the modules to import again, or null if the page would get an old module:
// browsers run the module of an address only once, and an importer that is not imported
// again cannot get another address.
function changes(now) {
  const changed = [];
  for (const [path, known] of modules) {
    const next = now[path];
    if (!next || next.version === known.version) continue;
    if (next.replaceable) changed.push(path);
    else if (known.seen.has(next.version)) return null;
  }
  return changed;
}

async function replace(changed, now) {
  try {
    const taken = await Promise.all(changed.map(async (path) => {
      const known = modules.get(path);
      const { accepted, disposed, exported } = known;
      for (const callback of disposed) await callback(known.data);
      const again = known.seen.has(now[path].version) ? `&again=${known.again += 1}` : '';
      return { path, accepted, exported, exports: await import(`${path}?v=${now[path].version}${again}`) };
    }));
    for (const { accepted, exports } of taken) for (const callback of accepted) callback?.(exports);
    return refreshComponents(taken);
  } catch (error) {
    broken = true;
    throw error;
  }
}

function refreshComponents(taken) {
  const fresh = taken.filter(({ path }) => modules.get(path).components);
  if (fresh.length === 0) return 'updated';
  for (const { exports, accepted } of fresh) {
    const odd = Object.values(exports).some((value) => !ReactRefresh.isLikelyComponentType(value));
    if (odd && accepted.length === 0) return 'reload';
  }
  // Fast Refresh knows a component by its name in the module. Importers keep the one that they
  // got under the name outside, so the page needs them anew if that is another component now.
  for (const { path, exported, accepted } of fresh) {
    const now = modules.get(path).exported;
    if (accepted.length === 0 && Object.entries(exported).some(([name, id]) => now[name] !== id)) return 'reload';
  }
  if (refreshers === 0) return 'reload';
  ReactRefresh.performReactRefresh();
  return 'updated';
}

// Places

// locate replaces the places in modules that a text names by those in the sources.
async function locate(text) {
  const places = [...text.matchAll(/(?:https?:\/\/[^\s/]+)?(\/@app\/[^\s?:()'"]+\.js)(?:\?[^\s:()'"]*)?:(\d+):(\d+)/g)];
  let result = '';
  let done = 0;
  for (const place of places.slice(0, 50)) {
    const source = await sourceOf(place[1], Number(place[2]), Number(place[3]));
    result += text.slice(done, place.index) + (source ?? place[0]);
    done = place.index + place[0].length;
  }
  return result + text.slice(done);
}

async function sourceOf(path, line, column) {
  const map = await mapOf(path);
  const segments = map?.lines[line - 1] ?? [];
  let best = null;
  for (const segment of segments) if (segment.length > 1 && segment[0] <= column - 1) best = segment;
  best ??= segments.find((segment) => segment.length > 1);
  if (!best) return null;
  return `${decodeURI(map.sources[best[1]]).replace(/^\//, '')}:${best[2] + 1}:${best[3] + 1}`;
}

// Promises of source maps, by the path of the module, with their version.
const maps = new Map();

function mapOf(path) {
  const version = modules.get(path)?.version;
  const kept = maps.get(path);
  if (kept && kept.version === version) return kept.map;
  const map = fetch(`${path}.map`).then((answer) => (answer.ok ? answer.json() : null))
    .then((read) => read && { sources: read.sources, lines: linesOf(read.mappings) }).catch(() => null);
  maps.set(path, { version, map });
  return map;
}

// linesOf decodes mappings: for every line the segments [column, source, line, column],
// counted from zero.
function linesOf(mappings) {
  const state = [0, 0, 0, 0, 0];
  return mappings.split(';').map((line) => {
    state[0] = 0;
    return line.split(',').filter(Boolean).map((segment) => {
      numbersIn(segment).forEach((number, i) => { state[i] += number; });
      return segment.length > 1 ? state.slice(0, 4) : [state[0]];
    });
  });
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function numbersIn(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = digits.indexOf(digit);
    value += (bits & 31) * 2 ** shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value % 2 ? -Math.floor(value / 2) : value / 2);
    value = shift = 0;
  }
  return numbers;
}

// starting reports whether a module has begun and not finished. An error in this time
// counts as its failure.
function starting() {
  return [...modules.values()].some((known) => !known.ended);
}

globalThis.__atelier = { begin, end, style, refresh, update, starting, locate };
