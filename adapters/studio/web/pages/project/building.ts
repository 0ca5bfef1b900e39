// The first run of a project, as the preview shows it in the place of a template's page.

/** Building is what the agent has made so far. */
export interface Building {
  steps: Step[];
  /** code is the newest source that it wrote. */
  code: string;
}

/** Step is one file, or another action of the agent. */
export interface Step {
  tool: string;
  path: string;
  state: 'running' | 'done' | 'failed';
}

interface Made {
  kind: string;
  tool?: string;
  args?: Record<string, unknown>;
  state?: Step['state'];
}

interface Run {
  items: Made[];
  end: unknown;
}

/** mostCode is how many of the last characters of a source are shown. */
const mostCode = 4000;

/** aboutToBegin is a run before its first event. */
export const aboutToBegin: Building = { steps: [], code: '' };

/**
 * buildingOf returns the first run of a chat while it goes on, null afterwards. turns is null
 * while they are being loaded.
 */
export function buildingOf(turns: Run[] | null): Building | null {
  const [run, next] = turns ?? [];
  if (!run) return aboutToBegin;
  if (next || run.end !== null || run.items.some(({ kind }) => kind === 'version')) return null;
  const steps: Step[] = [];
  let code = '';
  for (const { kind, tool = '', args = {}, state = 'done' } of run.items) {
    if (kind !== 'tool') continue;
    const path = typeof args.path === 'string' ? args.path : '';
    if (steps.at(-1)?.tool === tool && steps.at(-1)?.path === path) steps.pop();
    steps.push({ tool, path, state });
    const written = args.content ?? args.newText;
    if (typeof written === 'string') code = written.slice(-mostCode);
  }
  return { steps, code };
}
