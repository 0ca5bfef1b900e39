import type { ProviderCapabilities, ProviderTest } from '~/api/types';
import { number, t } from '~/text';
import { Banner, Button, Icon, Loading } from '~/ui';
import { isForbidden } from './provider-calls';

interface TestResultProps {
  /** result is null while the test is running. */
  result: ProviderTest | null;
  /** onModel opens the model selection; it is undefined if there are no models. */
  onModel?: () => void;
  onEdit: () => void;
}

export function TestResult({ result, onModel, onEdit }: TestResultProps) {
  const text = t.workspace.providers;
  if (!result) return <Loading>{text.testing}</Loading>;
  if (!result.ok) {
    const why = isForbidden(result) ? text.forbidden : sentence(result.message ?? result.error ?? '');
    return (
      <Banner
        kind="error"
        actions={
          <Button small icon="edit" onClick={onEdit}>
            {text.edit}
          </Button>
        }
      >
        {text.testBad(why)}
      </Banner>
    );
  }
  return (
    <Banner
      kind={result.warning ? 'warning' : 'good'}
      actions={
        onModel && (
          <Button small icon="list" onClick={onModel}>
            {text.chooseModel}
          </Button>
        )
      }
    >
      {result.latencyMs < 50 ? text.testAtOnce : text.testGood(duration(result.latencyMs))}
      {result.warning && <p>{text.slow}</p>}
      {result.capabilities && <Abilities found={result.capabilities} />}
    </Banner>
  );
}

function Abilities({ found }: { found: ProviderCapabilities }) {
  const text = t.workspace.providers.abilities;
  const words: [boolean, string][] = [
    [found.dialect === 'native', found.dialect === 'native' ? text.native : text.tagged],
    [found.vision, found.vision ? text.vision : text.noVision],
    ...(found.thinking ? [[true, text.thinking] as [boolean, string]] : []),
    [
      found.contextTokens > 0,
      found.contextTokens > 0 ? text.context(number(found.contextTokens)) : text.contextUnknown,
    ],
  ];
  return (
    <ul class="abilities">
      {words.map(([has, word]) => (
        <li key={word}>
          <Icon name={has ? 'check' : 'minus'} />
          {word}
        </li>
      ))}
    </ul>
  );
}

function duration(milliseconds: number): string {
  return number(milliseconds / 1000, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
    maximumFractionDigits: milliseconds < 1000 ? 2 : 1,
  });
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
