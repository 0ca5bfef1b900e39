import { useEffect, useRef, useState } from 'preact/hooks';

import { money, number } from '~/text';
import { type DaySum, type Measure, measured, niceTop } from './usage-days';

interface UsageChartProps {
  days: DaySum[];
  /** models each have a colour; the others share one. */
  models: string[];
  measure: Measure;
  label: string;
}

// size is in pixels. The width follows the container.
const size = { height: 220, left: 56, top: 10, bottom: 26 };

/** UsageChart is a stacked bar chart by day and model. */
export function UsageChart({ days, models, measure, label }: UsageChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const wide = useWidth(place);
  const top = niceTop(Math.max(...days.map((day) => measured(day, measure))));
  const height = size.height - size.top - size.bottom;
  const step = (wide - size.left) / days.length;
  const y = (value: number) => size.top + height * (1 - value / top);
  return (
    <figure class="chart card">
      <div ref={place}>
        <svg width={wide} height={size.height} role="img" aria-label={label}>
          {[0, 0.5, 1].map((share) => (
            <g key={share}>
              <line class="chart__grid" x1={size.left} x2={wide} y1={y(top * share)} y2={y(top * share)} />
              <text class="chart__text" x={size.left - 8} y={y(top * share) + 4} text-anchor="end">
                {written(top * share, measure)}
              </text>
            </g>
          ))}
          {days.map((day, index) => (
            <Bar
              key={day.day}
              day={day}
              models={models}
              measure={measure}
              x={size.left + step * index}
              width={step}
              y={y}
            />
          ))}
          {labelled(days, wide).map(({ index, words }) => (
            <text
              key={index}
              class="chart__text"
              x={index === days.length - 1 ? wide : size.left + step * (index + 0.5)}
              y={size.height - 8}
              text-anchor={index === days.length - 1 ? 'end' : 'middle'}
            >
              {words}
            </text>
          ))}
        </svg>
      </div>
    </figure>
  );
}

// useWidth returns the width of an element.
function useWidth(place: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(320);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.floor(entry!.contentRect.width))));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

interface BarProps {
  day: DaySum;
  models: string[];
  measure: Measure;
  x: number;
  width: number;
  y: (value: number) => number;
}

function Bar({ day, models, measure, x, width, y }: BarProps) {
  let below = 0;
  const gap = Math.min(6, width * 0.25);
  const pieces = [...models, ''].flatMap((model, index) => {
    const sum = day.byModel.get(model);
    const value = sum ? measured(sum, measure) : 0;
    if (value <= 0) return [];
    below += value;
    return [
      {
        model,
        value,
        series: model === '' ? 'rest' : String(index),
        top: y(below),
        height: y(below - value) - y(below),
      },
    ];
  });
  return (
    <g>
      <title>{`${dayInWords(day.day)}: ${written(measured(day, measure), measure)}`}</title>
      <rect class="chart__hit" x={x} y={size.top} width={width} height={size.height - size.top - size.bottom} />
      {pieces.map(({ model, series, top, height }) => (
        <rect
          key={model}
          class="chart__bar"
          data-series={series}
          x={x + gap / 2}
          width={width - gap}
          y={top}
          height={Math.max(height, 1)}
          rx={Math.min(2, width / 4)}
        />
      ))}
    </g>
  );
}

// written formats a value for the axis and the tooltips.
function written(value: number, measure: Measure): string {
  if (measure === 'cost')
    return value === 0 ? number(0, { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }) : money(value);
  return number(value, { notation: 'compact', maximumFractionDigits: 1 });
}

// labelled returns as many day labels as fit.
function labelled(days: DaySum[], wide: number): { index: number; words: string }[] {
  const every = Math.ceil(days.length / Math.floor((wide - size.left) / 75));
  return days.flatMap(({ day }, index) =>
    (days.length - 1 - index) % every === 0 ? [{ index, words: dayInWords(day) }] : [],
  );
}

/** dayInWords formats a UTC day in short form. */
export function dayInWords(day: string): string {
  return new Intl.DateTimeFormat(document.documentElement.lang, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
  }).format(new Date(`${day}T00:00:00Z`));
}
