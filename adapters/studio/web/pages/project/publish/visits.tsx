import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { SiteVisits } from '~/api/types';
import { number, t } from '~/text';
import { Failure, Skeleton } from '~/ui';
import type { ProjectStore } from '../store';

const days = 30;

/** Visits shows how often the site was visited. */
export function Visits({ store }: { store: ProjectStore }) {
  const { data, error, reload } = useLoad(`visits of ${store.id}`, (signal) =>
    api.get<SiteVisits>(`/projects/${store.id}/site/visits`, { signal, query: { days } }),
  );
  return (
    <section class="page__section" aria-labelledby="visits">
      <h2 id="visits">{t.visits.title}</h2>
      <p class="soft">{t.visits.hint(days)}</p>
      {error ? (
        <Failure error={error} retry={reload} />
      ) : !data ? (
        <Skeleton height={52} />
      ) : data.views === 0 ? (
        <p class="soft">{t.visits.none}</p>
      ) : (
        <>
          <p>{t.visits.total(number(data.visits), number(data.views))}</p>
          <Table title={t.visits.pages} rows={data.pages.map(({ path, views }) => [path, views])} />
          {data.referrers.length > 0 && (
            <Table title={t.visits.referrers} rows={data.referrers.map(({ host, visits }) => [host, visits])} />
          )}
        </>
      )}
    </section>
  );
}

function Table({ title, rows }: { title: string; rows: [string, number][] }) {
  return (
    <table class="visits">
      <caption>{title}</caption>
      <tbody>
        {rows.slice(0, 10).map(([name, count]) => (
          <tr key={name}>
            <th scope="row">
              <bdi>{name || t.visits.others}</bdi>
            </th>
            <td>{number(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
