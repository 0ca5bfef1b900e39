import type { SharedTemplate, Template } from '~/api/types';
import { atLeast, me } from '~/app/session';
import { isolate, t } from '~/text';
import { Failure, Menu } from '~/ui';
import { removeTemplate, retakeTemplate } from './actions';
import type { Desk } from './desk';
import { pictureOf } from './templates';

/**
 * Gallery shows the templates of the workspace, and those of the service. A click opens the dialog
 * with the template chosen.
 */
export function Gallery({ desk, templates }: { desk: Desk; templates: Template[] }) {
  const shown = templates.filter(({ id }) => pictureOf(id));
  const { data: shared = [], error, reload } = desk.shared;
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {shared.length > 0 && (
        <section class="gallery" aria-labelledby="own-gallery">
          <h2 id="own-gallery">{t.workspace.templates.title}</h2>
          <ul class="projects">
            {shared.map((template) => (
              <SharedCard key={template.id} desk={desk} template={template} />
            ))}
          </ul>
        </section>
      )}
      {shown.length > 0 && (
        <section class="gallery" aria-labelledby="gallery">
          <h2 id="gallery">{t.dashboard.createTitle}</h2>
          <ul class="gallery__items">
            {shown.map(({ id, name, description }) => (
              <li key={id} class="gallery__item">
                <img src={pictureOf(id)} alt="" width={640} height={400} loading="lazy" decoding="async" />
                <button
                  type="button"
                  class="gallery__words"
                  onClick={() => desk.begin({ kind: 'create', template: id })}
                >
                  <span class="gallery__name">{name}</span>
                  <span class="gallery__hint">{description}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

// SharedCard shows a template of the workspace. Who shared it, and admins, change it.
function SharedCard({ desk, template }: { desk: Desk; template: SharedTemplate }) {
  const { id, name, description, author, projectId } = template;
  const remix = () => desk.begin({ kind: 'create', template: id });
  const mayChange = template.createdBy === me.value?.user.id || atLeast(desk.workspace.role, 'admin');
  return (
    <li class="project">
      <div class="project__picture" aria-hidden="true">
        <img src={template.thumbnailUrl} alt="" loading="lazy" decoding="async" draggable={false} />
      </div>
      <button type="button" class="gallery__words" onClick={remix}>
        <bdi class="gallery__name">{name}</bdi>
        {description && <bdi class="gallery__hint">{description}</bdi>}
        {author && <span class="gallery__hint">{t.workspace.templates.by(isolate(author))}</span>}
      </button>
      <div class="project__menu">
        <Menu
          small
          label={t.dashboard.menuOf(isolate(name))}
          items={[
            { label: t.workspace.templates.remix, icon: 'copy', onSelect: remix },
            ...(mayChange
              ? [
                  null,
                  {
                    label: t.workspace.templates.edit,
                    icon: 'edit' as const,
                    onSelect: () => desk.begin({ kind: 'editTemplate', template }),
                  },
                  ...(projectId
                    ? [
                        {
                          label: t.workspace.templates.retake,
                          icon: 'reload' as const,
                          onSelect: () => void retakeTemplate(desk, template),
                        },
                      ]
                    : []),
                  null,
                  {
                    label: t.workspace.templates.remove,
                    icon: 'trash' as const,
                    danger: true,
                    onSelect: () => void removeTemplate(desk, template),
                  },
                ]
              : []),
          ]}
        />
      </div>
    </li>
  );
}
