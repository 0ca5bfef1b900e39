// Lucide icons (lucide.dev) in the current text colour. They are decorative: a text next to
// them has the meaning.

import type { IconNode } from 'lucide';
import ArrowUp from 'lucide/dist/esm/icons/arrow-up.mjs';
import Box from 'lucide/dist/esm/icons/box.mjs';
import ChartColumn from 'lucide/dist/esm/icons/chart-column.mjs';
import Check from 'lucide/dist/esm/icons/check.mjs';
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs';
import ChevronLeft from 'lucide/dist/esm/icons/chevron-left.mjs';
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs';
import ChevronUp from 'lucide/dist/esm/icons/chevron-up.mjs';
import Clock from 'lucide/dist/esm/icons/clock.mjs';
import Code from 'lucide/dist/esm/icons/code.mjs';
import Copy from 'lucide/dist/esm/icons/copy.mjs';
import Database from 'lucide/dist/esm/icons/database.mjs';
import Download from 'lucide/dist/esm/icons/download.mjs';
import Ellipsis from 'lucide/dist/esm/icons/ellipsis.mjs';
import ExternalLink from 'lucide/dist/esm/icons/external-link.mjs';
import Eye from 'lucide/dist/esm/icons/eye.mjs';
import File from 'lucide/dist/esm/icons/file.mjs';
import Folder from 'lucide/dist/esm/icons/folder.mjs';
import Globe from 'lucide/dist/esm/icons/globe.mjs';
import Image from 'lucide/dist/esm/icons/image.mjs';
import Info from 'lucide/dist/esm/icons/info.mjs';
import KeyRound from 'lucide/dist/esm/icons/key-round.mjs';
import Laptop from 'lucide/dist/esm/icons/laptop.mjs';
import LayoutGrid from 'lucide/dist/esm/icons/layout-grid.mjs';
import List from 'lucide/dist/esm/icons/list.mjs';
import ListChecks from 'lucide/dist/esm/icons/list-checks.mjs';
import Lock from 'lucide/dist/esm/icons/lock.mjs';
import MessageSquare from 'lucide/dist/esm/icons/message-square.mjs';
import Minus from 'lucide/dist/esm/icons/minus.mjs';
import PanelLeft from 'lucide/dist/esm/icons/panel-left.mjs';
import Pencil from 'lucide/dist/esm/icons/pencil.mjs';
import Play from 'lucide/dist/esm/icons/play.mjs';
import Plus from 'lucide/dist/esm/icons/plus.mjs';
import RotateCcw from 'lucide/dist/esm/icons/rotate-ccw.mjs';
import History from 'lucide/dist/esm/icons/rotate-ccw-clock.mjs';
import RotateCw from 'lucide/dist/esm/icons/rotate-cw.mjs';
import Search from 'lucide/dist/esm/icons/search.mjs';
import Settings2 from 'lucide/dist/esm/icons/settings-2.mjs';
import Share from 'lucide/dist/esm/icons/share.mjs';
import Shield from 'lucide/dist/esm/icons/shield.mjs';
import Square from 'lucide/dist/esm/icons/square.mjs';
import Star from 'lucide/dist/esm/icons/star.mjs';
import Terminal from 'lucide/dist/esm/icons/terminal.mjs';
import Trash2 from 'lucide/dist/esm/icons/trash.mjs';
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs';
import Undo2 from 'lucide/dist/esm/icons/undo-2.mjs';
import Upload from 'lucide/dist/esm/icons/upload.mjs';
import User from 'lucide/dist/esm/icons/user.mjs';
import Users from 'lucide/dist/esm/icons/users.mjs';
import X from 'lucide/dist/esm/icons/x.mjs';
import Zap from 'lucide/dist/esm/icons/zap.mjs';
import { h } from 'preact';

const icons = {
  add: Plus,
  alert: TriangleAlert,
  back: ChevronLeft,
  bolt: Zap,
  box: Box,
  chart: ChartColumn,
  chat: MessageSquare,
  check: Check,
  clock: Clock,
  close: X,
  code: Code,
  copy: Copy,
  database: Database,
  down: ChevronDown,
  download: Download,
  edit: Pencil,
  external: ExternalLink,
  eye: Eye,
  file: File,
  folder: Folder,
  globe: Globe,
  grid: LayoutGrid,
  history: History,
  image: Image,
  info: Info,
  key: KeyRound,
  laptop: Laptop,
  list: List,
  lock: Lock,
  minus: Minus,
  more: Ellipsis,
  next: ChevronRight,
  pane: PanelLeft,
  people: Users,
  play: Play,
  plan: ListChecks,
  publish: Share,
  reload: RotateCw,
  restore: RotateCcw,
  search: Search,
  send: ArrowUp,
  settings: Settings2,
  shield: Shield,
  star: Star,
  stop: Square,
  terminal: Terminal,
  trash: Trash2,
  undo: Undo2,
  up: ChevronUp,
  upload: Upload,
  user: User,
};

/**
 * IconName is a Lucide icon, or the name of an icon that several pages use. An icon of a
 * single page is loaded with that page.
 */
export type IconName = keyof typeof icons | IconNode;

/** Icon renders an icon. Its grid is 24 units wide, so strokes are 1.5 pixels at size 16. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="2.25"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {(typeof name === 'string' ? icons[name] : name).map(([shape, attributes]) => h(shape, attributes))}
    </svg>
  );
}
