import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, lazy, Route, Router, useLocation } from 'preact-iso';

import { loadAdmin, loadWorkbench, loadWorkspace } from '~/text';
import { Failure, Loading } from '~/ui';
import { enter, hadSession, mayHaveSession, me, needsEmail, needsFactor, signInFor } from './session';

// Each page is a separate chunk, loaded on first use.
const Auth = lazy(() => import('~/pages/auth'));
const Front = lazy(() => import('~/pages/front'));
const Invite = lazy(() => import('~/pages/auth/invite'));
const Verify = signedIn(() => import('~/pages/auth/verify'));
const Dashboard = signedIn(
  async () => (await Promise.all([import('~/pages/dashboard'), loadWorkbench(), loadWorkspace()]))[0],
);
const Settings = signedIn(async () => (await Promise.all([import('~/pages/settings'), loadWorkspace()]))[0]);
const WorkspacePages = signedIn(async () => (await Promise.all([import('~/pages/workspace'), loadWorkspace()]))[0]);
const AdminPages = signedIn(
  async () => (await Promise.all([import('~/pages/admin'), loadAdmin(), loadWorkspace()]))[0],
);
const Unverified = lazy(() => import('~/pages/auth/unverified'));
const GonePage = lazy(() => import('./gone-page'));
const Help = lazy(() => import('~/pages/help'));
const Consent = signedIn(() => import('~/pages/consent'));
const Enter = signedIn(() => import('~/pages/enter'));
const ProjectPage = signedIn(
  async () => (await Promise.all([import('~/pages/project'), loadWorkbench(), loadWorkspace()]))[0],
);

export function Pages() {
  return (
    <ErrorBoundary>
      <Router>
        <Route path="/login" component={Auth} form="login" />
        <Route path="/signup" component={Auth} form="signup" />
        <Route path="/forgot-password" component={Auth} form="forgot" />
        <Route path="/reset-password" component={Auth} form="reset" />
        <Route path="/verify-email" component={Verify} />
        <Route path="/invites/:token" component={Invite} />
        <Route path="/" component={Home} />
        <Route path="/dashboard" component={Dashboard} />
        <Route path="/settings/:section?" component={Settings} />
        <Route path="/admin/:section?" component={AdminPages} />
        <Route path="/workspaces/:wid/:section?" component={WorkspacePages} />
        <Route path="/projects/:id" component={ProjectPage} />
        <Route path="/help/:topic?" component={Help} />
        <Route path="/oauth/authorize" component={Consent} />
        <Route path="/enter/:project" component={Enter} />
        <Route default component={GonePage} />
      </Router>
    </ErrorBoundary>
  );
}

// ownPages are the pages for users who have to verify the address or set up a second factor.
const ownPages = /^\/(settings|verify-email)(\/|$)/;

/**
 * signedIn guards a page: it redirects visitors without a session to the sign-in page, and users
 * who have to set up a second factor to where they do. Users who have to verify their address are
 * asked to in its place. The page's chunk loads while the session is checked.
 */
function signedIn<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Page = lazy(load);
  return function SignedIn(props: Props) {
    const [failure, setFailure] = useState<unknown>();
    const { route, url, path } = useLocation();
    const unverified = needsEmail.value && !ownPages.test(path);
    const barred = needsFactor.value && !unverified && !ownPages.test(path);
    const begin = () => {
      setFailure(undefined);
      const had = hadSession();
      enter().then((entered) => {
        if (!entered) route(signInFor(url, had), true);
      }, setFailure);
    };
    useEffect(() => {
      void load().catch(() => {});
      if (!me.value) begin();
    }, []);
    useEffect(() => {
      if (barred) route('/settings/security', true);
    }, [barred]);
    if (unverified) return <Unverified />;
    if (barred) return <Loading />;
    if (me.value) return <Page {...props} />;
    return failure ? (
      <main class="page">
        <Failure error={failure} retry={begin} />
      </main>
    ) : (
      <Loading />
    );
  };
}

// Home is the front page for visitors. Who has signed in with this browser goes to their
// projects without a request, so that they never wait or see the front page in between.
function Home() {
  const { route } = useLocation();
  const [visitor] = useState(() => !me.value && !mayHaveSession());
  useEffect(() => {
    if (!visitor) route('/dashboard', true);
  }, []);
  return visitor ? <Front /> : null;
}
