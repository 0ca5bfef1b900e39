import { useMemo } from 'preact/hooks';

import { t } from '~/text';
import { Dialog, LinkButton } from '~/ui';
import { here } from './keys';

/** ShortcutDialog shows the shortcuts of the page, a chunk of its own. */
export default function ShortcutDialog({ onClose }: { onClose: () => void }) {
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
