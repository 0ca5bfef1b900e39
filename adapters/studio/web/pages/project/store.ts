// The shared state of a project's panes: the project, its files, the state of the preview,
// and requests from one pane to another. Panes never call each other.

import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';

import { api, renew } from '~/api/client';
import type { Diagnostic, FileEntry, Preview, Project } from '~/api/types';
import { config } from '~/app/config';
import { atLeast, workspaces } from '~/app/session';
import { isBuildExpected } from '~/app/wish';
import { tabStorage } from '~/storage';
import { aboutToBegin, type Building } from './building';
import type { Reference } from './chat/events';
import type { LiveEvent } from './live/events';
import { Live } from './live/live';
import { isKeptView, type PaneName, paneNames, View } from './view';

export { type PaneName, paneNames } from './view';

/**
 * panesFor returns the panes that a user can open. Data and publishing are for members only, and a
 * task's working copy is not published.
 */
export function panesFor(member: boolean, copy: boolean): PaneName[] {
  return paneNames.filter((name) => (member || name !== 'data') && ((member && !copy) || name !== 'publish'));
}

const dataEnvs = ['test', 'live'] as const;

/** Words are a message for the chat, and what it is about. */
export interface Words {
  text: string;
  references: Reference[];
}

/** Errand is a comment that the agent was asked to do, by the words that were sent. */
export interface Errand {
  thread: string;
  text: string;
  state: 'asked' | 'done';
}

/** Place is a position in a file; line and column start at 1. */
export interface Place {
  path: string;
  line?: number;
  column?: number;
}

export interface ConsoleEntry {
  level: string;
  message: string;
  source?: string;
  line?: number;
  column?: number;
}

/** PreviewEvent is an event of GET /projects/:id/preview/events. */
type PreviewEvent =
  | { type: 'preview.status'; status: Preview['status']; progress?: string }
  | { type: 'build.ok' }
  | { type: 'build.error'; diagnostics: Diagnostic[] }
  | ({ type: 'console' } & ConsoleEntry);

const consoleLength = 200;

/** ProjectStore lives as long as the project's page. */
export class ProjectStore {
  readonly project;
  /** canEdit is true for members. Other users can only read a public project. */
  readonly canEdit: ReadonlySignal<boolean>;
  /** isAdmin and isOwner describe the user's role in the project's workspace. */
  readonly isAdmin: ReadonlySignal<boolean>;
  readonly isOwner: ReadonlySignal<boolean>;

  /** view says what is shown. pane, chatShown and narrow are its own. */
  readonly view: View;
  readonly pane;
  readonly chatShown;
  readonly narrow;

  readonly files = signal<FileEntry[]>([]);
  /** diagnostics are the build errors; empty after a successful build. */
  readonly diagnostics = signal<Diagnostic[]>([]);
  /** warnings are about pages that work all the same. */
  readonly warnings = signal<Diagnostic[]>([]);
  /** builds counts the builds of the preview. */
  readonly builds = signal(0);
  readonly console = signal<ConsoleEntry[]>([]);
  /** selected is the element that is selected in the preview, with its place in a file. */
  readonly selected = signal<Reference | null>(null);
  /** versions counts changes of the list of versions, tasks those of the task board. */
  readonly versions = signal(0);
  readonly tasks = signal(0);
  /** comments counts changes of the comments on the pages. */
  readonly comments = signal(0);
  /** data counts the times when records of an environment changed. */
  readonly data = { test: signal(0), live: signal(0) };

  /** wanted is the place that the code pane opens next. */
  readonly wanted = signal<Place | null>(null);
  /** wantedVersion is the id of the version that the versions pane opens next. */
  readonly wantedVersion = signal<string | null>(null);
  /** question is the message that the chat sends next. */
  readonly question = signal<Words | null>(null);
  /** proposal is the text that the chat's composer receives next. */
  readonly proposal = signal<Words | null>(null);

  /** errand is the comment that the agent was asked to do last, or null. */
  readonly errand = signal<Errand | null>(null);

  /** building is the first run of a wish while it makes the application, else null. */
  readonly building;

  /** listening is false while the preview is stopped: listening to it would restart it. */
  readonly listening = signal(true);

  /** live receives changes by other users and by the agent. */
  readonly live: Live;

  private source: EventSource | null = null;

  constructor(project: Project) {
    this.project = signal(project);
    this.building = signal<Building | null>(isBuildExpected(project.id) ? aboutToBegin : null);
    this.live = new Live(project.id);
    this.live.listen((event) => this.hear(event));
    this.view = viewOf(project.id);
    this.pane = this.view.pane;
    this.chatShown = this.view.chatShown;
    this.narrow = this.view.narrow;
    const role = computed(() => workspaces.value.find(({ id }) => id === this.project.value.workspaceId)?.role);
    this.canEdit = computed(() => role.value !== undefined);
    this.isAdmin = computed(() => atLeast(role.value, 'admin'));
    this.isOwner = computed(() => role.value === 'owner');
  }

  get id(): string {
    return this.project.value.id;
  }

