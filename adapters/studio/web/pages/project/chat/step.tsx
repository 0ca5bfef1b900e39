import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

import { Icon } from '~/ui';

interface StepProps {
  /** kind is the modifier of its class. */
  kind?: string;
  icon: ComponentChildren;
  words: ComponentChildren;
  /** below is shown whether the step is open or not. */
  below?: ComponentChildren;
  bodyClass?: string;
  children: ComponentChildren;
}

/** Step shows a part of the agent's work as a line that expands to its details. */
export function Step({ kind, icon, words, below, bodyClass = 'step__body', children }: StepProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div class={kind ? `step step--${kind}` : 'step'}>
      <button
        type="button"
        class="step__line"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {icon}
        <span class="step__words">{words}</span>
        <Icon name={open ? 'up' : 'down'} />
      </button>
      {below}
      {open && (
        <div class={bodyClass} id={id}>
          {children}
        </div>
      )}
    </div>
  );
}
