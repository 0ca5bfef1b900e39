import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, Icon, TextArea } from '~/ui';
import type { ProjectStore } from '../store';

/** NoData explains what data is and how to ask for it, if the project has no backend. */
export function NoData({ store }: { store: ProjectStore }) {
  const [wish, setWish] = useState(t.data.wishes[0]!.text);
  const send = (event: Event) => {
    event.preventDefault();
    if (wish.trim()) store.ask(wish.trim());
  };
  return (
    <div class="nodata">
      <div class="nodata__what">
        <Icon name="database" size={24} />
        <h2>{t.data.none}</h2>
        <p>{t.data.noneHint}</p>
      </div>
      <form class="nodata__form" onSubmit={send}>
        <div class="nodata__wishes" role="group" aria-label={t.data.examples}>
          {t.data.wishes.map(({ name, text }) => (
            <Button key={name} small aria-pressed={wish === text} onClick={() => setWish(text)}>
              {name}
            </Button>
          ))}
        </div>
        <TextArea label={t.data.wish} rows={4} value={wish} onInput={(event) => setWish(event.currentTarget.value)} />
        <Button type="submit" kind="primary" icon="chat" disabled={wish.trim() === ''}>
          {t.data.askAgent}
        </Button>
      </form>
    </div>
  );
}
