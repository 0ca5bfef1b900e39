// An incremental Markdown parser. It parses finished blocks once and only the last ones
// again with each chunk. A parse takes bounded time for any text: the parser works on a
// window and splits longer blocks.

import { Lexer, type Token } from 'marked';

/** Block is a block of the text. Finished blocks never change and keep their identity. */
export type Block = { key: number; token: Token } | { key: number; code: CodeText };

export interface CodeText {
  language: string;
  /** pieces are groups of lines, each without its final line break. */
  pieces: readonly string[];
  closed: boolean;
}

/** Section is a group of blocks. Rendering skips finished sections. */
export interface Section {
  key: number;
  blocks: readonly Block[];
}

interface Fence {
  key: number;
  mark: string;
  indent: number;
  language: string;
  pieces: string[];
  lines: string[];
}

const windowLength = 2048;
/** widestWindow is the window for a block that does not fit, as long as parsing is fast. */
const widestWindow = 8 * windowLength;
/** quick is the parse time, in milliseconds, up to which a wider window is tried. */
const quick = 3;
const sectionLength = 20;
const pieceLines = 50;
const longestLine = 2000;

export class MarkdownReader {
  private at = 0;
  private key = 0;
  private full: Section[] = [];
  private blocks: Block[] = [];
  private tail: Block[] = [];
  private fence: Fence | null = null;
  /** partial is the incomplete last line of the fence. */
  private partial = '';
  /** closing is whether that line closes the fence, unless it continues. */
  private closing = false;

  /**
   * read parses the whole text so far, which must start with the text of the previous call.
   * It stops at a time of performance.now and reports whether it is done.
   */
  read(text: string, until: number): boolean {
    const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    this.tail = [];
    for (;;) {
      const over = this.fence ? this.readFence(source, this.fence, until) : this.readWindow(source);
      if (over) return true;
      if (performance.now() > until) return false;
    }
  }

  /** sections returns everything parsed so far. */
  sections(): Section[] {
    const open = [...this.blocks, ...this.tail];
    if (this.fence) open.push({ key: this.fence.key, code: this.codeOf(this.fence, this.closing) });
    return open.length > 0 ? [...this.full, { key: -1 - this.full.length, blocks: open }] : this.full;
  }

  private readWindow(source: string, width = windowLength): boolean {
    const text = source.slice(this.at, this.at + width);
    const isEnd = this.at + width >= source.length;
    const begun = performance.now();
    const tokens = lex(text);
    const settled = settledIn(tokens);
    if (this.takeAll(tokens, settled)) return this.at >= source.length;
    if (isEnd) {
      this.tail = tokens.slice(settled).map((token, index) => blockOf(this.key + index, token));
      return true;
    }
    if (settled > 0) return false;
    if (width < widestWindow && performance.now() - begun < quick) return this.readWindow(source, 2 * width);
    const cut = text.lastIndexOf('\n') + 1 || text.lastIndexOf(' ') + 1 || text.length;
    const cutTokens = lex(text.slice(0, cut));
    this.takeAll(cutTokens, cutTokens.length);
    return this.at >= source.length;
  }

  // takeAll finishes the first tokens. It does not parse an unclosed fence at the end as a
  // block, but line by line from then on, and reports whether it met one.
  private takeAll(tokens: Token[], count: number): boolean {
    const last = tokens.at(-1);
    const fence = last?.raw.includes('\n') ? openFence(last) : null;
    for (const token of tokens.slice(0, fence ? -1 : count)) {
      this.at += token.raw.length;
      this.finish(blockOf(this.key++, token));
    }
    if (!fence) return false;
    this.at += last!.raw.indexOf('\n') + 1;
    this.fence = { ...fence, key: this.key++, pieces: [], lines: [] };
    return true;
  }

