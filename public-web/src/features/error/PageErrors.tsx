import { NetworkError } from '@agio/client/problem';
import { Component, type ReactNode, useState } from 'react';
import { PageError } from '../../api/errors';
import { usePart } from '../../session/usePart';
import { NoConnectionPage } from './NoConnectionPage';
import { isRobot } from './robots';

interface PageErrorsProps {
  /** The key of the address. */
  at: string;
  children: ReactNode;
}

interface PageErrorsState {
  at: string;
  failure: { error: unknown } | null;
}

/** In place of a page that cannot be shown, until the visitor goes elsewhere. */
export class PageErrors extends Component<PageErrorsProps, PageErrorsState> {
  override state: PageErrorsState = { at: this.props.at, failure: null };

  static getDerivedStateFromError(error: unknown): Partial<PageErrorsState> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ at }: PageErrorsProps, state: PageErrorsState): PageErrorsState | null {
    return at === state.at ? null : { at, failure: null };
  }

  override render() {
    const { failure } = this.state;
    return failure ? <Failure error={failure.error} /> : this.props.children;
  }
}

const loadErrorPage = async () => (await import('./ErrorPage')).ErrorPage;

function Failure({ error }: { error: unknown }) {
  const [isLost, setLost] = useState(error instanceof NetworkError);
  const ErrorPage = usePart(!isLost && !isRobot(), loadErrorPage, () => setLost(true), 'common');
  if (isRobot()) return null;
  if (isLost) return <NoConnectionPage />;
  const [status, detail] = error instanceof PageError ? [error.status, error.message] : [500, null];
  return ErrorPage && <ErrorPage status={status} detail={detail} />;
}
