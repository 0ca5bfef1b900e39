import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { ConsentQuestion, Scope } from '~/api/types';
import { inside } from '~/app/base';
import { leave } from '~/app/session';
import { useTitle } from '~/app/title';
import { VisitorBar } from '~/app/visitor-bar';
import { isolate, list, t } from '~/text';
import { Banner, Button, Checkbox, complain, Failure, Loading, useTask } from '~/ui';

const known = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'scope',
  'state',
];

// request are the parameters of the program's request that the server knows.
function request(): string {
  const given = new URLSearchParams(location.search);
  return new URLSearchParams([...given].filter(([name]) => known.includes(name))).toString();
}

/** Consent asks the user whether a program may use the tools on their behalf. */
export default function Consent() {
  useTitle(t.settings.programs.title);
  const [sent] = useState(request);
  const { data, error, reload } = useLoad(`consent ${sent}`, (signal) =>
    api.get<ConsentQuestion>(`/oauth/consent?${sent}`, { signal }),
  );
  return (
    <>
      <VisitorBar />
      <main class="auth" id="main" tabIndex={-1}>
        <div class="auth__box">
          <h1>
            {data
              ? t.settings.programs.ask(isolate(data.name || t.settings.programs.nameless))
              : t.settings.programs.title}
          </h1>
          {error ? <Failure error={error} retry={reload} /> : data ? <Ask sent={sent} question={data} /> : <Loading />}
        </div>
      </main>
    </>
  );
}

function Ask({ sent, question }: { sent: string; question: ConsentQuestion }) {
  const [scopes, setScopes] = useState<Scope[]>(question.scopes);
  const { busy, error, run, fail } = useTask({ leaves: true });
  const answer = (allow: boolean) =>
    run(async () => {
      const body = allow ? { allow, scopes } : { allow };
      location.assign((await api.post<{ redirect: string }>(`/oauth/consent?${sent}`, body)).redirect);
    });
  const change = () =>
    void leave(false, `/login?next=${encodeURIComponent(inside() + location.search)}`).catch(complain);
  const words = t.settings.programs;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (scopes.length === 0) return fail(new Error(t.settings.needsScope));
        void answer(true);
      }}
    >
      {error !== undefined && <Failure error={error} />}
      <p class="soft">
        {t.auth.invite.as(isolate(question.email))} {words.reaches(list(question.workspaces.map(isolate)))}
      </p>
      {question.host ? (
        <p class="soft">{words.from(isolate(question.host))}</p>
      ) : (
        <Banner kind="warning">{words.unknown}</Banner>
      )}
      <p class="soft">{question.returnsTo ? words.returns(isolate(question.returnsTo)) : words.local}</p>
      <fieldset class="scopes">
        <legend class="field__label">{t.settings.scopes}</legend>
        {question.scopes.map((scope) => {
          const [label, hint] = t.settings.scopeNames[scope];
          return (
            <Checkbox
              key={scope}
              label={label}
              hint={hint}
              checked={scopes.includes(scope)}
              onChange={(event) => {
                const on = event.currentTarget.checked;
                setScopes(question.scopes.filter((other) => (other === scope ? on : scopes.includes(other))));
              }}
            />
          );
        })}
      </fieldset>
      <p class="faint small">{words.ends}</p>
      <Button kind="primary" wide type="submit" busy={busy}>
        {words.allow}
      </Button>
      <Button wide disabled={busy} onClick={() => void answer(false)}>
        {t.shell.cancel}
      </Button>
      <Button wide disabled={busy} onClick={change}>
        {t.auth.invite.other}
      </Button>
    </form>
  );
}
