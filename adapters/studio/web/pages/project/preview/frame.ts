import { signal } from '@preact/signals';

import { tabStorage } from '~/storage';
import { type PageMessage, readMessage, type StudioMessage } from './messages';

// Pages without the bridge, such as images and notices, send no messages.
const silence = 4000;

/** Failure is an error of the page, with its stack trace. */
export interface Failure {
  cause: string;
  /**
   * type says what it left: crashed a blank page, failed the page before the newest change, and threw
   * a page that still works.
   */
  type: 'crashed' | 'failed' | 'threw';
}

/** Frame is the preview's iframe and the connection to the bridge in its page. */
export class Frame {
  readonly path = signal('/');
  readonly title = signal('');
  readonly canGoBack = signal(false);
  readonly canGoForward = signal(false);
  readonly loading = signal(true);
  /** failure is what is wrong with the page now, or null. */
  readonly failure = signal<Failure | null>(null);
  /** painted is whether the page has shown something, or shows nothing for long. */
  readonly painted = signal(false);

  /**
   * onUser receives the session of the page's end user, with the page's origin. It returns a
   * session that the page shall have instead, or null.
   */
  onUser: (origin: string, text: string | null) => string | null = () => null;
  /** onMessage receives messages about picking; onSilence is called if a page sends none. */
  onMessage: (message: PageMessage) => void = () => {};
  onSilence: () => void = () => {};

  /** memory is where the tab keeps what pages store that the browser refuses storage (storage.js). */
  constructor(private readonly memory: string) {}

  /** name is the name with which the frame begins: what pages stored before. */
  get name(): string {
    return tabStorage.text(this.memory) ?? '';
  }

  private element: HTMLIFrameElement | null = null;
  private listens = false;
  // hasPage is true once a page has spoken or loaded: before, the frame has the studio's origin.
  // What a page has to know is sent again when it announces itself.
  private hasPage = false;
  // The address to which the frame navigates. The old page reports its address until the
  // new one has loaded. Some pages, such as notices, report none.
  private wanted: string | null = null;
  private silent: ReturnType<typeof setTimeout> | undefined;
  private unpainted: ReturnType<typeof setTimeout> | undefined;

  /** forgive takes an error off the page's account. */
  forgive(): void {
    this.failure.value = null;
  }

  /** attach listens to the page in a frame. It returns a function to stop. */
  attach(element: HTMLIFrameElement, origin: string): () => void {
    this.element = element;
    this.origin = origin;
    const hear = (event: MessageEvent) => {
      if (event.origin !== origin || event.source !== element.contentWindow) return;
      const message = readMessage(event.data);
      if (message) this.take(message);
    };
    const loaded = () => {
      this.loading.value = false;
      this.listens = false;
      this.hasPage = true;
      this.send({ type: 'hello' });
      clearTimeout(this.silent);
      this.silent = setTimeout(() => this.onSilence(), silence);
      clearTimeout(this.unpainted);
      this.unpainted = setTimeout(() => {
        this.painted.value = true;
      }, silence);
    };
    addEventListener('message', hear);
    element.addEventListener('load', loaded);
    return () => {
      removeEventListener('message', hear);
      element.removeEventListener('load', loaded);
      clearTimeout(this.silent);
      clearTimeout(this.unpainted);
      this.element = null;
      this.hasPage = false;
      this.loading.value = true;
      this.failure.value = null;
      this.painted.value = false;
    };
  }

  private origin = '';

  /** width is how wide the page is, in CSS pixels. */
  get width(): number {
    return this.element?.offsetWidth ?? 0;
  }

  /** send sends a message to the page, if there is one. */
  send(message: StudioMessage): void {
    if (!this.hasPage) return;
    this.element?.contentWindow?.postMessage({ source: 'atelier-studio', ...message }, this.origin);
  }

  /** go opens a path of the preview, even if the page does not respond. */
  go(path: string): void {
    // A frame begins at the path.
    if (!this.element) {
      this.path.value = path;
      return;
    }
    const to = new URL(path, this.origin);
    if (to.origin !== this.origin) return;
    this.path.value = this.wanted = to.pathname + to.search + to.hash;
    if (this.listens) this.send({ type: 'navigate', path: this.path.value });
    else this.load(to.href);
    // The page is being replaced; the next one announces itself.
    this.listens = false;
  }

  /** reload loads the page again. */
  reload(): void {
    if (this.listens) this.send({ type: 'reload' });
    else this.load(new URL(this.path.value, this.origin).href);
    // As above.
    this.listens = false;
  }

  private load(address: string): void {
    this.loading.value = true;
    if (this.element) this.element.src = address;
  }

  private take(message: PageMessage): void {
    this.hasPage = true;
    // These come from the page's client, which accepts no messages.
    switch (message.type) {
      case 'begun':
        this.listens = false;
        this.failure.value = null;
        return;
      case 'recovered':
        this.failure.value = null;
        return;
      case 'painted':
        this.painted.value = true;
        return;
      case 'stored':
        tabStorage.setText(this.memory, message.text);
        return;
      case 'crashed':
      case 'failed':
      case 'threw':
        this.failure.value = message;
        return;
    }
    if (message.type === 'user') {
      const text = this.onUser(this.origin, message.text);
      if (text !== null) this.send({ type: 'user', text });
      return;
    }
    if (message.type === 'location') {
      if (this.wanted !== null && !message.first && message.path !== this.wanted) return;
      this.wanted = null;
    }
    clearTimeout(this.silent);
    this.listens = true;
    if (message.type !== 'location') {
      this.onMessage(message);
      return;
    }
    this.path.value = message.path;
    this.title.value = message.title;
    this.canGoBack.value = message.back;
    this.canGoForward.value = message.forward;
    this.onMessage(message);
  }
}
