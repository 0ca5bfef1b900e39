import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, Dialog, Failure } from '~/ui';

interface FormProps {
  title: string;
  /** confirm is what the button says that does it. */
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
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      await act();
      onClose();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form class="form" onSubmit={submit}>
        {failure !== undefined && <Failure error={failure} />}
        {children}
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={disabled}>{confirm}</Button>
        </div>
      </form>
    </Dialog>
  );
}
