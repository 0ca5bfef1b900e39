import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, Icon, type IconName, TextArea } from '~/ui';
import type { ProjectStore } from '../store';
import { migrationsOf } from './proposal';
import { ProposalDialog } from './proposal-dialog';
import { Terms } from './terms';

/** NoData explains what data is and how to ask for it, if the project has no backend. */
export function NoData({ store }: { store: ProjectStore }) {
  return (
    <div class="nodata">
      <div class="nodata__what">
        <Icon name="database" size={24} />
        <h2>{t.data.none}</h2>
        <p>{t.data.noneHint}</p>
      </div>
      <Tables store={store} />
      <Wish store={store} />
      <Sample />
      <Points />
    </div>
  );
}

// Tables offers to bring the tables that a project from elsewhere has had.
function Tables({ store }: { store: ProjectStore }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <div class="nodata__tables">
        {migrationsOf(store.files.value).length > 0 && <p>{t.data.hasMigrations}</p>}
        <Button small icon="upload" onClick={() => setOpen(true)}>
          {t.data.bringTables}
        </Button>
      </div>
      {open && <ProposalDialog store={store} onClose={() => setOpen(false)} />}
    </>
  );
}

// Wish asks the agent for what the project should keep.
function Wish({ store }: { store: ProjectStore }) {
  const [wish, setWish] = useState(t.data.wishes[0]!.text);
  const send = (event: Event) => {
    event.preventDefault();
    if (wish.trim()) store.ask(wish.trim());
  };
  return (
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
  );
}

// Sample shows data as what most people know: a table.
function Sample() {
  const { caption, columns, rows } = t.data.sample;
  return (
    <table class="nodata__sample">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.join()}>
            {row.map((value) => (
              <td key={value}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const icons: IconName[] = ['edit', 'people', 'publish'];

function Points() {
  const [explaining, setExplaining] = useState(false);
  return (
    <div class="nodata__points">
      <ul>
        {t.data.points.map(({ name, text }, index) => (
          <li key={name}>
            <Icon name={icons[index]!} />
            <h3>{name}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <Button small kind="quiet" icon="info" onClick={() => setExplaining(true)}>
        {t.data.explained}
      </Button>
      {explaining && <Terms onClose={() => setExplaining(false)} />}
    </div>
  );
}
