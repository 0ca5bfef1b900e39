import { money, number, t } from '~/text';
import { dayInWords } from './usage-chart';
import type { DaySum, ModelSum } from './usage-days';

/** ByModel is the table of models and the chart's legend. */
export function ByModel({ models, named }: { models: ModelSum[]; named: string[] }) {
  const text = t.workspace.usage;
  return (
    <div class="rows table">
      <table>
        <caption class="visually-hidden">{text.byModel}</caption>
        <Head first={text.model} />
        <tbody>
          {models.map((sum) => (
            <tr key={sum.model}>
              <th scope="row">
                <span
                  class="swatch"
                  data-series={named.includes(sum.model) ? String(named.indexOf(sum.model)) : 'rest'}
                  aria-hidden="true"
                />
                <bdi>{sum.model}</bdi>
              </th>
              <Cells sum={sum} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** ByDay shows the chart's data as a table, newest day first. */
export function ByDay({ days }: { days: DaySum[] }) {
  const text = t.workspace.usage;
  const used = days.filter(({ input, output, cost }) => input + output + cost > 0).reverse();
  return (
    <details class="days">
      <summary>{text.byDay}</summary>
      <div class="rows table">
        <table>
          <caption class="visually-hidden">{text.byDay}</caption>
          <Head first={text.day} />
          <tbody>
            {used.map((sum) => (
              <tr key={sum.day}>
                <th scope="row">{dayInWords(sum.day)}</th>
                <Cells sum={sum} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Head({ first }: { first: string }) {
  const text = t.workspace.usage;
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        <th scope="col" class="table__number">
          {text.input}
        </th>
        <th scope="col" class="table__number">
          {text.cached}
        </th>
        <th scope="col" class="table__number">
          {text.output}
        </th>
        <th scope="col" class="table__number">
          {text.cost}
        </th>
      </tr>
    </thead>
  );
}

function Cells({ sum }: { sum: ModelSum }) {
  const text = t.workspace.usage;
  return (
    <>
      <td class="table__number" data-label={text.input}>
        {number(sum.input)}
      </td>
      <td class="table__number" data-label={text.cached}>
        {number(sum.cached)}
      </td>
      <td class="table__number" data-label={text.output}>
        {number(sum.output)}
      </td>
      <td class="table__number" data-label={text.cost}>
        {sum.cost > 0 ? money(sum.cost) : text.free}
      </td>
    </>
  );
}
