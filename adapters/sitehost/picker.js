// The picker marks elements of a preview's page, so that users can select what to edit.
// bridge.js loads it on the studio's first request and lists the messages.
//
// Fields of a picked element:
//
//	tag      its name, in lower case
//	loc      its place in the sources, 'path:line:column', '' when none is known
//	selector a selector for the page's own source, '' unless the page is a file that
//	         has this element just so
//	count    how many elements of the page stand at this place in the sources
//	trail    its position: the index of each child on the way from the root
//	text     its text, null if it has child elements or is too long
//	classes, src, alt   these attributes, null where there is none
//	styles   the computed values, by property
//	declared what its classes declare, by variant ('' for none) and property
import { tell } from '/@atelier/bridge.js';
import { declaredBy, draft, endDrafts, settle, settleSoon } from '/@atelier/classes.js';

const maxText = 2000;

const properties = [
  'color', 'background-color', 'font-size', 'font-weight', 'font-family', 'text-align', 'line-height', 'border-radius',
  'display', 'flex-direction', 'align-items', 'justify-content', 'row-gap', 'column-gap', 'grid-template-columns',
  'width', 'height', 'max-width', 'border-top-width', 'border-top-style', 'border-top-color', 'box-shadow', 'opacity',
  'padding-top', 'padding-right', 'padding-bottom', 'padding-left', 'margin-top', 'margin-right', 'margin-bottom', 'margin-left',
];

let on = false;
let hovered = null;
let picked = null;
let told = '';

export async function hear(message) {
  switch (message.type) {
    case 'pick': return setOn(message.on === true);
    case 'select': return seek(message.trail, message.tag);
    case 'move': return move(message.to);
    case 'show': return show(message.property, message.value, message.variant);
    case 'settle': return settle();
    case 'write': return beginWriting();
  }
}

function setOn(wanted) {
  if (wanted === on) return;
  on = wanted;
  for (const [type, act] of Object.entries(listeners)) {
    (on ? addEventListener : removeEventListener)(type, act, { capture: true, passive: false });
  }
  if (on) {
    marks.begin();
    observer.observe(document.documentElement, { childList: true, subtree: true, attributes: true, characterData: true });
  } else {
    marks.end();
    observer.disconnect();
    hovered = picked = null;
    endDrafts();
    endWriting(true);
    last = nowhere;
    told = '';
  }
}

// Selection

// placed returns the nearest enclosing element with a known place in the sources.
function placed(element) {
  if (!(element instanceof Element) || element.tagName === 'ATELIER-PICKER') return null;
  const near = element.closest('[data-loc]');
  return near ?? (document.body?.contains(element) && element !== document.body ? element : null);
}

function pick(element) {
  if (element !== picked) former = new WeakMap();
  picked = element;
  last = nowhere;
  tellPicked(true);
}

// seek picks the element that was picked before a reload, immediately or once it appears:
// the new page may still be empty.
function seek(trail, tag) {
  const element = elementAt(trail, tag);
  if (element) return pick(element);
  last = { trail, tag };
  setTimeout(() => { if (on && !picked) tellPicked(); }, 5000);
}

async function tellPicked(again = false) {
  const element = picked;
  if (element) last = { trail: trailOf(element), tag: element.localName };
  const described = element && { ...describe(element), selector: element.dataset?.loc ? '' : await selectorOf(element) };
  if (element !== picked) return;
  const text = JSON.stringify(described);
  if (text === told && !again) return;
  told = text;
  tell({ type: 'picked', element: described });
}

function describe(element) {
  const shown = getComputedStyle(element);
  const loc = (element.getAttribute('data-loc') ?? '').slice(0, 1200);
  return {
    tag: element.localName.slice(0, 100),
    loc,
    count: loc ? document.querySelectorAll(`[data-loc="${CSS.escape(loc)}"]`).length : 1,
    trail: trailOf(element),
    text: hasOnlyText(element) ? whole(element.textContent) : null,
    classes: whole(element.getAttribute('class')),
    src: element.localName === 'img' ? whole(element.getAttribute('src') ?? '') : null,
    alt: element.localName === 'img' ? whole(element.getAttribute('alt') ?? '') : null,
    styles: Object.fromEntries(properties.map((name) => [name, valueOf(name, shown.getPropertyValue(name))])),
    declared: declaredBy(element, properties),
  };
}

// whole returns a text if it can be sent completely, and otherwise null, because a part
// must not replace it.
function whole(text) {
  return text !== null && text.length <= maxText ? text : null;
}

function hasOnlyText(element) {
  return element.childElementCount === 0 && !/^(img|input|textarea|select|video|audio|canvas|iframe|svg|br|hr)$/.test(element.localName);
}

