import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import type { Project } from '~/api/types';
import { isolate, t } from '~/text';
import { Icon, type IconName, Menu, When } from '~/ui';
import { exportProject, removeProject } from './actions';
import type { Desk } from './desk';
import { dragOf } from './drag';
import { pathName } from './folders';
import { pictureOf } from './templates';
import { targets } from './transfer';

const marks: Record<Project['visibility'], IconName> = { private: 'lock', workspace: 'people', public: 'globe' };

/** ProjectCard shows a project on the dashboard. A click anywhere opens it. */
export function ProjectCard({ desk, project }: { desk: Desk; project: Project }) {
  const seen = t.dashboard.visibilities[project.visibility];
  const everywhere = desk.place.q !== '' || desk.place.visibility !== '';
  const folder = everywhere && project.folderId ? pathName(desk.folders.items ?? [], project.folderId) : '';
  return (
    <li class="project" {...dragOf(project.id)}>
      <Picture key={project.thumbnailUrl} project={project} />
      <div class="project__words">
        <h3 class="project__name" title={project.name}>
          <a href={`/projects/${project.id}`} draggable={false}>
            <bdi>{project.name}</bdi>
          </a>
        </h3>
        <p class="project__notes">
          <span title={seen}>
            <Icon name={marks[project.visibility]} />
            <span class="visually-hidden">{seen}</span>
          </span>
          <span class="project__when">
            <span class="visually-hidden">{t.dashboard.changed} </span>
            <When at={project.updatedAt} />
          </span>
          {project.url && (
            <a
              class="badge badge--good"
              href={project.url}
              target="_blank"
              rel="noopener noreferrer"
              draggable={false}
              aria-label={t.dashboard.openSite(isolate(project.name))}
            >
              {t.dashboard.published}
              <Icon name="external" />
            </a>
          )}
        </p>
        {folder && (
          <p class="project__notes">
            <span>
              <Icon name="folder" />
            </span>
            <bdi class="project__when">{folder}</bdi>
          </p>
        )}
      </div>
      <ProjectMenu desk={desk} project={project} />
    </li>
  );
}

// Picture shows the project's own picture, else its template's, else its initials, which tell
// projects of the blank template apart.
function Picture({ project }: { project: Project }) {
  const sources = [
    project.thumbnailUrl,
    project.template !== 'blank' && pictureOf(project.template),
    `/projects/${project.id}/card`,
  ].filter((address) => typeof address === 'string');
  const [missing, setMissing] = useState(0);
  const source = sources[missing];
  return (
    <div class="project__picture" aria-hidden="true">
      {source ? (
        <img
          src={source}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setMissing(missing + 1)}
        />
      ) : (
        <Icon name="box" size={24} />
      )}
    </div>
  );
}

function ProjectMenu({ desk, project }: { desk: Desk; project: Project }) {
  const { route } = useLocation();
  const { begin } = desk;
  return (
    <div class="project__menu">
      <Menu
        small
        label={t.dashboard.menuOf(isolate(project.name))}
        items={[
          { label: t.dashboard.open, icon: 'next', onSelect: () => route(`/projects/${project.id}`) },
          null,
          { label: t.dashboard.rename, icon: 'edit', onSelect: () => begin({ kind: 'rename', project }) },
          { label: t.dashboard.describe, icon: 'list', onSelect: () => begin({ kind: 'describe', project }) },
          { label: t.dashboard.move, icon: 'folder', onSelect: () => begin({ kind: 'move', project }) },
          {
            label: t.dashboard.whoSees,
            icon: marks[project.visibility],
            onSelect: () => begin({ kind: 'visibility', project }),
          },
          { label: t.dashboard.duplicate, icon: 'copy', onSelect: () => begin({ kind: 'duplicate', project }) },
          { label: t.workspace.templates.share, icon: 'box', onSelect: () => begin({ kind: 'share', project }) },
          ...(targets(desk.workspace).length > 0
            ? [
                {
                  label: t.dashboard.transfer,
                  icon: 'next' as const,
                  onSelect: () => begin({ kind: 'transfer', project }),
                },
              ]
            : []),
          { label: t.dashboard.export, icon: 'download', onSelect: () => void exportProject(project) },
          null,
          { label: t.dashboard.remove, icon: 'trash', danger: true, onSelect: () => void removeProject(desk, project) },
        ]}
      />
    </div>
  );
}
