import { render } from 'preact';

import { App } from '~/app/app';
import { start } from '~/text';

await start();
render(<App />, document.getElementById('app')!);