function trailOf(element) {
  const trail = [];
  for (let at = element; at.parentElement; at = at.parentElement) trail.unshift([...at.parentElement.children].indexOf(at));
  return trail.slice(0, 200);
}

function elementAt(trail, tag) {
  if (!Array.isArray(trail)) return null;
  let at = document.documentElement;
  for (const index of trail) at = at?.children[index];
  return at && at.localName === tag ? at : null;
}

function move(to) {
  const from = picked ?? document.body;
  const next = {
    parent: () => placed(from.parentElement),
    child: () => placedAmong(from.querySelectorAll('[data-loc]')) ?? placedAmong(from.querySelectorAll('*')),
    next: () => beside(from, 'nextElementSibling'),
    previous: () => beside(from, 'previousElementSibling'),
  }[to]?.();
  if (!next || next === picked || next === document.documentElement) return;
  pick(next);
  next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function placedAmong(elements) {
  return [...elements].find((element) => placed(element) === element && isShown(element)) ?? null;
}

function beside(element, step) {
  for (let at = element[step]; at; at = at[step]) {
    if (placed(at) === at && isShown(at)) return at;
  }
  return null;
}

function isShown(element) {
  return !/^(script|style|template|link|meta)$/.test(element.localName) && element.getClientRects().length > 0;
}

// Values. Colours are sent as #rrggbb or #rrggbbaa, in whatever form they were written.

function valueOf(name, value) {
  return name.endsWith('color') ? hex(value) : value.slice(0, 200);
}

const dot = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });

function hex(color) {
  dot.clearRect(0, 0, 1, 1);
  dot.fillStyle = color;
  dot.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = dot.getImageData(0, 0, 1, 1).data;
  const bytes = alpha === 255 ? [red, green, blue] : [red, green, blue, alpha];
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

// show sets a value in all elements from the same place, until the next build contains it.
function show(property, value, variant) {
  if (!picked || typeof property !== 'string' || typeof value !== 'string' && value !== null) return;
  if (typeof variant === 'string') {
    const loc = picked.getAttribute('data-loc');
    return draft(loc ? `[data-loc="${CSS.escape(loc)}"]` : pathOf(picked), property, value, variant);
  }
  const loc = picked.getAttribute('data-loc');
  const all = loc ? document.querySelectorAll(`[data-loc="${CSS.escape(loc)}"]`) : [picked];
  for (const element of all) {
    if (!former.has(element)) former.set(element, {});
    const was = former.get(element);
    was[property] ??= read(element, property);
    write(element, property, value ?? was[property]);
  }
}

// former are the original values of the elements that show a new one.
let former = new WeakMap();

function read(element, property) {
  switch (property) {
    case 'textContent': return element.textContent;
    case 'className': return element.getAttribute('class') ?? '';
    case 'src': case 'alt': return element.getAttribute(property) ?? '';
    default: return element.style.getPropertyValue(property);
  }
}

function write(element, property, value) {
  switch (property) {
    case 'textContent': return writeText(element, value);
    case 'className': return element.setAttribute('class', value);
    case 'src': case 'alt': return element.setAttribute(property, value);
    default: return element.style.setProperty(property, value);
  }
}

// Keep the text node, because the page's code may refer to it.
function writeText(element, value) {
  if (element.childNodes.length === 0) element.append(value);
  else if (element.childNodes.length === 1 && element.firstChild.nodeType === Node.TEXT_NODE) element.firstChild.nodeValue = value;
}

// Writing on the page itself. The text is shown like one from the panel once it is done.

let writing = null;

function beginWriting() {
  if (!picked || writing || !hasOnlyText(picked)) return;
  writing = { element: picked, before: picked.textContent };
  picked.setAttribute('contenteditable', 'plaintext-only');
  picked.focus({ preventScroll: true });
  getSelection().selectAllChildren(picked);
}

function endWriting(keeps) {
  if (!writing) return;
  const { element, before } = writing;
  writing = null;
  const text = element.textContent;
  element.removeAttribute('contenteditable');
  element.blur();
  if (text === before) return;
  element.textContent = before;
  if (keeps && element === picked && text.length <= maxText) tell({ type: 'written', text });
}

// Pages that are files. The selector identifies the same element in the file. There is none
// if scripts have changed the page.

let file;
const selectors = new WeakMap();

async function selectorOf(element) {
  if (!document.body?.contains(element) || element === document.body) return '';
  if (selectors.has(element)) return selectors.get(element);
  const path = pathOf(element);
  const now = lookOf(element);
  file ??= fetch(location.href).then((answer) => answer.text()).then((text) => new DOMParser().parseFromString(text, 'text/html')).catch(() => null);
  const same = (await file)?.querySelector(path);
  const selector = same && lookOf(same) === now && path.length <= 900 ? path : '';
  selectors.set(element, selector);
  return selector;
}

function lookOf(element) {
  return JSON.stringify([element.localName, element.id, element.getAttribute('class'), element.childElementCount === 0 && element.textContent]);
}

function pathOf(element) {
  const parts = [];
  for (let at = element; at.parentElement && at.localName !== 'body'; at = at.parentElement) {
    const alike = [...at.parentElement.children].filter((other) => other.localName === at.localName);
    parts.unshift(`${CSS.escape(at.localName)}:nth-of-type(${alike.indexOf(at) + 1})`);
  }
  return ['body', ...parts].join(' > ');
}

// While picking, the page does not receive the user's input.

const listeners = {
  pointermove: ({ target }) => { hovered = placed(target); },
  pointerleave: () => { hovered = null; },
  click: (event) => {
    if (hold(event)) return;
    endWriting(true);
    pick(placed(event.target));
  },
  dblclick: (event) => {
    if (!hold(event) && picked) tell({ type: 'write' });
  },
  keydown: onKey,
  ...Object.fromEntries(['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'auxclick', 'submit', 'dragstart'].map((type) => [type, hold])),
};

// hold keeps an event from the page, and from the browser unless it is in a text that is
// being written. It reports whether that is so.
function hold(event) {
  const isWriting = writing !== null && event.target instanceof Node && writing.element.contains(event.target);
  if (!isWriting) event.preventDefault();
  event.stopImmediatePropagation();
  return isWriting;
}

const moves = { ArrowUp: 'parent', ArrowDown: 'child', ArrowRight: 'next', ArrowLeft: 'previous' };

function onKey(event) {
  if (writing) {
    event.stopImmediatePropagation();
    const ends = event.key === 'Escape' || (event.key === 'Enter' && !event.shiftKey && !event.isComposing);
    if (!ends) return;
    event.preventDefault();
    endWriting(event.key === 'Enter');
  } else if (event.key === 'Escape') {
    hold(event);
    setOn(false);
    tell({ type: 'picking', on: false });
  } else if (moves[event.key]) {
    hold(event);
    move(moves[event.key]);
  } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
    hold(event);
    tell({ type: 'step', to: event.shiftKey ? 'redo' : 'undo' });
  }
}

// A build changes places and values, and may replace the picked element.
let waiting = 0;
const observer = new MutationObserver((changes) => {
  if (changes.every(({ target }) => target.localName === 'atelier-picker')) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (!picked?.isConnected) picked = elementAt(last.trail, last.tag);
    // The element may appear later.
    if (picked || told) tellPicked();
    settleSoon();
  }, 60);
});

