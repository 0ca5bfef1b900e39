import type { Diagnostic, Preview } from '~/api/types';
import type { ChatEvent } from '../chat/events';

/** Peer is a client in the project's room, and where its person is. */
export interface Peer {
  clientId: number;
  user: { id: string; name: string; color: string; avatarUrl: string | null };
  path?: string;
  /** selection counts UTF-16 code units from the beginning of the file. */
  selection?: { start: number; end: number };
  /** cursor is what this studio says besides: where the window begins. */
  cursor?: unknown;
}

/** LiveEvent is a message of the service on a socket of the protocol atelier.v1. */
export type LiveEvent =
  | { type: 'welcome'; clientId: number; peers: Peer[] }
  | ({ type: 'presence.join' | 'presence.update' | 'presence.leave' } & Peer)
  | { type: 'file.changed'; path: string; content: string | null; size: number; etag: string; updatedAt: string }
  | { type: 'file.deleted'; path: string }
  | { type: 'file.renamed'; from: string; to: string }
  | { type: 'chat.event'; chatId: string; event: ChatEvent }
  | { type: 'preview.status'; status: Preview['status'] | 'stopped'; diagnostics: Diagnostic[] | null }
  | { type: 'project.updated' }
  | { type: 'pong' }
  | { type: 'error'; error: string; message: string };
