import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { FunctionTrial } from '~/api/types';
import { bytes, t } from '~/text';
import { Banner, Button, Dialog, Failure, Select, TextArea, TextField, useTask } from '~/ui';
import type { DataDesk } from './desk';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Trial sends a test request to a function and shows the response. */
export function Trial({ desk, name, onClose }: { desk: DataDesk; name: string; onClose: () => void }) {
  const [method, setMethod] = useState('GET');
  const [path, setPath] = useState('');
  const [body, setBody] = useState('');
  const [answer, setAnswer] = useState<FunctionTrial | null>(null);
  const { busy, error, run } = useTask();
  const hasBody = method !== 'GET';
  const mend = ({ error }: FunctionTrial) => {
    onClose();
    // The dialog must restore the focus first.
    setTimeout(() => desk.store.compose(t.data.mendFunction(name, error)));
  };
  const send = () =>
    run(async () => {
      setAnswer(null);
      const text = hasBody ? body : '';
      setAnswer(
        await api.post<FunctionTrial>(desk.path(`/test/functions/${encodeURIComponent(name)}`), {
          method,
          path: path && !/^[/?]/.test(path) ? `/${path}` : path,
          ...(text && { body: text, contentType: isJSON(text) ? 'application/json' : 'text/plain; charset=utf-8' }),
        }),
      );
    });
  return (
    <Dialog title={t.data.tryTitle(name)} onClose={onClose} wide>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p class="soft">{t.data.tryHint}</p>
        <div class="trial__line">
          <Select label={t.data.method} value={method} onChange={(event) => setMethod(event.currentTarget.value)}>
            {methods.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
          <TextField
            label={t.data.restOfAddress(`/_fn/${name}`)}
            value={path}
            placeholder="?name=Ada"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
        </div>
        {hasBody && (
          <TextArea
            label={t.data.body}
            hint={t.data.bodyHint}
            rows={4}
            value={body}
            data-code
            spellcheck={false}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        )}
        <div class="dialog__actions trial__actions">
          <Button onClick={onClose}>{t.shell.close}</Button>
          <Button type="submit" kind="primary" icon="play" busy={busy}>
            {t.data.send}
          </Button>
        </div>
      </form>
      <div role="status">
        {error !== undefined && <Failure error={error} />}
        {answer && <Answer answer={answer} onMend={() => mend(answer)} />}
      </div>
    </Dialog>
  );
}

function Answer({ answer, onMend }: { answer: FunctionTrial; onMend: () => void }) {
  const isGood = answer.status < 400;
  const hasText = answer.body !== '';
  return (
    <section class="trial__answer" aria-label={t.data.answer}>
      <p class="trial__facts">
        <span class={isGood ? 'badge badge--good' : 'badge badge--danger'}>{answer.status}</span>
        <span class="faint small">
          {t.data.tookMs(answer.ms)}
          {answer.contentType && ` · ${answer.contentType}`}
          {answer.bytes > 0 && ` · ${bytes(answer.bytes)}`}
        </span>
      </p>
      {answer.error && (
        <Banner
          kind="error"
          actions={
            <Button small icon="chat" onClick={onMend}>
              {t.data.mend}
            </Button>
          }
        >
          <p>{t.data.functionFailed}</p>
          <pre class="trial__text">{answer.error}</pre>
        </Banner>
      )}
      {hasText && (
        <pre class="trial__text" role="group" tabIndex={0} aria-label={t.data.answer}>
          {pretty(answer.body)}
        </pre>
      )}
      {!hasText && !answer.error && <p class="soft">{answer.bytes > 0 ? t.data.noText : t.data.noBody}</p>}
      {hasText && new Blob([answer.body]).size < answer.bytes && <p class="soft small">{t.data.cutOff}</p>}
      {answer.console.length > 0 && (
        <>
          <h3 class="small">{t.data.consoleLines}</h3>
          <pre class="trial__text" role="group" tabIndex={0} aria-label={t.data.consoleLines}>
            {answer.console.map(({ level, text }) => `${level}: ${text}`).join('\n')}
          </pre>
        </>
      )}
    </section>
  );
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// pretty indents JSON. It returns other texts unchanged.
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
