import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, Empty, Failure, Spinner } from '~/ui';
import type { Building } from '../building';
import type { ProjectStore } from '../store';
import { Build } from './build';
import { Crash } from './crash';
import type { Frame } from './frame';
import type { Session } from './session';

/** Size is the device size to simulate; turned rotates it. */
export interface Size {
  name: 'full' | 'tablet' | 'phone';
  turned: boolean;
}

// Smaller scales are unreadable, so the stage scrolls instead.
const leastScale = 0.5;
const lineAbove = 26;

const screens = { tablet: [820, 1180], phone: [390, 844] } as const;

/** Stage shows the preview's page, or a placeholder. */
export function Stage({
  store,
  session,
  frame,
  size,
  picking,
}: {
  store: ProjectStore;
  session: Session;
  frame: Frame;
  size: Size;
  picking: boolean;
}) {
  const address = session.address.value;
  // The user wants to see the page while it is being made.
  const [skipped, skip] = useState(false);
  // What was built stays in view until the page shows something.
  const built = useRef<Building | null>(null);
  if (session.stopped.value) {
    return (
      <div class="stage">
        <Empty
          icon="stop"
          title={t.preview.stopped}
          actions={
            <Button kind="primary" icon="play" onClick={() => void session.resume()}>
              {t.preview.start}
            </Button>
          }
        >
          {t.preview.stoppedHint}
        </Empty>
      </div>
    );
  }
  if (session.error.value)
    return (
      <div class="stage">
        <Unavailable session={session} />
      </div>
    );
  if (!address)
    return (
      <div class="stage">
        <Starting session={session} />
      </div>
    );
  const building = store.building.value;
  if (building) built.current = building;
  if (building && !skipped) return <Build building={building} onSkip={() => skip(true)} />;
  const failure = frame.failure.value;
  if (frame.painted.value || failure) built.current = null;
  return (
    <div class="stage__whole">
      <Page key={address} address={address} frame={frame} size={size} picking={picking} />
      {built.current && !skipped && (
        <div class="stage__veil">
          <Build building={built.current} onSkip={() => skip(true)} />
        </div>
      )}
      {failure && store.diagnostics.value.length === 0 && (
        <Crash store={store} failure={failure} path={frame.path.value} onHide={() => frame.forgive()} />
      )}
    </div>
  );
}

function Unavailable({ session }: { session: Session }) {
  const error = session.error.value!;
  const again = () => void session.start();
  if (error.code !== 'sandbox_unavailable')
    return (
      <div class="stage__notice">
        <Failure error={error} retry={again} />
      </div>
    );
  return (
    <Empty
      icon="box"
      title={t.preview.failed}
      actions={
        <Button icon="reload" onClick={again}>
          {t.shell.retry}
        </Button>
      }
    >
      {t.preview.noTools}
    </Empty>
  );
}

function Starting({ session }: { session: Session }) {
  const preview = session.preview.value;
  return (
    <div class="stage__starting" role="status">
      <Spinner />
      <h2>{t.preview.starting}</h2>
      <p class="soft">{preview?.runtime === 'node' ? t.preview.startingNode : t.preview.startingHint}</p>
      {preview?.progress && (
        <p class="stage__progress">
          <bdi>{preview.progress}</bdi>
        </p>
      )}
    </div>
  );
}

function Page({ address, frame, size, picking }: { address: string; frame: Frame; size: Size; picking: boolean }) {
  const stage = useRef<HTMLDivElement>(null);
  const element = useRef<HTMLIFrameElement>(null);
  const room = useRoom(stage);
  // If only the host has changed, keep the path.
  const [start] = useState(() => new URL(frame.path.value, address).href);
  const [name] = useState(() => frame.name);
  // Attach before the page loads, because the load event fires once.
  useLayoutEffect(() => frame.attach(element.current!, new URL(address).origin), []);
  const screen = size.name === 'full' ? null : size.turned ? [...screens[size.name]].reverse() : screens[size.name];
  const scale =
    screen && room
      ? Math.min(1, Math.max(leastScale, Math.min(room.width / screen[0]!, (room.height - lineAbove) / screen[1]!)))
      : 1;
  return (
    <div class={screen ? 'stage stage--screen' : 'stage'} ref={stage} aria-busy={frame.loading.value}>
      {screen && <p class="stage__measure">{t.preview.measure(screen[0]!, screen[1]!, Math.round(scale * 100))}</p>}
      <div class="stage__frame" style={screen ? pixels(screen[0]! * scale, screen[1]! * scale) : undefined}>
        <iframe
          ref={element}
          src={start}
          name={name}
          title={t.preview.page}
          data-picking={picking || undefined}
          sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-modals allow-downloads"
          allow="fullscreen; clipboard-write"
          referrerpolicy="no-referrer"
          style={
            screen
              ? { ...pixels(screen[0]!, screen[1]!), transform: `scale(${scale})` }
              : { width: '100%', height: '100%', transform: 'none' }
          }
        />
      </div>
    </div>
  );
}

function pixels(width: number, height: number) {
  return { width: `${width}px`, height: `${height}px` };
}

function useRoom(ref: { current: HTMLElement | null }): { width: number; height: number } | null {
  const [room, setRoom] = useState<{ width: number; height: number } | null>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setRoom({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, []);
  return room;
}
