import { Component, type ComponentChildren, type FunctionComponent, h } from 'preact';

/** memo renders a component again only when its props change. */
export function memo<Props extends object>(Inner: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    shouldComponentUpdate(next: Props) {
      const was = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => was[name] !== value);
    }

    // Hooks and signals run in the inner component, so they can still trigger a render.
    render() {
      return h(Inner as FunctionComponent<Props>, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
