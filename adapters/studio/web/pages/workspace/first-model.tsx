import { useEffect, useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { t } from '~/text';
import { Button, complain, useTask } from '~/ui';
import { ModelField } from './model-select';
import { type Found, providersOf, takeBack } from './provider-calls';

/** FirstStepProps are the props of each step of adding the first provider. */
export interface FirstStepProps {
  workspaceId: string;
  /** onDone is called when the workspace has a working provider. */
  onDone: () => void;
}

/** FirstModel selects the model of a provider that was just added. */
export function FirstModel({ workspaceId, found, onDone }: FirstStepProps & { found: Found }) {
  const [model, setModel] = useState(() => (found.models.find(({ tools }) => tools) ?? found.models[0])?.id ?? '');
  const { busy, run } = useTask({ leaves: true, onError: complain });
  const taken = useRef(false);
  // Closing the form removes the provider again.
  useEffect(
    () => () => {
      if (!taken.current) void takeBack(workspaceId, found.provider);
    },
    [],
  );
  const use = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.patch(`${providersOf(workspaceId)}/${found.provider.id}`, {
        defaultModel: model.trim() || null,
        isDefault: true,
      });
      taken.current = true;
      onDone();
    });
  };
  return (
    <form class="form" onSubmit={use}>
      <ModelField label={t.workspace.first.model} models={found.models} value={model} onChange={setModel} />
      <div class="form__actions">
        <Button kind="primary" type="submit" busy={busy}>
          {t.workspace.first.useModel}
        </Button>
      </div>
    </form>
  );
}
