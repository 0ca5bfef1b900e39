import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { ApiError, api } from '~/api/client';
import { Gone } from '~/app/gone';
import { useTitle } from '~/app/title';
import { isNumber, tabStorage } from '~/storage';
import { t } from '~/text';
import { Button, Empty, Failure, Loading } from '~/ui';
import { leaving, nextAddress } from './moved';

// again is within how many milliseconds a second arrival means that the site did not keep its
// cookie.
const again = 10_000;

/**
 * Enter leads a member of the workspace into a site that only members see, or, with ?preview, a tab to
 * the next address of a preview.
 */
export default function Enter({ project }: { project: string }) {
  useTitle(t.shell.enterSite);
  const { query } = useLocation();
  const [failure, setFailure] = useState<unknown>();
  const [stuck, setStuck] = useState(false);
  const [brought] = useState(() => (query.preview === undefined ? undefined : leaving()));
  const key = `entered ${project}`;
  const go = async () => {
    setFailure(undefined);
    setStuck(false);
    try {
      if (brought) {
        location.replace(await nextAddress(project, brought));
        return;
      }
      const { url } = await api.post<{ url: string }>(`/projects/${encodeURIComponent(project)}/site/pass`, {
        to: query.to ?? '/',
      });
      tabStorage.write(key, Date.now());
      location.replace(url);
    } catch (error) {
      setFailure(error);
    }
  };
  useEffect(() => {
    if (!brought && Date.now() - (tabStorage.read(key, isNumber) ?? 0) < again) setStuck(true);
    else void go();
  }, []);
  if (stuck)
    return (
      <main class="page" id="main">
        <Empty
          whole
          icon="alert"
          title={t.shell.notEntered}
          actions={<Button onClick={() => void go()}>{t.shell.retry}</Button>}
        >
          {t.shell.notEnteredHint}
        </Empty>
      </main>
    );
  if (failure instanceof ApiError && failure.code === 'not_found')
    return (
      <main class="page" id="main">
        <Gone />
      </main>
    );
  return (
    <main class="page" id="main">
      {failure === undefined ? <Loading /> : <Failure error={failure} retry={() => void go()} />}
    </main>
  );
}
