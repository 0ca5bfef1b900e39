import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { CodeBlock } from './code';
import { inline } from './inline';
import { memo } from './memo';
import { plain } from './plain';
import { type Block, MarkdownReader } from './reader';

/** share is the time per frame, in milliseconds, for parsing. */
const share = 6;

/**
 * Markdown shows a model's text, which may still grow. A long text is rendered over several
 * frames.
 */
export function Markdown({ text }: { text: string }) {
  const reader = useRef<MarkdownReader>(undefined);
  reader.current ??= new MarkdownReader();
  const [, again] = useState(0);
  const over = reader.current.read(text, performance.now() + share);
  useEffect(() => {
    if (over) return;
    const frame = requestAnimationFrame(() => again((count) => count + 1));
    return () => cancelAnimationFrame(frame);
  });
  return (
    <div class="md">
      {reader.current.sections().map((section) => (
        <SectionView key={section.key} blocks={section.blocks} />
      ))}
    </div>
  );
}

const SectionView = memo(({ blocks }: { blocks: readonly Block[] }) => (
  <>
    {blocks.map((block) =>
      'code' in block ? (
        <CodeBlock key={block.key} code={block.code} />
      ) : (
        <BlockView key={block.key} token={block.token} />
      ),
    )}
  </>
));

const BlockView = memo(({ token }: { token: Token }) => <>{blockOf(token)}</>);

function blockOf(token: Token): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens)}</p>;
    case 'text':
      return <>{token.tokens ? inline(token.tokens) : plain(token.text)}</>;
    case 'heading':
      return <Heading token={token as Tokens.Heading} />;
    case 'hr':
      return <hr />;
    case 'blockquote':
      return <blockquote dir="auto">{children(token.tokens)}</blockquote>;
    case 'list':
      return <List token={token as Tokens.List} />;
    case 'table':
      return <Table token={token as Tokens.Table} />;
    case 'code':
      return (
        <pre class="snippet__text snippet__text--alone" dir="ltr" tabIndex={0}>
          <code>{plain(token.text)}</code>
        </pre>
      );
    case 'html':
      return (
        <p class="md__raw" dir="auto">
          {plain(token.raw.trimEnd())}
        </p>
      );
    default:
      return inline([token]);
  }
}

function children(tokens: Token[] | undefined): ComponentChildren {
  return tokens?.map((token, index) => <BlockView key={index} token={token} />);
}

// Heading is level 2 to screen readers, below the page's heading, whatever its size.
function Heading({ token }: { token: Tokens.Heading }) {
  return (
    <p class={`md__heading md__heading--${Math.min(token.depth, 3)}`} role="heading" aria-level={2} dir="auto">
      {inline(token.tokens)}
    </p>
  );
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => (
    <li key={index} class={item.task ? 'md__task' : undefined} dir="auto">
      {children(item.tokens)}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token }: { token: Tokens.Table }) {
  const cell = (Tag: 'th' | 'td', { tokens, align }: Tokens.TableCell, index: number) => (
    <Tag key={index} dir="auto" style={align ? { textAlign: align } : undefined}>
      {inline(tokens)}
    </Tag>
  );
  return (
    <div
      class="md__table"
      tabIndex={0}
      role="region"
      aria-label={token.header
        .map(({ text }) => text)
        .join(', ')
        .slice(0, 80)}
    >
      <table>
        <thead>
          <tr>{token.header.map((head, index) => cell('th', head, index))}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>{row.map((data, index) => cell('td', data, index))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
