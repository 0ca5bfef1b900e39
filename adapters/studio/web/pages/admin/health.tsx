import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { HealthFinding } from '~/api/types';
import { sentence, t } from '~/text';
import { Button, Failure, Skeleton } from '~/ui';

/** Health shows what works in the installation, and what needs an admin. */
export function Health() {
  const { data, error, loading, reload } = useLoad('instance health', (signal) =>
    api.get<{ items: HealthFinding[] }>('/admin/health', { signal }),
  );
  const text = t.admin.health;
  return (
    <section class="page__section" aria-label={t.admin.sections.health}>
      <p class="soft">{text.hint}</p>
      {error && <Failure error={error} retry={reload} />}
      {!data && loading && <Skeleton height={240} />}
      {data && (
        <ul class="rows">
          {data.items.map((finding) => (
            <li key={finding.name} class="row">
              <div class="row__main">
                <div>{text.parts[finding.name] ?? finding.name}</div>
                <div class="row__note" lang={finding.language}>
                  {sentence(finding.text)}
                </div>
              </div>
              <span class={finding.ok ? 'badge badge--good' : 'badge badge--danger'}>
                {finding.ok ? text.ok : text.failed}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button icon="reload" busy={loading} onClick={() => void reload()}>
          {text.again}
        </Button>
      </div>
    </section>
  );
}
