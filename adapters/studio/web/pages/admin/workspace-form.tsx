import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { InstanceWorkspace } from '~/api/types';
import { t } from '~/text';
import { Button, Dialog, Failure, TextField, useTask } from '~/ui';
import { changedQuotas, QuotaFields, typedQuotas } from './quota-fields';

interface WorkspaceFormProps {
  space: InstanceWorkspace;
  onSaved: (space: InstanceWorkspace) => Promise<void>;
  onClose: () => void;
}

/** WorkspaceForm gives quotas and credit to a workspace. */
export function WorkspaceForm({ space, onSaved, onClose }: WorkspaceFormProps) {
  const given = space.givenCredit === null ? '' : String(space.givenCredit);
  const [credit, setCredit] = useState(given);
  const [quotas, setQuotas] = useState(typedQuotas(space.givenQuotas));
  const { busy, error, run } = useTask();
  const text = t.admin.quotas;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const changed = changedQuotas(space.givenQuotas, quotas);
      const next = await api.patch<InstanceWorkspace>(`/admin/workspaces/${space.id}`, {
        ...(credit === given ? {} : { creditLimit: credit === '' ? null : Number(credit) }),
        ...(Object.keys(changed).length > 0 ? { quotas: changed } : {}),
      });
      await onSaved(next);
    });
  };
  return (
    <Dialog title={text.title(space.name)} wide onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <QuotaFields typed={quotas} onChange={setQuotas} hint={() => text.emptyHint} />
        <TextField
          label={text.creditLabel}
          hint={text.creditHint}
          type="number"
          min={0}
          max={1e9}
          step="any"
          inputMode="decimal"
          value={credit}
          onInput={({ currentTarget }) => setCredit(currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {t.shell.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