  show(pane: PaneName): void {
    this.view.show(pane);
  }

  /** keepView stores the view for the next reload. */
  keepView(): void {
    tabStorage.write(`atelier.view.${this.id}`, this.view.kept());
  }

  /** showVersion opens a version in the versions pane. */
  showVersion(id: string): void {
    this.wantedVersion.value = id;
    this.show('versions');
  }

  /** ask sends a message to the agent in the current chat. */
  ask(text: string, references: Reference[] = []): void {
    this.chatShown.value = true;
    this.question.value = { text, references };
  }

  /** compose puts a text into the chat's composer, where the user can edit it before sending. */
  compose(text: string, references: Reference[] = []): void {
    this.chatShown.value = true;
    this.proposal.value = { text, references };
  }

  /** openFile opens a place in the code pane. */
  openFile(place: Place): void {
    this.wanted.value = place;
    this.show('code');
  }

  /** follow makes the code pane follow a user. */
  follow(userId: string): void {
    this.live.following.value = userId;
    this.show('code');
  }

  /** reloadFiles reloads the list of files. */
  async reloadFiles(): Promise<void> {
    this.files.value = await api.get<FileEntry[]>(`/projects/${this.id}/files`);
  }

  /** filesChanged is called after any change of files. */
  filesChanged(): void {
    clearTimeout(this.pending);
    this.pending = setTimeout(() => void this.reloadFiles().catch(() => {}), 150);
  }

  private pending: ReturnType<typeof setTimeout> | undefined;

  versionsChanged(): void {
    this.versions.value += 1;
  }

  /**
   * attend listens to the preview's events while the page is visible. Browsers open only
   * six connections to a host; hidden pages must not use them up.
   */
  attend(): () => void {
    const turn = () => {
      const isLost = this.live.state.value === 'lost';
      if (document.hidden || isLost || !this.listening.value || !this.canEdit.value) this.unfollow();
      else if (!this.source) this.listen();
    };
    const leave = effect(turn);
    document.addEventListener('visibilitychange', turn);
    return () => {
      leave();
      document.removeEventListener('visibilitychange', turn);
      clearTimeout(this.pending);
      this.unfollow();
    };
  }

  private listen(): void {
    const source = new EventSource(`${config.base}/projects/${this.id}/preview/events`);
    this.source = source;
    source.onmessage = (message) => this.take(JSON.parse(message.data) as PreviewEvent);
    // An error response is final, for example after the session has expired.
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(
        () =>
          void renew().finally(() => {
            if (this.source === source) this.listen();
          }),
        3000,
      );
    };
  }

  private unfollow(): void {
    this.source?.close();
    this.source = null;
  }

  // hear applies changes by other users and by the agent.
  private hear(event: LiveEvent): void {
    const files = this.files.peek();
    const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
    switch (event.type) {
      case 'welcome':
        this.filesChanged();
        this.comments.value += 1;
        break;
      case 'comments.changed':
        this.comments.value += 1;
        break;
      case 'file.changed': {
        const { path, size, updatedAt, etag } = event;
        this.files.value = [...files.filter((entry) => entry.path !== path), { path, size, updatedAt, etag }];
        break;
      }
      case 'file.deleted':
        this.files.value = files.filter(({ path }) => !isIn(event.path, path));
        break;
      case 'file.renamed':
        this.files.value = files.map((entry) =>
          isIn(event.from, entry.path) ? { ...entry, path: event.to + entry.path.slice(event.from.length) } : entry,
        );
        this.filesChanged();
        break;
      case 'preview.status':
        if (event.diagnostics && event.status !== 'starting') {
          this.diagnostics.value = event.diagnostics;
          this.warnings.value = event.warnings ?? [];
        }
        break;
      case 'tasks.changed':
        this.tasks.value += 1;
        break;
      case 'data.changed':
        for (const env of dataEnvs) if (env === (event.environment ?? env)) this.data[env].value += 1;
        break;
      case 'project.updated':
        this.versionsChanged();
        void api.get<Project>(`/projects/${this.id}`).then(
          (project) => {
            this.project.value = project;
          },
          () => {},
        );
        break;
    }
  }

  private take(event: PreviewEvent): void {
    switch (event.type) {
      case 'build.ok':
        this.diagnostics.value = [];
        this.builds.value += 1;
        this.filesChanged();
        break;
      case 'build.error':
        this.diagnostics.value = event.diagnostics;
        this.filesChanged();
        break;
      case 'console':
        this.console.value = [...this.console.value, event].slice(-consoleLength);
        break;
    }
  }
}

/** wide is the media query for showing the chat and a pane side by side. */
export const wide = '(min-width: 800px)';

// viewOf returns the view from the address (?pane=), or this tab's last one.
function viewOf(id: string): View {
  const kept = tabStorage.read(`atelier.view.${id}`, isKeptView) ?? {};
  const wanted = new URLSearchParams(location.search).get('pane') ?? kept.pane;
  return new View({ ...kept, pane: wanted }, !matchMedia(wide).matches);
}
