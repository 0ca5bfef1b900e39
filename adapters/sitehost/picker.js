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
//	path     a selector that matches the element in the page as it is
//	says     the beginning of its text, whatever it contains
//	trail    its position: the index of each child on the way from the root
//	text     its text, null if it has child elements or is too long
//	classes, src, alt   these attributes, null where there is none
//	styles   the computed values, by property
//	declared what its classes declare, by variant ('' for none) and property
import { tell } from '/@atelier/bridge.js';
import { textOf } from '/@atelier/pins.js';
import { layersOf, marksOf, trailOf } from '/@atelier/layers.js';
import { declaredBy, draft, draftTokens, endDrafts, settle, settleSoon } from '/@atelier/classes.js';

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
// others are picked together with picked.
let others = [];
let toldOthers = '[]';
let wantsLayers = false;
// expects is true after the user asked for an arrangement, until the page changes.
let expects = false;
let toldLayers = '';

export async function hear(message) {
  switch (message.type) {
    case 'pick': return setOn(message.on === true);
    case 'select': return message.also === true ? seekOther(message.trail, message.tag) : seek(message.trail, message.tag);
    case 'tokens': return draftTokens(message.css);
    case 'arrange': return arrange(message.to);
    case 'drop': return drop(elementAt(message.from, message.tag), elementAt(message.to, message.over), message.after === true);
    case 'layers': wantsLayers = message.on === true; toldLayers = ''; return tellLayers();
    case 'hover': hovered = elementAt(message.trail, message.tag); return hovered?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
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
    others = awaited = [];
    toldOthers = '[]';
    wantsLayers = false;
    endDrafts();
    endWriting(true);
    last = nowhere;
    told = '';
  }
}

// Selection

// placed returns the nearest enclosing element with a known place in the sources.
function placed(element) {
  if (!(element instanceof Element) || /^atelier-/.test(element.localName)) return null;
  const near = element.closest('[data-loc]');
  return near ?? (document.body?.contains(element) && element !== document.body ? element : null);
}

function pick(element) {
  if (element !== picked) former = new WeakMap();
  picked = element;
  others = [];
  last = nowhere;
  tellPicked(true);
  void tellOthers();
}

// seekOther picks an element together with the picked one, immediately or once both appear.
let awaited = [];
// otherPlaces are the last known places of the other elements.
const otherPlaces = new WeakMap();

function seekOther(trail, tag) {
  const element = picked && elementAt(trail, tag);
  if (element) also(element);
  else awaited = [...awaited, { trail, tag }].slice(0, 49);
}

function seekAwaited() {
  if (!picked || awaited.length === 0) return;
  const found = awaited.map(({ trail, tag }) => elementAt(trail, tag));
  awaited = awaited.filter((_, at) => !found[at]);
  for (const element of found) if (element && element !== picked && !others.includes(element)) also(element);
}

// also picks an element together with the picked one, or no longer.
function also(element) {
  if (!element) return;
  if (!picked) return pick(element);
  if (element === picked) {
    const [next, ...rest] = others;
    if (!next) return;
    pick(next);
    others = rest;
  } else if (others.includes(element)) others = others.filter((other) => other !== element);
  else others = [...others, element].slice(0, 49);
  void tellOthers();
}

async function tellOthers() {
  for (const element of others) otherPlaces.set(element, { trail: trailOf(element), tag: element.localName });
  if (awaited.length > 0) return;
  const elements = await Promise.all(others.map(async (element) => ({
    tag: element.localName.slice(0, 100),
    loc: (element.getAttribute('data-loc') ?? '').slice(0, 1200),
    selector: element.dataset?.loc ? '' : await selectorOf(element),
    says: textOf(element),
    trail: trailOf(element),
  })));
  const text = JSON.stringify(elements);
  if (text === toldOthers) return;
  toldOthers = text;
  tell({ type: 'several', elements });
}

