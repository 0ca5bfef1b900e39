// The live events of a project: presence, and actions of other users and the agent.

import { computed, type ReadonlySignal, signal } from '@preact/signals';

import { me } from '~/app/session';
import type { LiveEvent, Peer } from './events';
import { Link } from './link';

/** pause is the interval between pings, in milliseconds. */
const pause = 20_000;

/** Live lives as long as the project's page. */
export class Live {
  /** people are the other users present, each once, in order of arrival. */
  readonly people: ReadonlySignal<Peer[]>;
  /** following is the id of the followed user. */
  readonly following = signal<string | null>(null);
  readonly followed: ReadonlySignal<Peer | null>;

  private readonly peers = signal<ReadonlyMap<number, Peer>>(new Map());
  private readonly link: Link;
  private readonly ears = new Set<(event: LiveEvent) => void>();
  private place: string | null = null;

  constructor(projectId: string) {
    this.link = new Link(projectId, 'atelier.v1', {
      open: () => {
        if (this.place !== null) this.say({ type: 'presence.update', path: this.place });
      },
      hear: (data) => this.hear(JSON.parse(data as string) as LiveEvent),
    });
    this.people = computed(() =>
      onePerson([...this.peers.value.values()].filter(({ user }) => user.id !== me.value?.user.id)),
    );
    this.followed = computed(() => this.people.value.find(({ user }) => user.id === this.following.value) ?? null);
  }

  /** state is the connection's state. While it is not 'up', callers must poll. */
  get state() {
    return this.link.state;
  }

  start(): () => void {
    this.link.open();
    const timer = setInterval(() => this.link.ask(JSON.stringify({ type: 'ping' })), pause);
    return () => {
      clearInterval(timer);
      this.link.close();
    };
  }

  listen(take: (event: LiveEvent) => void): () => void {
    this.ears.add(take);
    return () => this.ears.delete(take);
  }

  /** be announces which file is open; null means none. */
  be(path: string | null): void {
    if (path === this.place) return;
    this.place = path;
    this.say({ type: 'presence.update', path });
  }

  private say(message: object): void {
    this.link.send(JSON.stringify(message));
  }

  private hear(event: LiveEvent): void {
    switch (event.type) {
      case 'welcome':
        this.peers.value = new Map(event.peers.map((peer) => [peer.clientId, peer]));
        break;
      case 'presence.join':
      case 'presence.update':
      case 'presence.leave':
        this.see(event);
        break;
    }
    for (const take of this.ears) take(event);
  }

  private see({ type, ...peer }: { type: string } & Peer): void {
    const peers = new Map(this.peers.value);
    // Keep the peers ordered by their last activity.
    peers.delete(peer.clientId);
    if (type !== 'presence.leave') peers.set(peer.clientId, peer);
    this.peers.value = peers;
    if (type === 'presence.leave' && !this.followed.value) this.following.value = null;
  }
}

// onePerson merges a user's clients into the peer with the most detail.
function onePerson(peers: Peer[]): Peer[] {
  const byPerson = new Map<string, Peer>();
  for (const peer of [...peers].sort((a, b) => a.clientId - b.clientId)) byPerson.set(peer.user.id, peer);
  for (const peer of peers) if (worth(peer) >= worth(byPerson.get(peer.user.id)!)) byPerson.set(peer.user.id, peer);
  return [...byPerson.values()];
}

function worth({ path, selection }: Peer): number {
  return selection ? 2 : path ? 1 : 0;
}
