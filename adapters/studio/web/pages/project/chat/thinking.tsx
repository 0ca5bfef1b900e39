import Lightbulb from 'lucide/dist/esm/icons/lightbulb.mjs';
import { useEffect, useId, useState } from 'preact/hooks';

import { t } from '~/text';
import { Icon } from '~/ui';
import type { ThinkingItem } from './log';
import { Markdown } from './markdown';

/** Thinking shows a model's reasoning, collapsed to a line with its duration. */
export function Thinking({ item }: { item: ThinkingItem }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const seconds = useSeconds(item);
  return (
    <div class="step">
      <button
        type="button"
        class="step__line"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name={Lightbulb} />
        <span class="step__words">{item.ended === null ? t.chat.thinking(seconds) : t.chat.thought(seconds)}</span>
        <Icon name={open ? 'up' : 'down'} />
      </button>
      {open && (
        <div class="step__body step__body--thinking" id={id}>
          <Markdown text={item.text} />
        </div>
      )}
    </div>
  );
}

// useSeconds counts the seconds while the model is thinking.
function useSeconds({ began, ended }: ThinkingItem): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (ended !== null) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ended === null]);
  return Math.max(0, Math.round(((ended === null ? now : Date.parse(ended)) - Date.parse(began)) / 1000));
}
