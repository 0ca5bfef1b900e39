import type { ListedVersion } from '~/api/types';
import { currentLanguage, t } from '~/text';
import { Icon, When } from '~/ui';
import { titleOf } from './title';

interface ListProps {
  items: ListedVersion[];
  /** newest is the id of the project's newest version. */
  newest: string | undefined;
  /** unsaved is the number of files that differ from the newest version. */
  unsaved: number;
  chosen: { id: string } | null;
  onChoose: (version: ListedVersion) => void;
}

/** VersionList groups versions by day, below the unsaved changes. */
export function VersionList({ items, newest, unsaved, chosen, onChoose }: ListProps) {
  return (
    <>
      {unsaved > 0 && <Now unsaved={unsaved} />}
      {days(items).map(({ day, versions }) => (
        <section key={day} class="versions__day" aria-label={day}>
          <h3>{day}</h3>
          <ul>
            {versions.map((version) => (
              <li key={version.id}>
                <Line
                  version={version}
                  chosen={version.id === chosen?.id}
                  present={unsaved === 0 && version.id === newest}
                  onChoose={() => onChoose(version)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Now({ unsaved }: { unsaved: number }) {
  return (
    <div class="version version--now" role="status">
      <span class="version__who" aria-hidden="true">
        <Icon name="edit" />
      </span>
      <span class="version__main">
        <span class="version__message">{t.versions.now}</span>
        <span class="version__note">{t.versions.unsaved(unsaved)}</span>
      </span>
      <span class="badge">{t.versions.current}</span>
    </div>
  );
}

interface LineProps {
  version: ListedVersion;
  chosen: boolean;
  /** present is true if the project is in this version's state. */
  present: boolean;
  onChoose: () => void;
}

function Line({ version, chosen, present, onChoose }: LineProps) {
  const isAgent = version.author.kind === 'agent';
  return (
    <button
      type="button"
      class={chosen ? 'version version--current' : 'version'}
      aria-current={chosen ? 'true' : undefined}
      onClick={onChoose}
    >
      <span class={isAgent ? 'version__who version__who--agent' : 'version__who'} aria-hidden="true">
        <Icon name={isAgent ? 'bolt' : 'user'} />
      </span>
      <span class="version__main">
        <bdi class="version__message">{titleOf(version)}</bdi>
        <span class="version__note">
          <bdi>{isAgent ? t.versions.agent : version.author.name}</bdi> · <When at={version.createdAt} /> ·{' '}
          {t.versions.files(version.filesChanged)}
        </span>
      </span>
      <span class="version__marks">
        {version.starred && (
          <span class="version__star">
            <Icon name="star" />
            <span class="visually-hidden">{t.versions.starred}</span>
          </span>
        )}
        {present && <span class="badge">{t.versions.current}</span>}
        {version.live && <span class="badge badge--good">{t.versions.live}</span>}
      </span>
    </button>
  );
}

interface Day {
  day: string;
  versions: ListedVersion[];
}

// days groups versions by day in the user's time zone.
function days(items: ListedVersion[]): Day[] {
  const format = new Intl.DateTimeFormat(currentLanguage(), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  const today = format.format(new Date());
  const yesterday = format.format(new Date(Date.now() - 86_400_000));
  const groups: Day[] = [];
  for (const version of items) {
    const date = format.format(new Date(version.createdAt));
    const day = date === today ? t.versions.today : date === yesterday ? t.versions.yesterday : date;
    if (groups.at(-1)?.day === day) groups.at(-1)!.versions.push(version);
    else groups.push({ day, versions: [version] });
  }
  return groups;
}