  private readFence(source: string, fence: Fence, until: number): boolean {
    const closing = new RegExp(`^ {0,3}${fence.mark[0]}{${fence.mark.length},}[ \\t]*$`);
    for (let count = 1; ; count++) {
      const end = source.indexOf('\n', this.at);
      if (end < 0) break;
      const line = source.slice(this.at, end);
      this.at = end + 1;
      if (closing.test(line)) return this.closeFence(fence) && this.at >= source.length;
      this.addLine(fence, line);
      if (count % 500 === 0 && performance.now() > until) return false;
    }
    const rest = source.slice(this.at);
    this.closing = closing.test(rest);
    if (this.closing) return true;
    if (rest.length > longestLine) {
      this.addLine(fence, rest);
      this.at = source.length;
      return true;
    }
    this.partial = rest;
    return true;
  }

  private addLine(fence: Fence, line: string): void {
    this.partial = '';
    this.closing = false;
    const bare = line.slice(Math.min(fence.indent, line.length - line.trimStart().length));
    for (let from = 0; from === 0 || from < bare.length; from += longestLine) {
      fence.lines.push(bare.slice(from, from + longestLine));
      if (fence.lines.length < pieceLines) continue;
      fence.pieces.push(fence.lines.join('\n'));
      fence.lines = [];
    }
  }

  private closeFence(fence: Fence): true {
    this.partial = '';
    this.closing = false;
    this.finish({ key: fence.key, code: this.codeOf(fence, true) });
    this.fence = null;
    return true;
  }

  private codeOf(fence: Fence, closed: boolean): CodeText {
    const lines = this.partial && !closed ? [...fence.lines, this.partial] : fence.lines;
    return {
      language: fence.language,
      pieces: lines.length > 0 ? [...fence.pieces, lines.join('\n')] : [...fence.pieces],
      closed,
    };
  }

  private finish(block: Block): void {
    if ('token' in block && block.token.type === 'space') return;
    this.blocks.push(block);
    if (this.blocks.length < sectionLength) return;
    this.full = [...this.full, { key: -1 - this.full.length, blocks: this.blocks }];
    this.blocks = [];
  }
}

const deepQuote = /^(?:> ?){30}/m;

// lex never fails: text that is nested too deeply becomes a plain paragraph.
function lex(text: string): Token[] {
  try {
    const tokens: Token[] = deepQuote.test(text) ? [] : Lexer.lex(text);
    if (tokens.reduce((length, { raw }) => length + raw.length, 0) === text.length) return tokens;
  } catch {
    // Handled below.
  }
  return [{ type: 'html', raw: text, text, block: true, pre: false }];
}

// settledIn counts the tokens that further text cannot change: all but the last two blocks,
// because the last one may still merge with the one before it.
function settledIn(tokens: Token[]): number {
  let open = 2;
  for (let index = tokens.length - 1; index >= 0; index--) {
    if (tokens[index]!.type === 'space') continue;
    if (open-- === 0) return index + 1;
  }
  return 0;
}

const fencePattern = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\n]*)/;

// openFence reads the first line of an unclosed fence.
function openFence(token: Token): Pick<Fence, 'mark' | 'indent' | 'language'> | null {
  const found = token.type === 'code' ? fencePattern.exec(token.raw) : null;
  if (!found) return null;
  const lines = token.raw.trimEnd().split('\n');
  const mark = found[2]!;
  if (lines.length > 1 && new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`).test(lines.at(-1)!)) return null;
  return { mark, indent: found[1]!.length, language: languageOf(found[3]!) };
}

function languageOf(words: string): string {
  return (words.trim().split(/\s/)[0] ?? '').slice(0, 40);
}

function blockOf(key: number, token: Token): Block {
  if (token.type !== 'code') return { key, token };
  const text: string = token.text;
  const lines = text.split('\n').flatMap((line) => line.match(new RegExp(`.{1,${longestLine}}`, 'gsu')) ?? ['']);
  const pieces: string[] = [];
  for (let from = 0; from < lines.length; from += pieceLines)
    pieces.push(lines.slice(from, from + pieceLines).join('\n'));
  return { key, code: { language: languageOf(token.lang ?? ''), pieces, closed: true } };
}
