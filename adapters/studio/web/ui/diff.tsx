import { useMemo, useState } from 'preact/hooks';

import { t } from '~/text';
import { Button } from './button';

// The number of lines shown initially, and added by each click on "more".
const portion = 400;

// Longer lines are truncated, because browsers lay them out slowly.
const longest = 2000;

/** Diff shows a unified diff, or one file's part of it. */
export function Diff({ patch, label }: { patch: string; label: string }) {
  const lines = useMemo(() => patch.replace(/\n$/, '').split('\n'), [patch]);
  const [most, setMost] = useState(portion);
  const rest = lines.length - most;
  return (
    <>
      <pre class="diff" tabIndex={0} role="region" aria-label={label}>
        {lines.slice(0, most).map((line, index) => (
          <span key={index} class={lookOf(line)}>
            {cut(line) || ' '}
          </span>
        ))}
      </pre>
      {rest > 0 && (
        <Button
          small
          kind="quiet"
          onClick={() => setMost(most + 5 * portion)}
        >{`${t.shell.showMore} (${rest})`}</Button>
      )}
    </>
  );
}

function cut(line: string): string {
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

function lookOf(line: string): string {
  if (line.startsWith('@@')) return 'diff__line diff__line--place';
  if (line.startsWith('+') && !line.startsWith('+++')) return 'diff__line diff__line--added';
  if (line.startsWith('-') && !line.startsWith('---')) return 'diff__line diff__line--removed';
  return 'diff__line';
}
