import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { FilledQuota, Usage, Workspace } from '~/api/types';
import { atLeast } from '~/app/session';
import { bytes, money, number, t } from '~/text';
import { Empty, Failure, Skeleton, Tabs } from '~/ui';
import { UsageChart } from './usage-chart';
import { lastDays, type Measure, type ModelSum, sumByDay, sumByModel } from './usage-days';
import { ByDay, ByModel } from './usage-tables';

const ranges = { d7: 7, d30: 30, d90: 90 };

type Range = keyof typeof ranges;

// named is the number of models with a separate colour.
const named = 4;

/** UsagePage shows the cost of models and the remaining credit. */
export function UsagePage({ space }: { space: Workspace }) {
  const loaded = useLoad(`usage ${space.id}`, (signal) => api.get<Usage>(`/workspaces/${space.id}/usage`, { signal }));
  return (
    <>
      <p class="soft usage__hint">{t.workspace.usage.hint}</p>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!loaded.data && loaded.loading && <Skeleton height={280} />}
      {loaded.data && <Credit space={space} usage={loaded.data} />}
      {loaded.data && <Limits quotas={loaded.data.quotas} />}
      {loaded.data && <History usage={loaded.data} />}
    </>
  );
}

function Credit({ space, usage: { creditLimit, creditUsed } }: { space: Workspace; usage: Usage }) {
  const text = t.workspace.usage;
  const share = creditLimit === null ? 0 : creditLimit === 0 ? 1 : Math.min(1, creditUsed / creditLimit);
  const gone = creditLimit !== null && creditUsed >= creditLimit;
  return (
    <section class="card card--stack" aria-label={text.credit}>
      <div class="credit__head">
        <h2>{text.credit}</h2>
        {atLeast(space.role, 'admin') && <a href={`/workspaces/${space.id}/general`}>{text.changeLimit}</a>}
      </div>
      {creditLimit === null ? (
        <p>{text.creditFree(money(creditUsed))}</p>
      ) : (
        <>
          <div
            class={gone ? 'meter meter--full' : share > 0.8 ? 'meter meter--high' : 'meter'}
            role="meter"
            aria-label={text.credit}
            aria-valuemin={0}
            aria-valuemax={creditLimit}
            aria-valuenow={Math.min(creditUsed, creditLimit)}
            aria-valuetext={text.creditOf(money(creditUsed), money(creditLimit))}
          >
            <span style={{ width: `${share * 100}%` }} />
          </div>
          <p class="credit__words">
            <span>{text.creditOf(money(creditUsed), money(creditLimit))}</span>
            <span class="soft">{gone ? text.creditGone : text.creditLeft(money(creditLimit - creditUsed))}</span>
          </p>
        </>
      )}
    </section>
  );
}

function Limits({ quotas: { projects, members, bytesPerProject, runsAtOnce } }: Pick<Usage, 'quotas'>) {
  const text = t.workspace.usage;
  const of = ({ used, limit }: FilledQuota) =>
    limit === null ? number(used) : text.quotaOf(number(used), number(limit));
  const tiles: [string, string, string][] = [
    [text.projects, of(projects), full(projects) ? text.projectsFull : ''],
    [text.members, of(members), full(members) ? text.membersFull : ''],
  ];
  if (bytesPerProject !== null) tiles.push([text.projectSize, bytes(bytesPerProject), '']);
  if (runsAtOnce !== null) tiles.push([text.runsAtOnce, number(runsAtOnce), '']);
  return (
    <section class="usage__limits" aria-label={text.quotas}>
      <dl class="tiles">
        {tiles.map(([label, value, next]) => (
          <div key={label} class="card">
            <dt>{label}</dt>
            <dd>{value}</dd>
            {next && <dd class="tiles__note">{next}</dd>}
          </div>
        ))}
      </dl>
    </section>
  );
}

function full({ used, limit }: FilledQuota): boolean {
  return limit !== null && used >= limit;
}

function History({ usage }: { usage: Usage }) {
  const [range, setRange] = useState<Range>('d30');
  const days = lastDays(ranges[range]);
  const rows = usage.items.filter(({ day }) => day >= days[0]!);
  const [chosen, setMeasure] = useState<Measure | null>(null);
  const measure = chosen ?? (rows.some(({ cost }) => cost > 0) ? 'cost' : 'tokens');
  const models = sumByModel(rows, measure);
  // Sort by name, so that each model keeps its colour.
  const top = models
    .slice(0, models.length > named + 1 ? named : named + 1)
    .map(({ model }) => model)
    .sort();
  const sums = sumByDay(rows, days, top);
  const text = t.workspace.usage;
  return (
    <section class="page__section usage" aria-label={text.byDay}>
      <div class="usage__choices">
        <Tabs
          label={text.range}
          panel="usage"
          current={range}
          onChange={setRange}
          items={(Object.keys(ranges) as Range[]).map((name) => ({ name, label: text.ranges[name] }))}
        />
        {rows.length > 0 && (
          <Tabs
            label={text.shown}
            panel="usage"
            current={measure}
            onChange={setMeasure}
            items={(['cost', 'tokens'] as const).map((name) => ({ name, label: text.measures[name] }))}
          />
        )}
      </div>
      <div id="usage" class="usage__panel" role="tabpanel" aria-label={text.ranges[range]}>
        {rows.length === 0 ? (
          <div class="card">
            <Empty icon="chart" title={text.none}>
              {text.noneHint}
            </Empty>
          </div>
        ) : (
          <>
            <Totals models={models} />
            <UsageChart
              days={sums}
              models={top}
              measure={measure}
              label={text.chart(text.measures[measure], text.ranges[range])}
            />
            <ByModel models={models} named={top} />
            <ByDay days={sums} />
          </>
        )}
      </div>
    </section>
  );
}

function Totals({ models }: { models: ModelSum[] }) {
  const text = t.workspace.usage;
  const total = (pick: (sum: ModelSum) => number) => models.reduce((sum, each) => sum + pick(each), 0);
  const tiles: [string, string][] = [
    [text.cost, money(total(({ cost }) => cost))],
    [text.input, number(total(({ input }) => input))],
    [text.output, number(total(({ output }) => output))],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([label, value]) => (
        <div key={label} class="card">
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
