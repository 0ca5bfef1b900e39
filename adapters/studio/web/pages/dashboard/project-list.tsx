import { t } from '~/text';
import { Button, Empty, Failure, LinkButton, Skeleton } from '~/ui';
import type { Desk } from './desk';
import { childrenOf } from './folders';
import { addressOf, everything } from './place';
import { ProjectCard } from './project-card';
import { TrashRow } from './trash-row';

/** ProjectList shows the projects of the current place, or an explanation if the list is empty. */
export function ProjectList({ desk }: { desk: Desk }) {
  const { items, error, loading, more, loadingMore, reload } = desk.projects;
  if (error && !loading) return <Failure error={error} retry={reload} />;
  if (!items) return <Waiting trash={desk.place.trash} />;
  if (items.length === 0 && !loading) return <Nothing desk={desk} />;
  return (
    <>
      {desk.place.trash ? (
        <>
          <p class="soft">{t.dashboard.trashHint}</p>
          <ul class="rows" aria-busy={loading}>
            {items.map((project) => (
              <TrashRow key={project.id} desk={desk} project={project} />
            ))}
          </ul>
        </>
      ) : (
        <ul class="projects" aria-busy={loading}>
          {items.map((project) => (
            <ProjectCard key={project.id} desk={desk} project={project} />
          ))}
        </ul>
      )}
      {more && (
        <div class="projects__more">
          <Button busy={loadingMore} onClick={more}>
            {t.dashboard.showMore}
          </Button>
        </div>
      )}
    </>
  );
}

function Waiting({ trash }: { trash: boolean }) {
  return (
    <div class={trash ? 'rows' : 'projects'} role="status" aria-label={t.dashboard.loading}>
      {Array.from({ length: trash ? 1 : 8 }, (_, index) => (
        <Skeleton key={index} height={trash ? 60 : 226} />
      ))}
    </div>
  );
}

function Nothing({ desk }: { desk: Desk }) {
  const { place, begin } = desk;
  if (place.q || place.visibility) {
    return (
      <Empty
        icon="search"
        title={t.dashboard.nothingTitle}
        actions={<LinkButton href={addressOf({ ...everything, trash: place.trash })}>{t.dashboard.showAll}</LinkButton>}
      >
        {place.q ? t.dashboard.nothingHint : t.dashboard.nothingVisible}
      </Empty>
    );
  }
  if (place.trash) {
    return (
      <Empty
        icon="trash"
        title={t.dashboard.trashEmptyTitle}
        actions={<LinkButton href={addressOf(everything)}>{t.dashboard.backToProjects}</LinkButton>}
      >
        {t.dashboard.trashEmptyHint}
      </Empty>
    );
  }
  // A folder with subfolders is not empty: do not suggest creating a project.
  if (childrenOf(desk.folders.items ?? [], place.folder).length > 0) return null;
  const actions = (
    <>
      <Button icon="box" onClick={() => begin({ kind: 'create' })}>
        {t.dashboard.fromTemplate}
      </Button>
      <Button icon="upload" onClick={() => begin({ kind: 'import' })}>
        {t.dashboard.import}
      </Button>
      <LinkButton icon="info" href="/help/first-app">
        {t.help.title}
      </LinkButton>
    </>
  );
  if (place.folder)
    return (
      <Empty icon="folder" title={t.dashboard.emptyFolderTitle} actions={actions}>
        {t.dashboard.emptyFolderHint}
      </Empty>
    );
  return (
    <Empty icon="grid" title={t.dashboard.emptyTitle} actions={actions}>
      {t.dashboard.emptyHint}
    </Empty>
  );
}
