import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';

import { t } from '~/text';
import { Button } from './button';
import { enterSends } from './keyboard';

interface WishBoxProps {
  /** labelledBy is the id of the question that the text answers; without one, it is not shown. */
  labelledBy?: string;
  field: Ref<HTMLTextAreaElement>;
  text: string;
  maxLength: number;
  busy?: boolean;
  disabled?: boolean;
  onText: (text: string) => void;
  onBuild: () => void;
  onPaste: (event: ClipboardEvent) => void;
  /** above is shown over the text, such as images. */
  above?: ComponentChildren;
  /** children are the choices at the start of the box's foot. */
  children?: ComponentChildren;
}

/** WishBox is the field for the first prompt of a project. */
export function WishBox({
  labelledBy,
  field,
  text,
  maxLength,
  busy,
  disabled,
  onText,
  onBuild,
  onPaste,
  above,
  children,
}: WishBoxProps) {
  const keys = useId();
  return (
    <form
      class="wish__box"
      onSubmit={(event) => {
        event.preventDefault();
        onBuild();
      }}
    >
      {above}
      <textarea
        ref={field}
        class="wish__text"
        rows={2}
        maxLength={maxLength}
        value={text}
        readOnly={busy}
        aria-labelledby={labelledBy}
        aria-label={labelledBy ? undefined : t.dashboard.question}
        aria-describedby={keys}
        placeholder={t.dashboard.placeholder}
        onInput={(event) => onText(event.currentTarget.value)}
        onPaste={onPaste}
        onKeyDown={(event) => {
          if (!enterSends(event)) return;
          event.preventDefault();
          onBuild();
        }}
      />
      <div class="wish__foot">
        <div class="wish__choices">{children}</div>
        <span id={keys} class="wish__keys faint small">
          {t.dashboard.keys}
        </span>
        <Button kind="primary" type="submit" icon="send" busy={busy} disabled={disabled || text.trim() === ''}>
          {t.dashboard.build}
        </Button>
      </div>
    </form>
  );
}
