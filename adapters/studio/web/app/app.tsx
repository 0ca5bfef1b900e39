import { Component, type ComponentChildren } from 'preact';
import { LocationProvider } from 'preact-iso';

import { t } from '~/text';
import { Button, Empty } from '~/ui';
import { Questions } from '~/ui/dialog';
import { Toasts } from '~/ui/toast';
import { Tooltips } from '~/ui/tooltip';
import { Inside, scope } from './base';
import { Palette } from './palette';
import { Pages } from './routes';
import { Shortcuts } from './shortcutlist';

// own matches the addresses of the studio. The router leaves other links to the browser.
const own =
  /^\/(?:$|\?|(?:login|signup|forgot-password|reset-password|verify-email|dashboard)(?:\?|$)|oauth\/authorize(?:\?|$)|settings|admin(?:\/(?:people|signup|audit))?$|help|invites\/|workspaces\/|projects\/[^/]+$)/;

/** App is the root component. */
export function App() {
  return (
    <Guard>
      <LocationProvider scope={scope(own)}>
        <Inside>
          <a class="skip-link" href="#main">
            {t.shell.skip}
          </a>
          <Pages />
          <Palette />
          <Shortcuts />
          <Questions />
          <Toasts />
          <Tooltips />
        </Inside>
      </LocationProvider>
    </Guard>
  );
}

// Guard is the error boundary: it shows a message instead of a blank page.
class Guard extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  componentDidCatch(error: unknown) {
    console.error(error);
  }

  render() {
    if (!this.state.failed) return this.props.children;
    return (
      <main class="page">
        <Empty
          whole
          icon="alert"
          title={t.shell.crashed}
          actions={
            <Button kind="primary" onClick={() => location.reload()}>
              {t.shell.reload}
            </Button>
          }
        >
          {t.shell.crashedHint}
        </Empty>
      </main>
    );
  }
}
