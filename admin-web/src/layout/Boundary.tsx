import { Component, type ReactNode } from 'react';
import { ErrorNote } from '../ui/index.ts';

/** Keeps a screen that failed to draw from taking the bar and the menu with it. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? <ErrorNote error={error} retry={() => this.setState({ error: null })} /> : this.props.children;
  }
}
