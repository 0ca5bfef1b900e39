import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Preview } from '~/api/types';
import type { DataDesk } from './desk';

/** useAddress returns where the application with the shown data is, without a slash at the end: the preview or the published site. It is null until it is known, and where it is not wanted. */
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
