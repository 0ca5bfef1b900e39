import { useState } from 'preact/hooks';

import { t } from '~/text';
import { complain, IconButton } from '~/ui';
import { memo } from './memo';
import { plain } from './plain';
import type { CodeText } from './reader';

/** CodeBlock shows code with its language and a copy button. */
export const CodeBlock = memo(({ code }: { code: CodeText }) => {
  const steps = code.language === 'json' || code.language === '' ? code.closed && isPlan(code) : false;
  if (steps)
    return (
      <details class="md__folded">
        <summary>{t.chat.planSource}</summary>
        <Lines code={code} />
      </details>
    );
  return <Lines code={code} />;
});

function Lines({ code }: { code: CodeText }) {
  return (
    <figure class="snippet">
      <figcaption class="snippet__head">
        <span>{plain(code.language)}</span>
        <Copy text={() => code.pieces.join('\n')} />
      </figcaption>
      <pre class="snippet__text" tabIndex={0} role="region" aria-label={t.chat.code(code.language)} dir="ltr">
        {code.pieces.map((piece, index) => (
          <Piece key={index} text={piece} />
        ))}
      </pre>
    </figure>
  );
}

const Piece = memo(({ text }: { text: string }) => <code class="snippet__piece">{plain(text || '\n')}</code>);

function Copy({ text }: { text: () => string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch (error) {
      complain(error);
    }
  };
  return (
    <IconButton icon={copied ? 'check' : 'copy'} label={copied ? t.shell.copied : t.shell.copy} small onClick={copy} />
  );
}

// isPlan reports whether the code is a plan, which the page shows as cards.
function isPlan(code: CodeText): boolean {
  if (!code.pieces[0]?.trimStart().startsWith('{') || code.pieces.length > 40) return false;
  try {
    return Array.isArray(JSON.parse(code.pieces.join('\n')).steps);
  } catch {
    return false;
  }
}
