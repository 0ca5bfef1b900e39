import type { Finding } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Empty, Failure, Loading, When } from '~/ui';
import { FindingText, listed, Weight } from '../findings';
import type { DataDesk } from './desk';
import { Head } from './head';
import { RulesInWords } from './rules-view';

/** Check tests what strangers can access and shows the result next to the rules. */
export function Check({ desk }: { desk: DataDesk }) {
  const { inspection } = desk;
  const result = inspection.result.value;
  const running = inspection.running.value;
  const run = () => void inspection.run();
  return (
    <section class="tool" aria-labelledby="check">
      <Head
        desk={desk}
        id="check"
        title={t.data.check}
        actions={
          (result || running) && (
            <Button icon="shield" busy={running} onClick={run}>
              {running ? t.data.checking : t.data.checkAgain}
            </Button>
          )
        }
      />
      {inspection.error.value !== undefined && (
        <div class="tool__note">
          <Failure error={inspection.error.value} retry={run} />
        </div>
      )}
      {running ? (
        <Loading>{t.data.checkRuns}</Loading>
      ) : result ? (
        <Result desk={desk} findings={result.findings} at={result.at} />
      ) : (
        <Empty
          icon="shield"
          title={t.data.checkTitle}
          actions={
            <Button kind="primary" icon="shield" onClick={run}>
              {t.data.checkNow}
            </Button>
          }
        >
          {t.data.checkHint}
        </Empty>
      )}
    </section>
  );
}

function Result({ desk, findings, at }: { desk: DataDesk; findings: Finding[]; at: string }) {
  const { store } = desk;
  const serious = findings.filter(({ severity }) => severity !== 'info');
  const names = [...new Set(findings.map(({ collection }) => collection))];
  return (
    <div class="inspection">
      <p class="faint small" role="status">
        {t.data.checkedAt} <When at={at} />
      </p>
      {desk.inspection.isOld.value && <Banner kind="warning">{t.data.checkOld}</Banner>}
      {findings.length === 0 ? (
        <Empty icon="check" title={t.data.checkGood}>
          {t.data.checkGoodHint}
        </Empty>
      ) : serious.length === 0 ? (
        <Banner kind="good">{t.data.checkNotes}</Banner>
      ) : (
        <Banner
          kind="warning"
          actions={
            <Button small icon="chat" onClick={() => store.compose(t.data.mendText(listed(serious)))}>
              {t.data.mendAll(serious.length)}
            </Button>
          }
        >
          <strong>{t.data.found(serious.length)}</strong> {t.data.foundHint}
        </Banner>
      )}
      {names.map((name) => (
        <Group key={name} desk={desk} name={name} findings={findings.filter(({ collection }) => collection === name)} />
      ))}
    </div>
  );
}

// Group shows the rules of a collection and the findings about it.
function Group({ desk, name, findings }: { desk: DataDesk; name: string; findings: Finding[] }) {
  const collection = desk.collection(name);
  return (
    <section class="card findings">
      <h3>
        <bdi>{name}</bdi>
      </h3>
      {collection && (
        <p class="soft small">
          <RulesInWords collection={collection} />
        </p>
      )}
      <ul>
        {findings.map((one) => (
          <li key={one.id} class="finding">
            <Weight severity={one.severity} />
            <div class="finding__main">
              <FindingText finding={one} />
              {one.severity !== 'info' && (
                <div>
                  <Button small icon="chat" onClick={() => desk.store.compose(t.data.mendText(listed([one])))}>
                    {t.data.mend}
                  </Button>
                </div>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
