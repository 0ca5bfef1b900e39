import { render } from 'preact';

import { App } from '~/app/app';
import { addBase } from '~/app/base';
import { serveOffline } from '~/app/installed';
import { start } from '~/text';

addBase();
await start();
render(<App />, document.getElementById('app')!);
serveOffline();
