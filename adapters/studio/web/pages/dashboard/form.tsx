import type { ComponentChildren } from 'preact';

import { t } from '~/text';
import { Button, Dialog, Failure, useTask } from '~/ui';

interface FormProps {
  title: string;
  /** confirm is the label of the submit button. */
  confirm: string;
  /** act does it; the dialog closes when it has, and keeps everything when it fails. */
  act: () => Promise<void>;
  onClose: () => void;
  wide?: boolean;
  disabled?: boolean;
  children: ComponentChildren;
}

/** FormDialog is a dialog with fields and one button that does something with them. */
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
