// What of a project is shown: which pane, and whether the chat is.

import { type Signal, signal } from '@preact/signals';

import { isFlag, isText, orNone, recordOf } from '~/storage';

export const paneNames = ['preview', 'code', 'data', 'versions', 'publish'] as const;

export type PaneName = (typeof paneNames)[number];

/** KeptView is what outlives a reload. */
export interface KeptView {
  pane?: string | undefined;
  chatShown?: boolean | undefined;
  chatBeside?: boolean | undefined;
}

export const isKeptView = recordOf<KeptView>({
  pane: orNone(isText),
  chatShown: orNone(isFlag),
  chatBeside: orNone(isFlag),
});

/** View is shown beside the chat, or on narrow screens in its place. */
export class View {
  readonly pane: Signal<PaneName>;
  /** chatShown on narrow screens selects the chat instead of the pane. */
  readonly chatShown: Signal<boolean>;
  /** narrow is true on screens too small for both. */
  readonly narrow: Signal<boolean>;

  /** changed is true while the preview has a change that a narrow screen has not shown. */
  readonly changed = signal(false);

  // beside is whether a wide screen showed the chat, last; front is whether a narrow one shows it
  // instead of the pane. The pane that somebody chose last goes before the chat.
  private beside: boolean;
  private readonly front: Signal<boolean>;

  constructor(kept: KeptView, narrow: boolean) {
    this.beside = kept.chatBeside ?? true;
    this.pane = signal(paneNames.find((name) => name === kept.pane) ?? 'preview');
    this.chatShown = signal(narrow ? (kept.chatShown ?? true) : this.beside);
    this.narrow = signal(narrow);
    this.front = signal(kept.chatShown ?? true);
  }

  /** show shows a pane, on narrow screens instead of the chat. */
  show(pane: PaneName): void {
    this.front.value = false;
    this.pane.value = pane;
    if (this.narrow.value) this.chatShown.value = false;
    if (pane === 'preview') this.changed.value = false;
  }

  /** change says that a run has changed the page. Who has it beside the chat sees that. */
  change(): void {
    this.changed.value = this.narrow.value && (this.chatShown.value || this.pane.value !== 'preview');
  }

  /** fit follows the width of the window. What a narrow one selected is not for a wide one. */
  fit(narrow: boolean): void {
    if (narrow === this.narrow.value) return;
    const { chatShown } = this;
    if (narrow) {
      this.beside = chatShown.value;
      chatShown.value = chatShown.value && this.front.value;
    } else {
      this.front.value = chatShown.value;
      chatShown.value = this.beside;
    }
    this.narrow.value = narrow;
    this.changed.value = this.changed.value && narrow;
  }

  /** kept returns what the next reload begins with. */
  kept(): KeptView {
    const chatShown = this.chatShown.value;
    return this.narrow.value
      ? { pane: this.pane.value, chatShown, chatBeside: this.beside }
      : { pane: this.pane.value, chatShown: this.front.value, chatBeside: chatShown };
  }
}
