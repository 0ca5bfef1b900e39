import { config } from '~/app/config';
import { t } from '~/text';
import { Copyable } from '~/ui';

/** Connect shows how coding agents are connected, with a token or a placeholder for it. */
export function Connect({ token }: { token: string }) {
  const url = `${location.origin}${config.base}/mcp`;
  const authorization = `Bearer ${token}`;
  const cursor = JSON.stringify({ mcpServers: { atelier: { url, headers: { Authorization: authorization } } } });
  const signIn = [
    `claude mcp add --transport http atelier ${url}`,
    `code --add-mcp '${JSON.stringify({ name: 'atelier', type: 'http', url })}'`,
  ] as const;
  return (
    <section class="settings__section" aria-labelledby="connect">
      <h2 id="connect">{t.settings.connectTitle}</h2>
      <p class="soft settings__lead">{t.settings.connectText}</p>
      <p class="soft settings__lead">{t.settings.programs.signInText}</p>
      <h3>Claude Code</h3>
      <Copyable label={t.settings.programs.command('Claude Code')} value={signIn[0]} />
      <h3>VS Code</h3>
      <Copyable label={t.settings.programs.command('VS Code')} value={signIn[1]} />
      <p class="soft settings__lead">{t.settings.programs.orToken}</p>
      <h3>Claude Code</h3>
      <Copyable
        label={t.settings.connectCommand}
        value={`claude mcp add --transport http atelier ${url} --header "Authorization: ${authorization}"`}
      />
      <h3>Cursor</h3>
      <p class="soft">{t.settings.connectFile('.cursor/mcp.json')}</p>
      <Copyable label={t.settings.connectEntry} value={cursor} />
    </section>
  );
}
