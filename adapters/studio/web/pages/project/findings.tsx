import type { Finding } from '~/api/types';
import { t } from '~/text';

const badges = { high: 'badge badge--danger', medium: 'badge badge--warning', info: 'badge' };

/** Weight shows the severity of a finding. */
export function Weight({ severity }: Pick<Finding, 'severity'>) {
  return <span class={badges[severity] ?? 'badge'}>{t.data.severities[severity] ?? severity}</span>;
}

/** FindingText shows what strangers could do, and the suggested schema. */
export function FindingText({ finding }: { finding: Finding }) {
  return (
    <>
      <p>{t.data.finding(finding)}</p>
      {finding.suggestion && (
        <p class="finding__fix">
          <span class="faint">{t.data.suggestion}</span> <code>{t.data.suggested(finding.suggestion)}</code>
        </p>
      )}
    </>
  );
}

/** listed formats findings for the agent. */
export function listed(findings: Finding[]): string {
  return findings.map((one) => `- ${one.collection}: ${t.data.finding(one)} ${one.suggestion}`).join('\n');
}
