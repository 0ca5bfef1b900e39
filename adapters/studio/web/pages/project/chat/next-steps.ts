// What somebody may want next, by what a project has. No model is asked.

/** StepName names a step; all but publish are messages to the agent, examples one for each example. */
export type StepName = 'examples' | 'guestbook' | 'title' | 'data' | 'signIn' | 'dark' | 'checks' | 'publish';

/** Facts are what is known of a project. */
export interface Facts {
  paths: string[];
  /** schema is the text of backend/schema.json, or empty. */
  schema: string;
  /** isDark is true if its styles have a dark theme. */
  isDark: boolean;
  /** isDemo is true if the demo answers, which can do little. */
  isDemo: boolean;
  /** isCopy is true for a task's working copy, which is not published. */
  isCopy: boolean;
}

/** most is the number of steps offered at once. */
const most = 4;

const checkFolder = '.atelier/checks/';

/** component is a file of the template blank, ofTemplate matches all of its sources. */
const component = 'src/components/ui/button.tsx';
const ofTemplate =
  /^src\/(App\.tsx|index\.css|main\.tsx|vite-env\.d\.ts|lib\/utils\.ts|components\/(ui\/.*|icons\.tsx))$/;

/** darkTheme is a regular expression for what styles with a dark theme contain. */
export const darkTheme = String.raw`prefers-color-scheme|data-theme|\bdark:|\.dark\b|color-scheme:.*dark`;

/** nextSteps returns the steps in the order in which they are offered; publishing is last. */
export function nextSteps({ paths, schema, isDark, isDemo, isCopy }: Facts): StepName[] {
  const hasData = paths.includes('backend/schema.json');
  const isNew = paths.includes(component) && paths.every((path) => !path.startsWith('src/') || ofTemplate.test(path));
  const asked: (StepName | false)[] = isDemo
    ? [isNew ? 'examples' : !hasData && 'guestbook', 'title']
    : [
        !hasData && 'data',
        hasData && !/"type"\s*:\s*"auth"/.test(schema) && 'signIn',
        !isDark && 'dark',
        !paths.some((path) => path.startsWith(checkFolder)) && 'checks',
      ];
  const steps = asked.filter((step) => step !== false).slice(0, isCopy ? most : most - 1);
  return isCopy ? steps : [...steps, 'publish'];
}
