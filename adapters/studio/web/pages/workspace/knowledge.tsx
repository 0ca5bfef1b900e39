import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Workspace } from '~/api/types';
import { t } from '~/text';
import { Button, Failure, Loading, say, TextArea, useTask } from '~/ui';

interface Text {
  text: string;
}

// maxBytes bounds the text, in UTF-8.
const maxBytes = 16 * 1024;

/** Knowledge shows what the agent is told in all projects of a workspace. */
export function Knowledge({ space, mayChange }: { space: Workspace; mayChange: boolean }) {
  const words = t.workspace.general;
  const path = `/workspaces/${space.id}/knowledge`;
  const { data, error, reload } = useLoad(`knowledge ${space.id}`, (signal) => api.get<Text>(path, { signal }));
  return (
    <section class="page__section" aria-label={words.knowledge}>
      <h2>{words.knowledge}</h2>
      {data ? (
        <KnowledgeForm path={path} before={data.text} mayChange={mayChange} />
      ) : error ? (
        <Failure error={error} retry={() => void reload()} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function KnowledgeForm({ path, before, mayChange }: { path: string; before: string; mayChange: boolean }) {
  const [text, setText] = useState(before);
  const { busy, error, run } = useTask();
  const words = t.workspace.general;
  const bytes = new TextEncoder().encode(text).length;
  const tooLong = bytes > maxBytes;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.put<Text>(path, { text });
      say(t.shell.saved);
    });
  };
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Failure error={error} />}
      <TextArea
        label={words.knowledgeText}
        hint={words.knowledgeHint}
        error={tooLong ? words.knowledgeTooLong(bytes - maxBytes) : undefined}
        rows={8}
        dir="auto"
        readOnly={!mayChange}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {mayChange && (
        <div class="form__actions">
          <Button kind="primary" type="submit" busy={busy} disabled={tooLong}>
            {words.knowledgeSave}
          </Button>
        </div>
      )}
    </form>
  );
}
