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

export type PageMessage =
  | { type: 'location'; path: string; title: string; back: boolean; forward: boolean; first: boolean }
  | { type: 'picked'; element: Picked | null }
  | { type: 'picking'; on: boolean }
  | { type: 'step'; to: 'undo' | 'redo' }
  | { type: 'write' }
  | { type: 'written'; text: string }
  | { type: 'user'; text: string | null }
  | { type: 'begun' | 'recovered' }
  | { type: 'crashed'; cause: string };

export type Move = 'parent' | 'child' | 'next' | 'previous';

export type StudioMessage =
  | { type: 'navigate'; path: string }
  | { type: 'hello' | 'reload' | 'back' | 'forward' }
  | { type: 'user'; text: string }
  | { type: 'pick'; on: boolean }
  | { type: 'select'; trail: number[]; tag: string }
  | { type: 'move'; to: Move }
  | { type: 'show'; property: string; value: string | null; variant?: string }
  | { type: 'settle' | 'write' };

const bounds = {
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
    case 'recovered':
      return { type: data.type };
    case 'crashed':
      return { type: 'crashed', cause: text(data.cause, bounds.cause) };
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
    trail: Array.isArray(said.trail) ? said.trail.slice(0, bounds.trail).map(whole) : [],
    text: optional(said.text, bounds.text),
    classes: optional(said.classes, bounds.text),
    src: optional(said.src, bounds.text),
    alt: optional(said.alt, bounds.text),
    styles: readStyles(said.styles),
    declared: readDeclared(said.declared),
  };
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
