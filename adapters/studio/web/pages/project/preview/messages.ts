// The messages between the pane and the bridge in the preview's page, as described in
// adapters/sitehost/bridge.js. Any script in a page can imitate the bridge, so each field
// is checked and truncated.

/** Picked describes the picked element. */
export interface Picked {
  tag: string;
  /** loc is the place in the sources, 'path:line:column', or ''. */
  loc: string;
  /** selector identifies the element in the page's file, or is ''. */
  selector: string;
  /** count is the number of elements on the page from the same place. */
  count: number;
  /** path is a selector that matches the element in the page as it is. */
  path: string;
  /** says is the beginning of its text, whatever it contains. */
  says: string;
  trail: number[];
  /** text is null if the element contains more than text. */
  text: string | null;
  classes: string | null;
  src: string | null;
  alt: string | null;
  styles: Record<string, string>;
  /** declared are the values that classes declare, by variant and property. */
  declared: Record<string, Record<string, string>>;
}

/** Spot is an element of the page, as much as is needed to find its source. */
export type Spot = Pick<Picked, 'tag' | 'loc' | 'selector'>;

/** Other is an element that is picked together with the picked one. */
export type Other = Pick<Picked, 'tag' | 'loc' | 'selector' | 'says' | 'trail'>;

/** Layer is an element of the page in the tree of layers. */
export interface Layer {
  /** depth is how many layers are around it. */
  depth: number;
  tag: string;
  loc: string;
  /** name is the component that begins with it, or ''. */
  name: string;
  says: string;
  trail: number[];
}

/** Arrangement is what becomes of the picked elements. */
export type Arrangement = 'delete' | 'duplicate' | 'wrap';

/** Pinned is a pin whose element is on the page, and where that is in the sources now. */
export interface Pinned {
  id: string;
  loc: string;
}

/** Pin marks an element that somebody commented on. */
export interface Pin {
  id: string;
  number: number;
  label: string;
  tag: string;
  loc: string;
  selector: string;
  text: string;
}

export type PageMessage =
  | { type: 'location'; path: string; title: string; back: boolean; forward: boolean; first: boolean }
  | { type: 'picked'; element: Picked | null }
  | { type: 'picking'; on: boolean }
  | { type: 'several'; elements: Other[] }
  | { type: 'layers'; layers: Layer[] }
  | { type: 'drop'; from: Spot | null; to: Spot | null; after: boolean; trail: number[] }
  | { type: 'arrange'; to: Arrangement }
  | { type: 'chosen' }
  | { type: 'pinned'; found: Pinned[] }
  | { type: 'pin'; id: string }
  | { type: 'step'; to: 'undo' | 'redo' }
  | { type: 'write' }
  | { type: 'written'; text: string }
  | { type: 'user'; text: string | null }
  | { type: 'begun' | 'painted' | 'recovered' }
  | { type: 'stored'; text: string }
  | { type: 'crashed' | 'failed' | 'threw'; cause: string };

export type Move = 'parent' | 'child' | 'next' | 'previous';

export type StudioMessage =
  | { type: 'navigate'; path: string }
  | { type: 'hello' | 'reload' | 'back' | 'forward' }
  | { type: 'user'; text: string }
  | { type: 'pick'; on: boolean }
  | { type: 'select'; trail: number[]; tag: string; also?: boolean }
  | { type: 'layers'; on: boolean }
  | { type: 'hover'; trail: number[]; tag: string }
  | { type: 'arrange'; to: Arrangement | 'earlier' | 'later' }
  | { type: 'drop'; from: number[]; tag: string; to: number[]; over: string; after: boolean }
  | { type: 'tokens'; css: string }
  | { type: 'move'; to: Move }
  | { type: 'show'; property: string; value: string | null; variant?: string }
  | { type: 'pins'; pins: Pin[]; active: string }
  | { type: 'reveal'; id: string }
  | { type: 'settle' | 'write' };

const bounds = {
  stored: 256_000,
  path: 2000,
  title: 200,
  tag: 100,
  loc: 1300,
  selector: 1000,
  text: 2000,
  style: 200,
  styles: 60,
  variants: 20,
  trail: 200,
  says: 200,
  several: 50,
  layers: 2000,
  name: 60,
  pins: 500,
  id: 36,
  cause: 4000,
  user: 32_000,
};