function tellLayers() {
  if (!on || !wantsLayers) return;
  const layers = layersOf(isShown);
  const text = JSON.stringify(layers);
  if (text === toldLayers) return;
  toldLayers = text;
  tell({ type: 'layers', layers });
}

// seek picks the element that was picked before a reload, immediately or once it appears:
// the new page may still be empty.
function seek(trail, tag) {
  const element = elementAt(trail, tag);
  if (element) return pick(element);
  picked = null;
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
    path: shortPathOf(element),
    says: textOf(element),
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
  // Only looks are common to several elements.
  const chosen = /^(textContent|className|src|alt)$/.test(property) ? [picked] : [picked, ...others];
  if (typeof variant === 'string') {
    const selectors = chosen.map((element) => {
      const loc = element.getAttribute('data-loc');
      return loc ? `[data-loc="${CSS.escape(loc)}"]` : pathOf(element);
    });
    return draft(selectors.join(', '), property, value, variant);
  }
  const all = chosen.flatMap((element) => {
    const loc = element.getAttribute('data-loc');
    return loc ? [...document.querySelectorAll(`[data-loc="${CSS.escape(loc)}"]`)] : [element];
  });
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

// shortPathOf is pathOf without the beginning of a path that is too long to be sent.
function shortPathOf(element) {
  const parts = pathOf(element).split(' > ');
  while (parts.length > 1 && parts.join(' > ').length > 900) parts.shift();
  return parts.join(' > ').slice(0, 1000);
}

// While picking, the page does not receive the user's input.

const listeners = {
  pointermove: (event) => {
    hovered = placed(event.target);
    drag.move(event);
  },
  pointerleave: () => { hovered = null; },
  click: (event) => {
    if (hold(event)) return;
    endWriting(true);
    if (event.shiftKey || event.ctrlKey || event.metaKey) return also(placed(event.target));
    if (drag.ended()) return;
    awaited = [];
    pick(placed(event.target));
    if (picked) tell({ type: 'chosen' });
  },
  dblclick: (event) => {
    if (!hold(event) && picked) tell({ type: 'write' });
  },
  keydown: onKey,
  pointerdown: (event) => {
    if (!hold(event)) drag.begin(event);
  },
  pointerup: (event) => {
    if (!hold(event)) drag.end();
  },
  ...Object.fromEntries(['mousedown', 'mouseup', 'auxclick', 'submit', 'dragstart'].map((type) => [type, hold])),
};

// A dragged element moves beside one of its siblings. Others cannot change places in the source.
const drag = {
  element: null,
  from: null,
  to: null,
  wasDragged: false,

  begin(event) {
    const element = placed(event.target);
    this.wasDragged = false;
    this.element = event.button === 0 && element === picked && others.length === 0 ? element : null;
    this.from = [event.clientX, event.clientY];
  },

  move(event) {
    if (!this.element) return;
    const far = Math.hypot(event.clientX - this.from[0], event.clientY - this.from[1]) > 5;
    if (!far && !this.wasDragged) return;
    this.wasDragged = true;
    let over = event.target instanceof Element ? event.target : null;
    while (over && over.parentElement !== this.element.parentElement) over = over.parentElement;
    this.to = over && over !== this.element && placed(over) === over ? sideOf(over, event) : null;
  },

  end() {
    const { element, to } = this;
    this.element = this.to = null;
    if (element && to) void drop(element, to.element, to.after);
  },

  ended() {
    const was = this.wasDragged;
    this.wasDragged = false;
    return was;
  },
};

// sideOf tells on which side of an element a pointer is, along the direction of its siblings.
function sideOf(element, { clientX, clientY }) {
  const at = element.getBoundingClientRect();
  const beside = [element.previousElementSibling, element.nextElementSibling].find((other) => other && isShown(other))?.getBoundingClientRect();
  const inRow = beside !== undefined && beside.top < at.bottom && beside.bottom > at.top;
  const after = inRow ? clientX > at.left + at.width / 2 : clientY > at.top + at.height / 2;
  return { element, after, inRow };
}

// hold keeps an event from the page, and from the browser unless it is in a text that is
// being written. It reports whether that is so.
function hold(event) {
  // Pins are no part of the page.
  if (event.target instanceof Element && event.target.localName === 'atelier-pins') return true;
  const isWriting = writing !== null && event.target instanceof Node && writing.element.contains(event.target);
  if (!isWriting) event.preventDefault();
  event.stopImmediatePropagation();
  return isWriting;
}

const moves = { ArrowUp: 'parent', ArrowDown: 'child', ArrowRight: 'next', ArrowLeft: 'previous' };

function onKey(event) {
  const isPin = event.target instanceof Element && event.target.localName === 'atelier-pins';
  if (isPin && event.key !== 'Escape') return;
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
  } else if (event.key === 'Enter' && picked) {
    hold(event);
    tell({ type: 'chosen' });
  } else if (picked && arranges(event)) {
    hold(event);
    arrange(arranges(event));
  } else if (moves[event.key]) {
    hold(event);
    move(moves[event.key]);
  } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
    hold(event);
    tell({ type: 'step', to: event.shiftKey ? 'redo' : 'undo' });
  }
}

