import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import { t } from '~/text';
import { Button, IconButton } from './button';
import { Modal } from './modal';

interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

/** Dialog is a modal window. It is open while it is rendered. */
export function Dialog({ title, onClose, wide, children }: DialogProps) {
  const id = useId();
  return (
    <Modal class={wide ? 'dialog dialog--wide' : 'dialog'} aria-labelledby={id} onClose={onClose}>
      <div class="dialog__head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={t.shell.close} onClick={onClose} />
      </div>
      <div class="dialog__body">{children}</div>
    </Modal>
  );
}

interface Question {
  title: string;
  text: ComponentChildren;
  /** choice is below the text. */
  choice?: ComponentChildren;
  /** confirm is the label of the confirm button, a verb. */
  confirm: string;
  danger?: boolean;
}

const asked = signal<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** ask asks for confirmation of an action that cannot be undone. */
export function ask(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = null;
        resolve(yes);
      },
    };
  });
}

/** Questions renders the dialogs of ask. The application has one instance. */
export function Questions() {
  const question = asked.value;
  if (!question) return null;
  return (
    <Dialog title={question.title} onClose={() => question.answer(false)}>
      <p>{question.text}</p>
      {question.choice && <div class="dialog__choice">{question.choice}</div>}
      <div class="dialog__actions">
        <Button onClick={() => question.answer(false)}>{t.shell.cancel}</Button>
        <Button kind={question.danger ? 'danger' : 'primary'} onClick={() => question.answer(true)}>
          {question.confirm}
        </Button>
      </div>
    </Dialog>
  );
}
