import type { DataEnv, Diagnostic, Preview } from '~/api/types';
import type { ChatEvent } from '../chat/events';

/** Peer is another client in the project's room, with its user and position. */
export interface Peer {
  clientId: number;
  user: { id: string; name: string; color: string; avatarUrl: string | null };
  path?: string;
  /** selection counts UTF-16 code units from the start of the file. */
  selection?: { start: number; end: number };
  /** cursor is an extension of the studio: the first visible position. */
  cursor?: unknown;
}

/** LiveEvent is a message from the service in the atelier.v1 protocol. */
export type LiveEvent =
  | { type: 'welcome'; clientId: number; peers: Peer[] }
  | ({ type: 'presence.join' | 'presence.update' | 'presence.leave' } & Peer)
  | { type: 'file.changed'; path: string; content: string | null; size: number; etag: string; updatedAt: string }
  | { type: 'file.deleted'; path: string }
  | { type: 'file.renamed'; from: string; to: string }
  | { type: 'chat.event'; chatId: string; event: ChatEvent }
  | {
      type: 'preview.status';
      status: Preview['status'] | 'stopped';
      diagnostics: Diagnostic[] | null;
      warnings?: Diagnostic[];
    }
  | { type: 'project.updated' }
  | { type: 'tasks.changed' }
  | { type: 'comments.changed' }
  | { type: 'data.changed'; environment?: DataEnv }
  | { type: 'pong' }
  | { type: 'error'; error: string; message: string };
