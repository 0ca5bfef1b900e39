import type { Version } from '~/api/types';
import { currentLanguage, t } from '~/text';
import { Icon, When } from '~/ui';

/** VersionList is the list with a heading for each day. */
export function VersionList({ items, chosen, onChoose }: { items: Version[]; chosen: Version | null; onChoose: (version: Version) => void }) {
  return (
    <>
      {days(items).map(({ day, versions }) => (
        <section key={day} class="versions__day" aria-label={day}>
          <h3>{day}</h3>
          <ul>
            {versions.map((version) => (
              <li key={version.id}>
                <Line version={version} current={version.id === chosen?.id} onChoose={() => onChoose(version)} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Line({ version, current, onChoose }: { version: Version; current: boolean; onChoose: () => void }) {
  const isAgent = version.author.kind === 'agent';
  return (
    <button type="button" class={current ? 'version version--current' : 'version'} aria-current={current ? 'true' : undefined} onClick={onChoose}>
      <span class={isAgent ? 'version__who version__who--agent' : 'version__who'} aria-hidden="true"><Icon name={isAgent ? 'bolt' : 'user'} /></span>
      <span class="version__main">
        <bdi class="version__message">{firstLine(version.message)}</bdi>
        <span class="version__note">
          <bdi>{isAgent ? t.versions.agent : version.author.name}</bdi> · <When at={version.createdAt} /> · {t.versions.files(version.filesChanged)}
        </span>
      </span>
    </button>
  );
}

/** firstLine is what stands for a message in a list. */
export function firstLine(message: string): string {
  return message.split('\n', 1)[0] || t.versions.noMessage;
}

interface Day {
  day: string;
  versions: Version[];
}

// days groups versions by the reader's days.
function days(items: Version[]): Day[] {
  const format = new Intl.DateTimeFormat(currentLanguage(), { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
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
