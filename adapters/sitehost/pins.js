// The pins mark elements of a preview's page that people have commented on. bridge.js loads this
// script on the studio's first request and lists the messages.
//
// A pin has an id, a number to show, a label for screen readers, and what is known of its element:
//
//	tag       its name, in lower case
//	loc       its place in the sources when it was picked, 'path:line:column', '' if unknown
//	selector  what matched it then
//	text      the beginning of its text then, '' if it had none
//
// Pages change, so no single one of them is enough. The element is the one of this tag for which
// most of them still hold.
import { tell } from '/@atelier/bridge.js';

const maxPins = 500;
// Reading the text of more elements than that would slow down the page.
const maxSearched = 500;

/** textOf returns the beginning of an element's text, as comments store it. */
export function textOf(element) {
  return element.textContent.slice(0, 4000).replace(/\s+/g, ' ').trim().slice(0, 200);
}

let pins = [];
let active = '';
let told = '';
let root = null;
let frame = 0;
let waiting = 0;

export function hear(message) {
  if (message.type === 'reveal') return reveal(message.id);
  pins = (Array.isArray(message.pins) ? message.pins : []).slice(0, maxPins).map((pin) => ({ ...pin, element: null, button: null }));
  active = message.active ?? '';
  told = '';
  end();
  if (pins.length > 0) begin();
  else tell({ type: 'pinned', found: [] });
}

function begin() {
  root = document.createElement('atelier-pins');
  root.style.cssText = 'all: initial; position: fixed; inset: 0; z-index: 2147483646; pointer-events: none;';
  const shadow = root.attachShadow({ mode: 'open' });
  for (const pin of pins) shadow.append(pin.button = buttonOf(pin));
  document.documentElement.append(root);
  observer.observe(document.documentElement, { childList: true, subtree: true, attributes: true, characterData: true });
  seek();
  follow();
}

function end() {
  cancelAnimationFrame(frame);
  clearTimeout(waiting);
  observer.disconnect();
  root?.remove();
  root = null;
}

function buttonOf(pin) {
  const button = document.createElement('button');
  const isActive = pin.id === active;
  button.type = 'button';
  button.textContent = String(pin.number).slice(0, 4);
  button.setAttribute('aria-label', String(pin.label).slice(0, 300));
  button.style.cssText = 'position: absolute; display: none; box-sizing: border-box; min-width: 28px; height: 28px; padding: 0 6px; border: 2px solid #fff; border-radius: 14px 14px 14px 2px; color: #fff; font: 600 12px/1 system-ui, sans-serif; box-shadow: 0 1px 4px rgb(0 0 0 / 45%); cursor: pointer; pointer-events: auto;';
  button.style.background = isActive ? '#1d1b17' : '#3b4cca';
  button.style.zIndex = isActive ? '1' : '0';
  if (isActive) button.setAttribute('aria-current', 'true');
  button.addEventListener('click', () => tell({ type: 'pin', id: pin.id }));
  return button;
}

// Elements

function seek() {
  for (const pin of pins) {
    if (!pin.element?.isConnected) pin.element = find(pin);
  }
  const found = pins.filter(({ element }) => element).map(({ id, element }) => ({ id, loc: (element.getAttribute('data-loc') ?? '').slice(0, 1200) }));
  const text = JSON.stringify(found);
  if (text === told) return;
  told = text;
  tell({ type: 'pinned', found });
}

function find({ tag, loc, selector, text }) {
  const selected = select(selector, tag);
  const placed = loc ? [...document.querySelectorAll(`${CSS.escape(tag)}[data-loc="${CSS.escape(loc)}"]`)] : [];
  const near = new Set([...(selected ? [selected] : []), ...placed]);
  const isSame = (element) => text !== '' && textOf(element) === text;
  let best = null;
  let most = 0;
  for (const element of near) {
    const points = (element === selected ? 2 : 0) + (placed.includes(element) ? 2 : 0) + (isSame(element) ? 3 : 0);
    if (points > most) [best, most] = [element, points];
  }
  // It may have moved, and something else may stand in its place.
  if (most < 5) {
    const moved = [...document.getElementsByTagName(tag)].slice(0, maxSearched).find(isSame);
    if (moved) return moved;
  }
  return best;
}

function select(selector, tag) {
  try {
    const element = document.querySelector(selector);
    return element?.localName === tag ? element : null;
  } catch {
    return null;
  }
}

const observer = new MutationObserver(() => {
  clearTimeout(waiting);
  waiting = setTimeout(seek, 100);
});

// Places

function follow() {
  const taken = new Map();
  for (const { element, button } of pins) {
    const at = element?.isConnected ? placeOf(element) : null;
    const isShown = at && at.bottom > 0 && at.top < innerHeight;
    button.style.display = isShown ? 'block' : 'none';
    if (!isShown) continue;
    // Several pins of one element stand beside each other.
    const before = taken.get(element) ?? 0;
    taken.set(element, before + 1);
    const left = Math.min(Math.max(at.right - 14 - before * 30, 2), innerWidth - 34);
    const top = Math.min(Math.max(at.top - 14, 2), innerHeight - 30);
    const transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    if (button.style.transform !== transform) button.style.transform = transform;
  }
  frame = requestAnimationFrame(follow);
}

// placeOf returns where an element shows something: a heading's box is often wider than its words.
function placeOf(element) {
  const { top, bottom, right, width, height } = element.getBoundingClientRect();
  if (width === 0 && height === 0) return null;
  range.selectNodeContents(element);
  const words = range.getBoundingClientRect();
  return { top, bottom, right: words.width > 0 ? Math.min(words.right, right) : right };
}

const range = document.createRange();

function reveal(id) {
  const pin = pins.find((one) => one.id === id);
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  pin?.element?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: isCalm ? 'instant' : 'smooth' });
}
