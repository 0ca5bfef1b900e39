import { Component, type ComponentChildren, type FunctionComponent, h } from 'preact';

/** memo renders a component again only when one of its props is another one. */
export function memo<Props extends object>(Inner: (props: Props) => ComponentChildren): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    shouldComponentUpdate(next: Props) {
      const was = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => was[name] !== value);
    }

    // Hooks and signals are in the inner component, so that the comparison does not skip them.
    render() {
      return h(Inner as FunctionComponent<Props>, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