/** readMessage validates a page's message. It returns null for others than the bridge's. */
export function readMessage(data: unknown): PageMessage | null {
  if (!isRecord(data) || data.source !== 'atelier-preview') return null;
  switch (data.type) {
    case 'location':
      return {
        type: 'location',
        path: pathOf(data.path),
        title: text(data.title, bounds.title),
        back: data.back === true,
        forward: data.forward === true,
        first: data.first === true,
      };
    case 'picked':
      return { type: 'picked', element: isRecord(data.element) ? readPicked(data.element) : null };
    case 'picking':
      return { type: 'picking', on: data.on === true };
    case 'several':
      return { type: 'several', elements: listOf(data.elements, bounds.several, readOther) };
    case 'layers':
      return { type: 'layers', layers: listOf(data.layers, bounds.layers, readLayer) };
    case 'drop':
      return {
        type: 'drop',
        from: readSpot(data.from),
        to: readSpot(data.to),
        after: data.after === true,
        trail: readTrail(data.trail),
      };
    case 'arrange':
      return data.to === 'delete' || data.to === 'duplicate' || data.to === 'wrap'
        ? { type: 'arrange', to: data.to }
        : null;
    case 'chosen':
      return { type: 'chosen' };
    case 'pinned':
      return { type: 'pinned', found: readPinned(data.found) };
    case 'pin':
      return { type: 'pin', id: text(data.id, bounds.id) };
    case 'step':
      return data.to === 'undo' || data.to === 'redo' ? { type: 'step', to: data.to } : null;
    case 'write':
      return { type: 'write' };
    case 'written':
      return typeof data.text === 'string' && data.text.length <= bounds.text
        ? { type: 'written', text: data.text }
        : null;
    case 'user':
      return readUser(data.text);
    case 'begun':
    case 'painted':
    case 'recovered':
      return { type: data.type };
    case 'stored':
      return typeof data.text === 'string' && data.text.length <= bounds.stored
        ? { type: 'stored', text: data.text }
        : null;
    case 'crashed':
    case 'failed':
    case 'threw':
      return { type: data.type, cause: text(data.cause, bounds.cause) };
  }
  return null;
}

// A part of a session would be none.
function readUser(said: unknown): PageMessage | null {
  if (said === null) return { type: 'user', text: null };
  const isWhole = typeof said === 'string' && said !== '' && said.length <= bounds.user;
  return isWhole ? { type: 'user', text: said } : null;
}

function readPicked(said: Record<string, unknown>): Picked | null {
  const tag = text(said.tag, bounds.tag);
  if (!/^[a-z][\w.-]*$/.test(tag)) return null;
  return {
    tag,
    loc: text(said.loc, bounds.loc),
    selector: text(said.selector, bounds.selector),
    count: Math.max(1, Math.min(9999, whole(said.count))),
    path: text(said.path, bounds.selector),
    says: text(said.says, bounds.says),
    trail: Array.isArray(said.trail) ? said.trail.slice(0, bounds.trail).map(whole) : [],
    text: optional(said.text, bounds.text),
    classes: optional(said.classes, bounds.text),
    src: optional(said.src, bounds.text),
    alt: optional(said.alt, bounds.text),
    styles: readStyles(said.styles),
    declared: readDeclared(said.declared),
  };
}

function listOf<T>(said: unknown, most: number, read: (one: unknown) => T | null): T[] {
  if (!Array.isArray(said)) return [];
  return said
    .slice(0, most)
    .map(read)
    .filter((one) => one !== null);
}

function readTrail(said: unknown): number[] {
  return Array.isArray(said) ? said.slice(0, bounds.trail).map(whole) : [];
}

function readSpot(said: unknown): Spot | null {
  if (!isRecord(said)) return null;
  const tag = text(said.tag, bounds.tag);
  if (!/^[a-z][\w.-]*$/.test(tag)) return null;
  return { tag, loc: text(said.loc, bounds.loc), selector: text(said.selector, bounds.selector) };
}

function readOther(said: unknown): Other | null {
  const spot = readSpot(said);
  if (!spot || !isRecord(said)) return null;
  return { ...spot, says: text(said.says, bounds.says), trail: readTrail(said.trail) };
}

function readLayer(said: unknown): Layer | null {
  const other = readOther(said);
  if (!other || !isRecord(said)) return null;
  const { tag, loc, says, trail } = other;
  return {
    depth: Math.min(whole(said.depth), bounds.trail),
    tag,
    loc,
    says,
    trail,
    name: text(said.name, bounds.name),
  };
}

function readPinned(said: unknown): Pinned[] {
  if (!Array.isArray(said)) return [];
  return said
    .slice(0, bounds.pins)
    .filter(isRecord)
    .map(({ id, loc }) => ({ id: text(id, bounds.id), loc: text(loc, bounds.loc) }));
}

function readStyles(said: unknown): Record<string, string> {
  if (!isRecord(said)) return {};
  return Object.fromEntries(
    Object.entries(said)
      .slice(0, bounds.styles)
      .filter(([name]) => /^[a-z-]{1,40}$/.test(name))
      .map(([name, value]) => [name, text(value, bounds.style)]),
  );
}

function readDeclared(said: unknown): Record<string, Record<string, string>> {
  if (!isRecord(said)) return {};
  return Object.fromEntries(
    Object.entries(said)
      .slice(0, bounds.variants)
      .filter(([variant]) => /^[\w:-]{0,100}$/.test(variant))
      .map(([variant, styles]) => [variant, readStyles(styles)]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown, most: number): string {
  return typeof value === 'string' ? value.slice(0, most) : '';
}

function optional(value: unknown, most: number): string | null {
  return typeof value === 'string' ? value.slice(0, most) : null;
}

function whole(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0;
}

function pathOf(value: unknown): string {
  const path = text(value, bounds.path);
  return path.startsWith('/') ? path : '/';
}
