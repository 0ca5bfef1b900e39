import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';

import { browserStorage, isText } from '~/storage';
import { t } from '~/text';
import { Icon, IconButton } from '~/ui';

/** TipName is a term that is explained on its first use. */
export type TipName = 'collection' | 'field' | 'rule' | 'environment' | 'snapshot';

const memory = 'atelier.tips';

// known are the terms whose tips the user has dismissed.
const known = signal<string[]>(browserStorage.list(memory, isText));

interface TipProps {
  name: TipName;
  /** after is a tip that must be dismissed first, so that only one shows at a time. */
  after?: TipName;
}

/** Tip explains a term until the user dismisses it. */
export function Tip({ name, after }: TipProps) {
  const box = useRef<HTMLDivElement>(null);
  if (known.value.includes(name) || (after && !known.value.includes(after))) return null;
  const { name: word, text } = t.data.terms[name];
  const putAway = () => {
    // Move the focus on, because the button disappears.
    nextOf(box.current!)?.focus();
    const all = [...known.peek(), name];
    known.value = all;
    browserStorage.write(memory, all);
  };
  return (
    <div ref={box} class="tip" role="note">
      <Icon name="info" />
      <p>
        <strong>{word}.</strong> {text}
      </p>
      <IconButton small icon="close" label={t.data.putAway(word)} onClick={putAway} />
    </div>
  );
}

// nextOf returns the next focusable element.
function nextOf(box: HTMLElement): HTMLElement | undefined {
  const all = [...document.querySelectorAll<HTMLElement>('button, a[href], input, textarea, select, [tabindex="0"]')];
  const after = (one: HTMLElement) =>
    !box.contains(one) && (box.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return all.find((one) => after(one) && one.checkVisibility() && !(one as HTMLButtonElement).disabled);
}
