// The API calls of a chat.

import { ApiError, address, api, request } from '~/api/client';
import { readEvents } from '~/api/stream';
import type { Plan } from '~/api/types';
import { config } from '~/app/config';
import type { ChatEvent } from './events';
import type { Picture, Waiting } from './queue';

interface EventPage {
  items: ChatEvent[];
  nextCursor: string | null;
}

/**
 * silence is the time, in milliseconds, after which a silent stream counts as broken. The
 * service sends something every 15 seconds.
 */
const silence = 40_000;

export class Wire {
  constructor(
    private readonly projectId: string,
    private readonly chatId: string,
  ) {}

  page(bounds: { before?: number; after?: number; limit: number }, signal: AbortSignal): Promise<EventPage> {
    return api.get<EventPage>(`/chat/${this.projectId}/messages`, {
      query: { chatId: this.chatId, ...bounds },
      signal,
    });
  }

  send({ text, choice, references }: Waiting, pictures: Picture[], signal: AbortSignal): Promise<Response> {
    const attachments = pictures.map(({ url }) => ({ type: 'image', url }));
    return this.open(
      'POST',
      `/chat/${this.projectId}/messages`,
      {
        chatId: this.chatId,
        text,
        ...choice,
        ...(attachments.length > 0 ? { attachments } : {}),
        ...(references ? { references } : {}),
        detach: true,
      },
      signal,
    );
  }

  follow(after: number, signal: AbortSignal): Promise<Response> {
    return this.open(
      'GET',
      address(`/chat/${this.projectId}/stream`, { chatId: this.chatId, after }),
      undefined,
      signal,
    );
  }

  approve(id: string, allow: boolean, signal: AbortSignal): Promise<Response> {
    return this.open(
      'POST',
      `/chat/${this.projectId}/approve`,
      { chatId: this.chatId, id, allow, detach: true },
      signal,
    );
  }

  runPlan(signal: AbortSignal): Promise<Response> {
    return this.open('POST', `/plan/${this.projectId}/run`, { chatId: this.chatId, detach: true }, signal);
  }

  imageAt(id: string): string {
    return `${config.base}/projects/${this.projectId}/chats/${this.chatId}/attachments/${id}`;
  }

  async stop(): Promise<void> {
    await request('POST', `/chat/${this.projectId}/stop`, { chatId: this.chatId });
  }

  /** plan returns the chat's last plan, or null. */
  async plan(signal: AbortSignal): Promise<Plan | null> {
    try {
      return await api.get<Plan>(`/plan/${this.projectId}`, { query: { chatId: this.chatId }, signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  private open(method: string, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
    return request(method, path, body, { headers: { Accept: 'text/event-stream' }, signal });
  }
}

/**
 * readChat calls take for each event until the stream ends. It throws if the stream stays
 * silent.
 */
export async function readChat(
  answer: Response,
  abort: AbortController,
  take: (event: ChatEvent) => void,
): Promise<void> {
  let timer = setTimeout(() => abort.abort(), silence);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), silence);
  };
  try {
    await readEvents(answer, ({ data }) => take(JSON.parse(data) as ChatEvent), heard);
  } finally {
    clearTimeout(timer);
  }
}
