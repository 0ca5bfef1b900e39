import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Banner, Button, Dialog, Diff, inWords } from '~/ui';
import { unified } from './lines';
import type { OpenFile } from './openfile';
import { linesOf } from './text';

/** Trouble shows why a file is not saved and what the user can do. */
export function Trouble({ file }: { file: OpenFile }) {
  const [comparing, setComparing] = useState(false);
  const theirs = file.theirs.value;
  if (file.saving.value === 'refused') {
    return (
      <Banner
        kind="error"
        actions={
          <Button small onClick={() => void file.saver.now()}>
            {t.shell.retry}
          </Button>
        }
      >
        {t.code.refused} {inWords(file.problem.value)}
      </Banner>
    );
  }
  if (!theirs) return null;
  const actions = (
    <>
      <Button small onClick={() => file.keepMine()}>
        {theirs.text ? t.code.keepMine : t.code.keepFile}
      </Button>
      <Button small onClick={() => file.takeTheirs()}>
        {theirs.text ? t.code.takeTheirs : t.code.letGo}
      </Button>
      {theirs.text && (
        <Button small kind="quiet" onClick={() => setComparing(true)}>
          {t.code.compare}
        </Button>
      )}
    </>
  );
  return (
    <>
      <Banner kind="warning" actions={actions}>
        {theirs.text ? t.code.conflict : t.code.deletedElsewhere}
      </Banner>
      {comparing && theirs.text && (
        <Dialog title={t.code.compareTitle} wide onClose={() => setComparing(false)}>
          <p class="soft small">{t.code.compareHint}</p>
          <Diff patch={unified(linesOf(theirs.text), linesOf(file.state.doc))} label={t.code.compareTitle} />
          <div class="dialog__actions">
            <Button
              onClick={() => {
                setComparing(false);
                file.takeTheirs();
              }}
            >
              {t.code.takeTheirs}
            </Button>
            <Button
              kind="primary"
              onClick={() => {
                setComparing(false);
                file.keepMine();
              }}
            >
              {t.code.keepMine}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
