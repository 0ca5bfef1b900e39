import { t } from '~/text';
import { Icon } from '~/ui';
import type { Desk } from './desk';
import { useDrop } from './drag';
import { pathTo } from './folders';
import { addressOf, everything } from './place';

/** Path shows the open folder and its ancestors, which accept dropped projects. */
export function Path({ desk }: { desk: Desk }) {
  const { place, folders } = desk;
  const path = pathTo(folders.items ?? [], place.folder || null);
  const here = place.trash ? t.dashboard.trash : (path.at(-1)?.name ?? t.dashboard.title);
  const above = place.trash || path.length > 0 ? [{ id: '', name: t.dashboard.title }, ...path.slice(0, -1)] : [];
  const Heading = place.trash ? 'h1' : 'h2';
  return (
    <nav class="path" aria-label={t.dashboard.path}>
      {above.map(({ id, name }) => (
        <Step key={id} desk={desk} id={id} name={name} />
      ))}
      <Heading class="path__here">
        <bdi>{here}</bdi>
      </Heading>
      {(place.q || place.visibility) && !place.trash && <span class="faint small">{t.dashboard.everywhere}</span>}
    </nav>
  );
}

function Step({ desk, id, name }: { desk: Desk; id: string; name: string }) {
  const drop = useDrop(desk, id);
  return (
    <>
      <a class="path__step" href={addressOf({ ...everything, folder: id })} {...drop}>
        <bdi>{name}</bdi>
      </a>
      <Icon name="next" />
    </>
  );
}
