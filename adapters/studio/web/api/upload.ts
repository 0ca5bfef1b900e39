// Uploads with progress events, which fetch does not offer.

import { config } from '~/app/config';
import { ApiError, errorOf, renew } from './client';

/**
 * upload posts a form and reports the sent share, 0 to 1, to progress. It throws as
 * api.post does, and an AbortError when the signal aborts it.
 */
export async function upload<T>(
  path: string,
  form: FormData,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<T> {
  let answer = await send(path, form, progress, signal);
  if (answer.status === 401 && (await renew())) answer = await send(path, form, progress, signal);
  if (!answer.ok) throw await errorOf(answer);
  return (await answer.json()) as T;
}

function send(path: string, form: FormData, progress: (part: number) => void, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    const stop = () => call.abort();
    signal.addEventListener('abort', stop);
    call.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    call.onload = () =>
      resolve(
        new Response(call.responseText, {
          status: call.status,
          headers: { 'Retry-After': call.getResponseHeader('Retry-After') ?? '' },
        }),
      );
    call.onerror = () => reject(new ApiError(0, 'offline', 'The service cannot be reached.'));
    call.onabort = () => reject(new DOMException('The upload was stopped.', 'AbortError'));
    call.onloadend = () => signal.removeEventListener('abort', stop);
    call.open('POST', config.base + path);
    call.setRequestHeader('Accept', 'application/json');
    call.send(form);
  });
}
