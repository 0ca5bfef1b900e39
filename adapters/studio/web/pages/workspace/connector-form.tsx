import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Connector } from '~/api/types';
import { list, t } from '~/text';
import { Banner, Button, Checkbox, Dialog, Failure, TextField, useTask } from '~/ui';

interface ConnectorFormProps {
  path: string;
  /** connector is the one to edit; without it, the form creates one. */
  connector?: Connector;
  onClose: () => void;
  onSaved: (connector: Connector) => void;
}

interface Header {
  name: string;
  value: string;
}

/** ConnectorForm makes or changes a connector. */
export function ConnectorForm({ path, connector, onClose, onSaved }: ConnectorFormProps) {
  const [name, setName] = useState(connector?.name ?? '');
  const [url, setURL] = useState(connector?.url ?? '');
  const [headers, setHeaders] = useState<Header[]>([]);
  const [drops, setDrops] = useState(false);
  const { busy, error, run, fail } = useTask({ leaves: true });
  const text = t.workspace.connectors;
  const moves = connector !== undefined && url.trim() !== connector.url;
  const submit = (event: Event) => {
    event.preventDefault();
    const given = headers.filter((header) => header.name.trim() !== '');
    const names = new Set(given.map((header) => header.name.trim().toLowerCase()));
    if (names.size < given.length) return fail(new Error(text.headerTwice));
    const body = {
      name: name.trim(),
      url: url.trim(),
      ...(given.length > 0 || drops
        ? { headers: Object.fromEntries(given.map((header) => [header.name.trim(), header.value])) }
        : {}),
    };
    void run(async () => {
      if (!connector) return onSaved(await api.post<Connector>(path, body));
      const own = `${path}/${connector.id}`;
      const changed = await api.patch<Connector>(own, body);
      // Nobody knows the tools at the other address yet.
      onSaved(moves ? await api.post<Connector>(`${own}/refresh`) : changed);
    });
  };
  return (
    <Dialog title={connector ? text.editTitle : text.add} wide onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <TextField
          label={text.name}
          hint={text.nameHint}
          required
          autofocus
          autocomplete="off"
          maxLength={40}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={text.url}
          hint={text.urlHint}
          type="url"
          required
          autocomplete="off"
          maxLength={2048}
          value={url}
          onInput={(event) => setURL(event.currentTarget.value)}
        />
        {moves && <Banner kind="warning">{text.urlChange}</Banner>}
        <Headers
          kept={moves ? [] : (connector?.headerNames ?? [])}
          headers={headers}
          change={setHeaders}
          drops={drops}
          drop={setDrops}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {connector ? t.shell.save : t.shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface HeadersProps {
  /** kept are the names of the headers that are stored. */
  kept: string[];
  headers: Header[];
  change: (headers: Header[]) => void;
  /** drops says that the stored headers are to be deleted. */
  drops: boolean;
  drop: (drops: boolean) => void;
}

function Headers({ kept, headers, change, drops, drop }: HeadersProps) {
  const text = t.workspace.connectors;
  const set = (index: number, header: Header) => change(headers.with(index, header));
  return (
    <div class="form" role="group" aria-label={text.headers}>
      <div>
        <p class="field__label">{text.headers}</p>
        <p class="field__hint">{text.headersHint}</p>
      </div>
      {kept.length > 0 && (
        <>
          <p class="field__hint">{text.headersKept(list(kept))}</p>
          <Checkbox label={text.headersDrop} checked={drops} onChange={() => drop(!drops)} />
        </>
      )}
      {headers.map((header, index) => (
        <div class="form__pair" key={index}>
          <TextField
            label={text.headerName}
            autocomplete="off"
            placeholder="Authorization"
            maxLength={100}
            value={header.name}
            onInput={(event) => set(index, { ...header, name: event.currentTarget.value })}
          />
          <TextField
            label={text.headerValue}
            type="password"
            autocomplete="off"
            maxLength={4096}
            value={header.value}
            onInput={(event) => set(index, { ...header, value: event.currentTarget.value })}
          />
          <p>
            <Button small icon="trash" onClick={() => change(headers.toSpliced(index, 1))}>
              {text.removeHeader(header.name).trim()}
            </Button>
          </p>
        </div>
      ))}
      <p>
        <Button
          small
          icon="add"
          disabled={headers.length >= 10}
          onClick={() => change([...headers, { name: '', value: '' }])}
        >
          {text.addHeader}
        </Button>
      </p>
    </div>
  );
}
