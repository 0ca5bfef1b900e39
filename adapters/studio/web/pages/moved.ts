// A preview in a tab of its own, whose address became a former one (core/preview). Its page sends
// the browser here with a fragment: code, path, and user, which is what PocketBase's client keeps of
// the end user. This page knows the person, so it learns the next address, and leads there.

import { api } from '~/api/client';

/** leaving takes what the page brought out of the address. */
export function leaving(): URLSearchParams {
  const brought = new URLSearchParams(location.hash.slice(1));
  history.replaceState(history.state, '', location.pathname + location.search);
  return brought;
}

/** nextAddress returns the preview's address now. It leads to no other host, whatever the path. */
export async function nextAddress(project: string, brought: URLSearchParams): Promise<string> {
  const { url, code } = await api.post<{ url: string; code: string }>(
    `/projects/${encodeURIComponent(project)}/preview/move`,
    { code: brought.get('code') ?? '' },
  );
  const preview = new URL(url);
  const page = new URL(brought.get('path') ?? '/', preview);
  const next = page.origin === preview.origin ? page : preview;
  const user = brought.get('user');
  if (code && user) next.hash = `atelier-arrival&${new URLSearchParams({ code, user, hash: next.hash })}`;
  return next.href;
}
