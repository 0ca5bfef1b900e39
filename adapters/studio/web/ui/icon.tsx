// The icons are Lucide's (lucide.dev), drawn in the colour of the text around them. They
// are decoration; what they stand for is said in words beside them.

import {
  ArrowUp,
  Box,
  Brush,
  ChartColumn,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  ChevronUp,
  Clock,
  Code,
  Copy,
  Download,
  Ellipsis,
  ExternalLink,
  Eye,
  File,
  Folder,
  Globe,
  History,
  Image,
  Info,
  KeyRound,
  Laptop,
  LayoutGrid,
  Lightbulb,
  Link,
  List,
  ListChecks,
  Lock,
  Mail,
  MessageSquare,
  Minus,
  MousePointer2,
  PanelLeft,
  Pencil,
  Play,
  Plus,
  Redo2,
  RotateCcw,
  RotateCw,
  RotateCwSquare,
  Search,
  Settings2,
  Share,
  Shield,
  Smartphone,
  Square,
  Tablet,
  Terminal,
  TextWrap,
  Trash2,
  TriangleAlert,
  Undo2,
  Upload,
  User,
  Users,
  X,
  Zap,
} from 'lucide';
import { h } from 'preact';

const icons = {
  add: Plus,
  alert: TriangleAlert,
  back: ChevronLeft,
  bolt: Zap,
  box: Box,
  brush: Brush,
  chart: ChartColumn,
  chat: MessageSquare,
  check: Check,
  clock: Clock,
  close: X,
  code: Code,
  copy: Copy,
  cursor: MousePointer2,
  device: Smartphone,
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
  link: Link,
  list: List,
  lock: Lock,
  mail: Mail,
  minus: Minus,
  more: Ellipsis,
  next: ChevronRight,
  pane: PanelLeft,
  people: Users,
  play: Play,
  plan: ListChecks,
  publish: Share,
  redo: Redo2,
  reload: RotateCw,
  restore: RotateCcw,
  rotate: RotateCwSquare,
  search: Search,
  send: ArrowUp,
  settings: Settings2,
  shield: Shield,
  stop: Square,
  tablet: Tablet,
  terminal: Terminal,
  think: Lightbulb,
  trash: Trash2,
  undo: Undo2,
  up: ChevronUp,
  upload: Upload,
  user: User,
  wrap: TextWrap,
};

export type IconName = keyof typeof icons;

/** Icon draws on a grid of 24; at the size of 16 its strokes are 1.5 wide. */
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
      {icons[name].map(([shape, attributes]) => h(shape, attributes))}
    </svg>
  );
}
