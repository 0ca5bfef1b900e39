// What other parts of the page know of the runs of the chat that is shown.

import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';

import { endBuild, isBuildExpected } from '~/app/wish';
import { announceEnd } from '../announce';
import { buildingOf } from '../building';
import type { Chats } from './chats';
import { versionsOf } from './log';

/** useRunEffects tells the preview about the first run, and the user about the end of any. */
export function useRunEffects(chats: Chats): void {
  const store = chats.store;
  const wasRunning = useRef(false);
  useSignalEffect(() => {
    const conversation = chats.conversation.value;
    const running = conversation?.running.value ?? false;
    if (wasRunning.current && !running) {
      announceEnd(store.project.peek().name);
      const last = conversation?.turns.peek().at(-1);
      if (last && versionsOf(last).length > 0) store.view.change();
      const errand = store.errand.peek();
      if (errand && last?.text === errand.text) store.errand.value = { ...errand, state: 'done' };
    }
    wasRunning.current = running;
  });
  useSignalEffect(() => {
    if (!isBuildExpected(store.id)) return;
    const conversation = chats.conversation.value;
    const failed = chats.failure.value !== null || (conversation?.failure.value ?? null) !== null;
    const turns = conversation?.loaded.value ? conversation.turns.value : null;
    const building = failed ? null : buildingOf(turns);
    if (!building) endBuild();
    store.building.value = building;
  });
}
