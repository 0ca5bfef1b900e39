import { t } from '~/text';
import { Button, Dialog } from '~/ui';

/** Terms explains the terms of the pane. */
export function Terms({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t.data.termsTitle} onClose={onClose} wide>
      <dl class="terms">
        {Object.values(t.data.terms).map(({ name, text }) => (
          <div key={name} class="terms__one">
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog__actions">
        <Button kind="primary" onClick={onClose}>
          {t.shell.close}
        </Button>
      </div>
    </Dialog>
  );
}
