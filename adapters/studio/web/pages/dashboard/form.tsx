import type { ComponentChildren } from 'preact';

import { t } from '~/text';
import { Button, Dialog, Failure, useTask } from '~/ui';

interface FormProps {
  title: string;
  confirm: string;
  /** act performs the action. The dialog closes on success and keeps its input on failure. */
  act: () => Promise<void>;
  onClose: () => void;
  wide?: boolean;
  disabled?: boolean;
  children: ComponentChildren;
}

/** FormDialog is a dialog with fields and a submit button. */
export function FormDialog({ title, confirm, act, onClose, wide, disabled, children }: FormProps) {
  const { busy, error, run } = useTask({ leaves: true });
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await act();
      onClose();
    });
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        {children}
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={disabled}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
