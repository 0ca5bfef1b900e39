import Lightbulb from 'lucide/dist/esm/icons/lightbulb.mjs';
import { useEffect, useState } from 'preact/hooks';

import { t } from '~/text';
import { Icon } from '~/ui';
import type { ThinkingItem } from './log';
import { Markdown } from './markdown';
import { Step } from './step';

/** Thinking shows a model's reasoning, collapsed to a line with its duration. */
export function Thinking({ item }: { item: ThinkingItem }) {
  const seconds = useSeconds(item);
  return (
    <Step
      icon={<Icon name={Lightbulb} />}
      words={item.ended === null ? t.chat.thinking(seconds) : t.chat.thought(seconds)}
      bodyClass="step__body step__body--thinking"
    >
      <Markdown text={item.text} />
    </Step>
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