// arrange asks the studio to change the place of the picked elements.
function arrange(to) {
  expects = true;
  if (to === 'delete' || to === 'duplicate' || to === 'wrap') return tell({ type: 'arrange', to });
  const sibling = picked && others.length === 0 && beside(picked, to === 'earlier' ? 'previousElementSibling' : 'nextElementSibling');
  if (sibling) void drop(picked, sibling, to === 'later');
}

// drop asks the studio to move an element beside one of its siblings. trail is where it will be.
async function drop(from, to, after) {
  expects = true;
  if (!from || !to || from.parentElement !== to.parentElement) return tell({ type: 'drop', from: null, to: null, after: false, trail: [] });
  const all = [...to.parentElement.children];
  const [was, next] = [all.indexOf(from), all.indexOf(to)];
  const trail = [...trailOf(to).slice(0, -1), next + (after ? 1 : 0) - (was < next ? 1 : 0)];
  const [source, target] = await Promise.all([from, to].map(async (element) => ({
    tag: element.localName.slice(0, 100),
    loc: (element.getAttribute('data-loc') ?? '').slice(0, 1200),
    selector: element.dataset?.loc ? '' : await selectorOf(element),
  })));
  tell({ type: 'drop', from: source, to: target, after, trail });
}

// arranges returns what a key does to the place of the picked elements, '' for nothing.
function arranges({ key, altKey, ctrlKey, metaKey }) {
  if (altKey) return { ArrowUp: 'earlier', ArrowDown: 'later' }[key] ?? '';
  if (key === 'Delete' || key === 'Backspace') return 'delete';
  return (ctrlKey || metaKey) && key.toLowerCase() === 'd' ? 'duplicate' : '';
}

// A build changes places and values, and may replace the picked element.
let waiting = 0;
const observer = new MutationObserver((changes) => {
  if (changes.every(({ target }) => /^atelier-/.test(target.localName))) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (!picked?.isConnected) picked = elementAt(last.trail, last.tag);
    // The element may appear later.
    if (picked || told) tellPicked(expects);
    expects = false;
    awaited.push(...others.filter((element) => !element.isConnected).map((element) => otherPlaces.get(element)));
    others = others.filter((element) => element.isConnected);
    seekAwaited();
    void tellOthers();
    tellLayers();
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
    const { several, line } = marksOf(mark);
    Object.assign(this, { several, line });
    shadow.append(...this.boxes.map(({ box }) => box), several.root, line.root);
    document.documentElement.append(this.root);
    document.documentElement.style.setProperty('cursor', 'crosshair');
    this.follow();
  },

  follow() {
    this.boxes[0].put(hovered === picked ? null : hovered);
    this.boxes[1].put(picked);
    this.several.put(others);
    this.line.put(drag.to);
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
