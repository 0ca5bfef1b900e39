// A socket to the project's room that reconnects automatically.

import { signal } from '@preact/signals';

import { renew } from '~/api/client';
import { config } from '~/app/config';

/**
 * LinkState says how a link is. One that is down comes back; one that is lost, because
 * the reader may no longer see the project, or ended, because the service does not
 * understand this page, does not.
 */
export type LinkState = 'connecting' | 'up' | 'down' | 'lost' | 'ended';

/** Talk handles the messages of a link. */
interface Talk {
  open: () => void;
  hear: (data: string | ArrayBuffer) => void;
}

// A connection counts as good after the first of these times, and as broken after the second
// without a message, in milliseconds. The room sends one every 20 seconds and answers at once,
// so a network that drops everything is detected.
const goodAfter = 5000;
const silence = 45_000;
const answerTime = 8000;
const [shortestWait, longestWait] = [300, 30_000];

// The codes with which the service ends a socket (contract, section 7).
const [tokenExpired, forbidden, tooSlow] = [4401, 4403, 4408];

/** Link is one socket after another, until it is closed. */
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

  /** A link without a protocol speaks that of Yjs, in bytes. */
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

  /** close ends the link; messages that were sent still arrive. */
  close(): void {
    this.over = true;
    removeEventListener('online', this.wake);
    removeEventListener('offline', this.sleep);
    clearTimeout(this.timer);
    this.release();
  }

  // release drops the socket without waiting for the other side.
  private release(): void {
    clearTimeout(this.quiet);
    clearTimeout(this.unanswered);
    this.unanswered = undefined;
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onclose = socket.onmessage = null;
    // Browsers complain of a socket that is closed before it was open.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  }

  /** send sends what the other side gets only if the link is up. */
  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(data);
  }

  /** ask sends a message that is answered at once: a link without an answer counts as lost. */
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

  // again connects after a while. A socket that was never open does not tell why: the
  // session may have run out.
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
