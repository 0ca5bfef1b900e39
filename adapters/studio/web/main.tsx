import { render } from 'preact';

import { App } from '~/app/app';
import { addBase } from '~/app/base';
import { start } from '~/text';

addBase();
await start();
render(<App />, document.getElementById('app')!);
