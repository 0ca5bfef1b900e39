import { useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Connector, ConnectorTool, ConnectorToolText, Consent, EnabledConnectorTool } from '~/api/types';
import { plain } from '~/pages/project/chat/plain';
import { sentence, t } from '~/text';
import { Banner, Button, complain, Dialog, Select, say } from '~/ui';

interface ConnectorToolsProps {
  path: string;
  connector: Connector;
  onChange: () => Promise<void>;
  onClose: () => void;
}

/** ConnectorTools lets an admin choose which tools of a connector the agent may use. */
export function ConnectorTools({ path, connector, onChange, onClose }: ConnectorToolsProps) {
  const [saving, setSaving] = useState(0);
  const latest = useRef(connector.tools);
  const last = useRef(Promise.resolve());
  const text = t.workspace.connectors;
  const { name, tools, refusedTools } = connector;
  // save waits for the choices before it: each sends the whole list. Nothing is disabled meanwhile, which
  // would take the focus away from whoever uses the keyboard.
  const save = (list: (tools: ConnectorTool[]) => EnabledConnectorTool[]) => {
    setSaving((count) => count + 1);
    last.current = last.current
      .then(async () => {
        const body = { enabledTools: list(latest.current) };
        latest.current = (await api.patch<Connector>(`${path}/${connector.id}`, body)).tools;
        say(text.saved);
      })
      .catch(complain)
      .then(onChange)
      .finally(() => setSaving((count) => count - 1));
  };
  const allow = (tool: string, consent: Consent, hash?: string) =>
    save((now) => [
      ...now.filter((other) => other.name !== tool && other.pinned).map(kept),
      ...(consent === 'never' ? [] : [{ name: tool, consent, ...(hash ? { hash } : {}) }]),
    ]);
  const allowAll = () =>
    save((now) => [
      ...now.filter(({ pinned }) => pinned).map(kept),
      // The hash is of what the admin sees, which the newest list may no longer have.
      ...tools
        .filter((tool) => isOff(tool) && now.some((other) => other.name === tool.name && isOff(other)))
        .map(({ name, offered }) => ({ name, consent: 'ask' as const, hash: offered!.hash })),
    ]);
  return (
    <Dialog title={text.toolsOf(name)} wide onClose={onClose}>
      <div class="form">
        {connector.problem && <Banner kind="warning">{sentence(connector.problem)}</Banner>}
        <p class="soft">{tools.length > 0 ? text.explain : text.noTools}</p>
        {refusedTools > 0 && <p class="soft">{text.refused(refusedTools)}</p>}
        {tools.filter(isOff).length > 1 && (
          <p>
            <Button small onClick={allowAll}>
              {text.allowAll}
            </Button>
          </p>
        )}
        <ul class="rows" aria-busy={saving > 0}>
          {tools.map((tool) => (
            <ToolRow key={tool.name} tool={tool} onAllow={(consent, hash) => allow(tool.name, consent, hash)} />
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

// isOff reports whether nobody allowed a tool that the server has.
function isOff({ pinned, offered }: ConnectorTool): boolean {
  return !pinned && offered !== null;
}

// kept leaves an allowed tool as it was allowed.
function kept({ name, consent }: ConnectorTool): EnabledConnectorTool {
  return { name, consent };
}

interface ToolRowProps {
  tool: ConnectorTool;
  onAllow: (consent: Consent, hash?: string) => void;
}

function ToolRow({ tool, onAllow }: ToolRowProps) {
  const text = t.workspace.connectors;
  const { name, state, pinned, offered } = tool;
  const consent = pinned ? tool.consent : 'never';
  return (
    <li class="row">
      <div class="row__main">
        <div class="intro">
          <div>
            <code>{name}</code> {text.states[state] && <span class="badge badge--warning">{text.states[state]}</span>}
          </div>
          <Select
            label={text.consentOf(name)}
            hideLabel
            value={consent}
            onChange={(event) => onAllow(event.currentTarget.value as Consent, pinned ? undefined : offered?.hash)}
          >
            {(Object.keys(text.consents) as Consent[]).map((choice) => (
              <option key={choice} value={choice}>
                {text.consents[choice]}
              </option>
            ))}
          </Select>
        </div>
        {state === 'changed' ? (
          <>
            <p class="row__note">{text.changedHint}</p>
            <div class="tools__list">
              <Described tool={name} title={text.before} text={pinned!} />
              <Described tool={name} title={text.now} text={offered!} />
            </div>
            <p>
              <Button small icon="check" onClick={() => onAllow(tool.consent, offered!.hash)}>
                {text.allowAgain}
              </Button>
            </p>
          </>
        ) : (
          <details class="hook__more">
            <summary>{text.details}</summary>
            {state === 'gone' && <p class="row__note">{text.goneHint}</p>}
            <Described tool={name} title={text.strangers} text={(offered ?? pinned)!} />
          </details>
        )}
      </div>
    </li>
  );
}

interface DescribedProps {
  tool: string;
  title: string;
  text: ConnectorToolText;
}

// Described shows what a server says of a tool, as text and never as markup.
function Described({ tool, title, text: { description, inputSchema } }: DescribedProps) {
  const label = t.workspace.connectors.arguments;
  return (
    <div>
      <p class="step__label">{title}</p>
      <p class="hook__body" dir="auto">
        {plain(description)}
      </p>
      <p class="step__label">{label}</p>
      <pre class="step__text" tabIndex={0} role="group" aria-label={`${label}: ${tool}`} dir="ltr">
        {plain(JSON.stringify(inputSchema, null, 2))}
      </pre>
    </div>
  );
}
