import { Create } from './create';
import { Describe } from './describe';
import type { Desk, Doing } from './desk';
import { Duplicate } from './duplicate';
import { Import } from './import';
import { MoveFolder, MoveProject } from './move';
import { NewFolder, RenameFolder, RenameProject } from './names';
import { EditTemplate, ShareTemplate } from './share-template';
import { Transfer } from './transfer';
import { Who } from './who';

/** Dialogs renders the open dialog. */
export function Dialogs({ desk, doing }: { desk: Desk; doing: Doing }) {
  switch (doing.kind) {
    case 'create':
      return <Create desk={desk} wanted={doing.template} />;
    case 'import':
      return <Import key={`${doing.file?.name} ${doing.file?.lastModified}`} desk={desk} dropped={doing.file} />;
    case 'newFolder':
      return <NewFolder desk={desk} />;
    case 'rename':
      return <RenameProject desk={desk} project={doing.project} />;
    case 'renameFolder':
      return <RenameFolder desk={desk} folder={doing.folder} />;
    case 'describe':
      return <Describe desk={desk} project={doing.project} />;
    case 'move':
      return <MoveProject desk={desk} project={doing.project} />;
    case 'moveFolder':
      return <MoveFolder desk={desk} folder={doing.folder} />;
    case 'visibility':
      return <Who desk={desk} project={doing.project} />;
    case 'duplicate':
      return <Duplicate desk={desk} project={doing.project} />;
    case 'share':
      return <ShareTemplate desk={desk} project={doing.project} />;
    case 'editTemplate':
      return <EditTemplate desk={desk} template={doing.template} />;
    case 'transfer':
      return <Transfer desk={desk} project={doing.project} />;
  }
}
