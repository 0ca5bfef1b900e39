// A WebSocket to the project's room that reconnects automatically.

import { signal } from '@preact/signals';

import { renew } from '~/api/client';
import { config } from '~/app/config';

/**
 * LinkState is the state of a link. A link that is down reconnects. A link is lost if the
 * user has no access to the project, and ended if the service does not support this page;
 * neither reconnects.
 */
export type LinkState = 'connecting' | 'up' | 'down' | 'lost' | 'ended';

interface Talk {
  open: () => void;
  hear: (data: string | ArrayBuffer) => void;
}

// A connection counts as stable after goodAfter and as broken after silence without a
// message, in milliseconds. The room sends a message every 20 seconds and answers
// immediately, so a dead network is detected.
const goodAfter = 5000;
const silence = 45_000;
const answerTime = 8000;
const [shortestWait, longestWait] = [300, 30_000];

// The close codes of the service.
const [tokenExpired, forbidden, tooSlow] = [4401, 4403, 4408];

/** Link keeps a socket open, and reconnects until it is closed. */
export class Link {
  readonly state = signal<LinkState>('connecting');

  private socket: WebSocket | null = null;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private quiet: ReturnType<typeof setTimeout> | undefined;
  private unanswered: ReturnType<typeof setTimeout> | undefined;
  private over = false;
  private readonly wake = () => {
    if (this.state.peek() === 'down' && !this.socket) this.connect();
  };
  private readonly sleep = () => this.drop();

  /** Without a protocol, the link speaks binary Yjs messages. */
  constructor(
    private readonly projectId: string,
    private readonly protocol: string | null,
    private readonly talk: Talk,
  ) {}

  open(): void {
    addEventListener('online', this.wake);
    addEventListener('offline', this.sleep);
    this.connect();
  }

  /** close ends the link. Messages that were sent still arrive. */
  close(): void {
    this.over = true;
    removeEventListener('online', this.wake);
    removeEventListener('offline', this.sleep);
    clearTimeout(this.timer);
    this.release();
  }

  // release closes the socket without waiting for the other side.
  private release(): void {
    clearTimeout(this.quiet);
    clearTimeout(this.unanswered);
    this.unanswered = undefined;
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onclose = socket.onmessage = null;
    // Browsers log an error for a socket that is closed while connecting.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  }

  /** send sends a message if the link is up, and otherwise drops it. */
  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(data);
  }

  /** ask sends a message that requires an immediate answer. Without one, the link reconnects. */
  ask(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(data);
    this.unanswered ??= setTimeout(() => this.drop(), answerTime);
  }

  private drop(): void {
    if (!this.socket) return;
    this.release();
    this.failures++;
    this.again(false);
  }

  private connect(): void {
    clearTimeout(this.timer);
    if (this.over) return;
    const address = `${location.origin.replace(/^http/, 'ws')}${config.base}/ws/project/${this.projectId}`;
    const socket = this.protocol === null ? new WebSocket(address) : new WebSocket(address, this.protocol);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    this.listen();
    let since = 0;
    socket.onopen = () => {
      since = Date.now();
      this.state.value = 'up';
      this.listen();
      this.talk.open();
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.listen();
      this.talk.hear(data);
    };
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return;
      this.release();
      this.failures = since > 0 && Date.now() - since > goodAfter ? 0 : this.failures + 1;
      this.closed(code, since > 0);
    };
  }

  private listen(): void {
    clearTimeout(this.quiet);
    clearTimeout(this.unanswered);
    this.unanswered = undefined;
    this.quiet = setTimeout(() => this.drop(), silence);
  }

  private closed(code: number, wasOpen: boolean): void {
    if (code === forbidden) this.state.value = 'lost';
    else if (code >= 4400 && code < 4500 && code !== tokenExpired && code !== tooSlow) this.state.value = 'ended';
    else this.again(code === tokenExpired || (!wasOpen && this.failures > 1));
  }

  // again reconnects after a pause. A socket that never opened gives no reason; the session
  // may have expired.
  private again(stale: boolean): void {
    this.state.value = 'down';
    const most = Math.min(longestWait, shortestWait * 2 ** this.failures);
    this.timer = setTimeout(
      () => {
        if (stale) void renew().finally(this.wake);
        else this.connect();
      },
      most * (0.5 + Math.random() / 2),
    );
  }
}
