import type { Template } from '~/api/types';
import { t } from '~/text';
import type { Desk } from './desk';
import { pictureOf } from './templates';

/** Gallery shows the templates. A click opens the dialog with the template chosen. */
export function Gallery({ desk, templates }: { desk: Desk; templates: Template[] }) {
  const shown = templates.filter(({ id }) => pictureOf(id));
  if (shown.length === 0) return null;
  return (
    <section class="gallery" aria-labelledby="gallery">
      <h2 id="gallery">{t.dashboard.createTitle}</h2>
      <ul class="gallery__items">
        {shown.map(({ id, name, description }) => (
          <li key={id} class="gallery__item">
            <img src={pictureOf(id)} alt="" width={640} height={400} loading="lazy" decoding="async" />
            <button type="button" class="gallery__words" onClick={() => desk.begin({ kind: 'create', template: id })}>
              <span class="gallery__name">{name}</span>
              <span class="gallery__hint">{description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
