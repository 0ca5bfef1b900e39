// The models that a message can go to.

import { api } from '~/api/client';
import type { Model } from '~/api/types';
import { keepDefaultKind, type ProviderList } from '~/pages/default-kind';
import { modelNotes } from '~/pages/model-notes';
import { t } from '~/text';
import type { Offer } from './offer';

/** offersOf lists the models of a workspace and, if wanted, the user's own subscriptions. */
export async function offersOf(wid: string, subscriptions: boolean): Promise<Offer[]> {
  const [list, own] = await Promise.all([
    api.get<ProviderList>(`/workspaces/${wid}/ai-providers`),
    subscriptions
      ? api.get<{ items: { id: string; name: string }[] }>('/users/me/ai-providers')
      : Promise.resolve({ items: [] }),
  ]);
  keepDefaultKind(wid, list);
  const offers = await Promise.all(
    [...list.items, ...list.platform.map(({ id, name }) => ({ id, name: t.chat.ofPlatform(name) }))].map(
      async ({ id, name: group }): Promise<Offer[]> => {
        try {
          const { items } = await api.get<{ items: Model[] }>(`/workspaces/${wid}/ai-providers/${id}/models`);
          return items.map((model) => ({
            group,
            name: model.id,
            notes: modelNotes(model).join(' · '),
            choice: { model: `${id}/${model.id}` },
          }));
        } catch {
          return [{ group, name: t.chat.noModels, notes: '', choice: null }];
        }
      },
    ),
  );
  return [
    ...offers.flat(),
    ...own.items.map(
      ({ name }): Offer => ({ group: t.chat.ownSubscription, name, notes: '', choice: { provider: 'own' } }),
    ),
  ];
}
