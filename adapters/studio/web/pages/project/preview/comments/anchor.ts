// Where comments are pinned.

import type { CommentThread, FileEntry, PageElement } from '~/api/types';
import { t } from '~/text';
import type { Reference } from '../../chat/events';
import type { Picked, Pin } from '../messages';
import { nameOf } from '../names';
import { targetOf } from '../target';

/** Anchor is where a comment is pinned. */
export type Anchor = Pick<CommentThread, 'page' | 'width' | 'element'>;

// The bounds of the service.
const widest = 20_000;
const longestPage = 1000;

/** pageOf returns the page at a path of the preview. A fragment is a page only for routers that use it. */
export function pageOf(path: string): string {
  const [page, fragment = ''] = path.split('#');
  return (fragment.startsWith('/') ? path : page!).slice(0, longestPage);
}

/** anchorOf pins a comment to a picked element, or to the whole page. */
export function anchorOf(path: string, width: number, picked: Picked | null): Anchor {
  return {
    page: pageOf(path),
    width: Math.min(Math.max(Math.round(width), 1), widest),
    element: picked && elementOf(picked),
  };
}

function elementOf({ tag, loc, path, says }: Picked): PageElement {
  const place = placeOf(loc);
  return { tag: tag.slice(0, 50), selector: path || tag, text: says, ...place };
}

// placeOf reads a place in the sources, 'path:line:column'.
function placeOf(loc: string): Pick<PageElement, 'path' | 'line' | 'column'> {
  const found = /^(.+):([1-9]\d{0,5}):([1-9]\d{0,5})$/.exec(loc);
  return found ? { path: found[1]!, line: Number(found[2]), column: Number(found[3]) } : {};
}

/** pinOf returns the pin of a thread, null for one on the whole page. */
export function pinOf(thread: CommentThread, number: number, author: string): Pin | null {
  const { element, id } = thread;
  if (!element) return null;
  const { tag, selector, path, line, column, text = '' } = element;
  const loc = path ? `${path}:${line}:${column}` : '';
  const label = t.comments.pin(number, author, thread.text.slice(0, 200));
  return { id, number, label, tag, selector, loc, text };
}

/** describe names the element of a comment in words that people use. */
export function describe(element: PageElement | null): string {
  if (!element) return t.comments.wholePage;
  return t.comments.onElement(nameOf(element.tag), shortened(element.text ?? '', 40));
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** referenceOf returns what a message to the agent refers to. loc is where the element is now, or ''. */
export function referenceOf({ page, element }: Anchor, loc: string, files: FileEntry[]): Reference[] {
  if (!element) return [];
  const now = placeOf(loc);
  const { path, line, column } = now.path ? now : element;
  if (path && line && column && files.some((file) => file.path === path))
    return [{ type: 'element', tag: element.tag, path, line, column }];
  const file = targetOf({ loc: '', selector: element.selector }, page, files)?.path;
  return file ? [{ type: 'file', path: file }] : [];
}

/** requestOf is what the agent is told of a thread. */
export function requestOf(thread: CommentThread, nameOfUser: (id: string) => string): string {
  const { element } = thread;
  const about = element ? `<${element.tag}>${element.text ? ` “${shortened(element.text, 80)}”` : ''}` : '';
  const replies = thread.replies.map(({ by, text }) => `- ${nameOfUser(by)}: ${text}`).join('\n');
  return t.comments.request(thread.page, about, thread.text, replies);
}
