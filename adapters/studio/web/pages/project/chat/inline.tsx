import type { Token } from 'marked';
import type { ComponentChildren } from 'preact';

import { plain } from './plain';

/** inline renders inline Markdown. Nothing is parsed as HTML. */
export function inline(tokens: Token[] | undefined): ComponentChildren {
  return tokens?.map((token, index) => <Inline key={index} token={token} />);
}

function Inline({ token }: { token: Token }) {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code class="md__code">{plain(token.text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={token.href}>{inline(token.tokens)}</Link>;
    case 'image':
      return <Link href={token.href}>{plain(token.text || token.href)}</Link>;
    case 'checkbox':
      return (
        <input
          type="checkbox"
          class="md__check"
          checked={token.checked}
          disabled
          aria-label={token.checked ? '☑' : '☐'}
        />
      );
    case 'text':
      return <>{token.tokens ? inline(token.tokens) : plain(decoded(token.text))}</>;
    case 'escape':
      return <>{plain(token.text)}</>;
    default:
      return <>{plain(token.raw)}</>;
  }
}

// Link allows only http(s) and mailto. Images become links: loading one would reveal the
// reader to its host.
function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const address = safeAddress(href);
  if (!address) return <span class="md__nolink">{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {children}
    </a>
  );
}

function safeAddress(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return ['https:', 'http:', 'mailto:'].includes(url.protocol) ? url.href : null;
}

const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

// decoded decodes HTML entities in Markdown.
function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (name) return names[name] ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
}
