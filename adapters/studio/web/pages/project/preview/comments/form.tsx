import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, complain, enterSends, TextArea, useTask } from '~/ui';

interface TextFormProps {
  label: string;
  /** send is the label of the button. */
  send: string;
  initial?: string;
  onSend: (text: string) => Promise<void>;
  onCancel?: () => void;
}

const longest = 2000;

/** TextForm writes or changes a comment. */
export function TextForm({ label, send, initial = '', onSend, onCancel }: TextFormProps) {
  const [text, setText] = useState(initial);
  const { busy, run } = useTask({ onError: complain });
  const isEmpty = text.trim() === '';
  const submit = () => {
    if (isEmpty || busy) return;
    void run(async () => {
      await onSend(text.trim());
      setText('');
    });
  };
  return (
    <form
      class="comments__form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextArea
        label={label}
        hideLabel
        placeholder={label}
        rows={2}
        maxLength={longest}
        dir="auto"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && onCancel) {
            event.preventDefault();
            event.stopPropagation();
            onCancel();
          } else if (enterSends(event)) {
            event.preventDefault();
            submit();
          }
        }}
      />
      <div class="comments__actions">
        <Button type="submit" small kind="primary" disabled={isEmpty} busy={busy}>
          {send}
        </Button>
        {onCancel && (
          <Button small onClick={onCancel}>
            {t.comments.cancel}
          </Button>
        )}
      </div>
    </form>
  );
}
