// The components that all pages share.

export { Avatar } from './avatar';
export { Banner } from './banner';
export { Button, IconButton, LinkButton } from './button';
export { Copyable } from './copyable';
export { ask, Dialog } from './dialog';
export { Diff } from './diff';
export { Empty } from './empty';
export { Failure, inWords } from './failure';
export { Checkbox, Field, Select, TextArea, TextField } from './field';
export { Finder } from './finder';
export { useFocusOnMount } from './focus';
export { Form } from './form';
export { Icon, type IconName } from './icon';
export { enterSends, hasKeyboard } from './keyboard';
export { Menu, type MenuItem } from './menu';
export { PasswordField } from './password-field';
export { Loading, Skeleton, Spinner } from './progress';
export { type SectionItem, Sections } from './sections';
export { Split } from './split';
export { Tabs } from './tabs';
export { useTask } from './task';
export { complain, say } from './toast';
export { When } from './when';
export { WishBox } from './wish-box';
