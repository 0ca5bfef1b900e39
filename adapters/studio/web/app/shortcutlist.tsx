import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

import { t } from '~/text';
import { Dialog, LinkButton } from '~/ui';
import { here, useKeys, useShortcuts } from './keys';

const open = signal(false);

export function openShortcuts(): void {
  open.value = true;
}

/** Shortcuts listens to the keyboard, and shows the shortcuts of the page when asked to. */
export function Shortcuts() {
  useKeys();
  useShortcuts({ shortcuts: openShortcuts });
  return open.value ? <ShortcutList onClose={() => (open.value = false)} /> : null;
}

function ShortcutList({ onClose }: { onClose: () => void }) {
  const groups = useMemo(here, []);
  return (
    <Dialog title={t.keys.title} wide onClose={onClose}>
      <p class="soft">{t.keys.hint}</p>
      <div class="shortcuts">
        {groups.map(([place, list]) => (
          <section key={place} class="shortcuts__group">
            <h3 class="shortcuts__place">{t.keys.places[place]}</h3>
            <dl class="shortcuts__list">
              {list.map(({ id, keys, text }) => (
                <div key={id} class="shortcuts__row">
                  <dt>{text}</dt>
                  <dd>
                    <kbd class="kbd">{keys}</kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="dialog__actions">
        <LinkButton icon="info" href="/help/keyboard" onClick={onClose}>
          {t.keys.manual}
        </LinkButton>
      </div>
    </Dialog>
  );
}