// last is the last known place of the picked element.
const nowhere = { trail: [], tag: '' };
let last = nowhere;

// Marks

const marks = {
  root: null,
  boxes: [],
  frame: 0,

  begin() {
    this.root = document.createElement('atelier-picker');
    this.root.style.cssText = 'all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none;';
    const shadow = this.root.attachShadow({ mode: 'closed' });
    this.boxes = [mark('1px dashed #3b4cca', 'rgb(59 76 202 / 8%)'), mark('2px solid #3b4cca', 'transparent')];
    shadow.append(...this.boxes.map(({ box }) => box));
    document.documentElement.append(this.root);
    document.documentElement.style.setProperty('cursor', 'crosshair');
    this.follow();
  },

  follow() {
    this.boxes[0].put(hovered === picked ? null : hovered);
    this.boxes[1].put(picked);
    this.frame = requestAnimationFrame(() => this.follow());
  },

  end() {
    cancelAnimationFrame(this.frame);
    this.root?.remove();
    document.documentElement.style.removeProperty('cursor');
  },
};

function mark(border, background) {
  const box = document.createElement('div');
  const label = document.createElement('span');
  box.style.cssText = `position: absolute; display: none; box-sizing: border-box; border: ${border}; background: ${background}; box-shadow: 0 0 0 1px rgb(255 255 255 / 70%);`;
  label.style.cssText = 'position: absolute; left: -1px; bottom: 100%; padding: 1px 6px; background: #3b4cca; color: #fff; font: 11px/1.5 ui-monospace, monospace; white-space: nowrap;';
  box.append(label);
  let before = '';
  const put = (element) => {
    const at = element?.isConnected ? element.getBoundingClientRect() : null;
    const now = at ? `${at.x} ${at.y} ${at.width} ${at.height} ${element.localName}` : '';
    if (now === before) return;
    before = now;
    box.style.display = at ? 'block' : 'none';
    if (!at) return;
    Object.assign(box.style, { left: `${at.x}px`, top: `${at.y}px`, width: `${at.width}px`, height: `${at.height}px` });
    label.style.bottom = at.y < 20 ? 'auto' : '100%';
    label.textContent = element.localName;
  };
  return { box, put };
}
