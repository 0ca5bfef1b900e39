import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Provider } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Dialog, Failure, Loading, useTask } from '~/ui';
import { ModelField } from './model-select';
import { modelsOf, providersOf, whyNot } from './provider-calls';

interface ProviderModelProps {
  workspaceId: string;
  provider: Provider;
  onClose: () => void;
  onSaved: (provider: Provider) => void;
}

/** ProviderModel selects a provider's default model. */
export function ProviderModel({ workspaceId, provider, onClose, onSaved }: ProviderModelProps) {
  const list = useLoad(`models ${provider.id} ${provider.updatedAt}`, (signal) =>
    modelsOf(workspaceId, provider.id, signal),
  );
  const [model, setModel] = useState(provider.defaultModel ?? '');
  const { busy, error, run } = useTask({ leaves: true });
  const text = t.workspace.providers;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () =>
      onSaved(
        await api.patch<Provider>(`${providersOf(workspaceId)}/${provider.id}`, { defaultModel: model.trim() || null }),
      ),
    );
  };
  return (
    <Dialog title={text.chooseModelTitle(provider.name)} onClose={onClose}>
      {list.loading ? (
        <Loading>{text.loadingModels}</Loading>
      ) : (
        <form class="form" onSubmit={submit}>
          {error !== undefined && <Failure error={error} />}
          {list.error && <Banner kind="warning">{text.modelsFailed(whyNot(list.error))}</Banner>}
          <ModelField
            label={text.model}
            hint={text.modelHint}
            models={list.data ?? []}
            value={model}
            empty={text.modelEmpty}
            onChange={setModel}
          />
          <div class="dialog__actions">
            <Button onClick={onClose}>{t.shell.cancel}</Button>
            <Button kind="primary" type="submit" busy={busy}>
              {t.shell.save}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
