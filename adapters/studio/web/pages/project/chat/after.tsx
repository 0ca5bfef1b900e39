import { api, filePath, request } from '~/api/client';
import { useLoad } from '~/api/load';
import { defaultKindOf } from '~/pages/default-kind';
import { t } from '~/text';
import { Button, Icon } from '~/ui';
import type { Chats } from './chats';
import { ConnectModel } from './connect-model';
import type { Conversation } from './conversation';
import { type Turn, versionsOf } from './log';
import { darkTheme, nextSteps, type StepName } from './next-steps';

interface AfterProps {
  turn: Turn;
  chats: Chats;
  conversation: Conversation;
}

/** After leads on from the newest answer: to a model if the demo answered, and to the next steps. */
export default function After({ turn, chats, conversation }: AfterProps) {
  const { workspaceId } = chats.store.project.value;
  const { model, provider } = chats.choice.value;
  const isDemo = defaultKindOf(workspaceId) === 'demo' && !model && !provider;
  return (
    <>
      {isDemo && (
        <div class="banner banner--info">
          <Icon name="bolt" />
          <ConnectModel wid={workspaceId} />
        </div>
      )}
      {(isDemo || versionsOf(turn).length > 0) && (
        <NextSteps chats={chats} conversation={conversation} isDemo={isDemo} />
      )}
    </>
  );
}

function NextSteps({ chats, conversation, isDemo }: Omit<AfterProps, 'turn'> & { isDemo: boolean }) {
  const { store } = chats;
  const paths = store.files.value.map(({ path }) => path);
  const { id, copyOf } = store.project.value;
  const facts = useLoad(`${id} ${paths.includes('backend/schema.json')} ${isDemo}`, (signal) =>
    isDemo ? Promise.resolve({ schema: '', isDark: false }) : factsOf(id, paths, signal),
  ).data;
  if (!facts || store.live.state.value === 'lost') return null;
  const ask = (prompt: string) => conversation.ask(prompt, [], chats.choice.value);
  const offers = nextSteps({ ...facts, paths, isDemo, isCopy: copyOf !== undefined }).flatMap(offersOf);
  return (
    <div class="question__choices" role="group" aria-label={t.chat.nextSteps}>
      {offers.map(({ name, prompt }) => (
        <Button
          key={name}
          small
          icon={prompt ? undefined : 'publish'}
          onClick={() => (prompt ? ask(prompt) : store.show('publish'))}
        >
          {name}
        </Button>
      ))}
    </div>
  );
}

/** offersOf returns the buttons of a step. Publishing has no prompt. */
function offersOf(step: StepName): { name: string; prompt?: string }[] {
  if (step === 'publish') return [{ name: t.project.panes.publish }];
  return step === 'examples' ? t.dashboard.examples : [t.chat.next[step]];
}

async function factsOf(id: string, paths: string[], signal: AbortSignal): Promise<{ schema: string; isDark: boolean }> {
  const hasData = paths.includes('backend/schema.json');
  const [schema, dark] = await Promise.all([
    hasData ? request('GET', filePath(id, 'backend/schema.json'), undefined, { signal }).then((r) => r.text()) : '',
    api.get<{ matches: unknown[] }>(`/projects/${id}/files/search`, { query: { q: darkTheme, maxResults: 1 }, signal }),
  ]);
  return { schema, isDark: dark.matches.length > 0 };
}
