import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Preview } from '~/api/types';
import type { DataDesk } from './desk';

/**
 * useAddress returns the address of the application that uses the shown data, without a
 * trailing slash: the preview or the published site. It is null until known, or if isWanted
 * is false.
 */
export function useAddress(desk: DataDesk, isWanted: boolean): string | null {
  const { store } = desk;
  const env = desk.env.value;
  const { data } = useLoad(`${env} ${isWanted}`, async () => {
    if (!isWanted) return null;
    if (env === 'live') return store.project.peek().url;
    return (await api.post<Preview>(`/projects/${store.id}/preview`)).url;
  });
  return data?.replace(/\/$/, '') ?? null;
}
