import type { Door } from '../../../session/door';
import { Activation } from './Activation';
import { FindClaim } from './FindClaim';
import { Reactivation } from './Reactivation';
import { SignIn } from './SignIn';
import { SignUp } from './SignUp';

/** The dialog about the account that is open. */
export function Dialogs({ door }: { door: Door }) {
  switch (door.kind) {
    case 'signIn':
      return <SignIn {...door} />;
    case 'signUp':
      return <SignUp />;
    case 'activation':
      return <Activation token={door.token} />;
    case 'reactivation':
      return <Reactivation />;
    case 'findClaim':
      return <FindClaim />;
  }
}
