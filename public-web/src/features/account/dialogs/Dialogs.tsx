import type { AccountDialog } from '../../../session/accountDialog';
import { Activation } from './Activation';
import { FindClaim } from './FindClaim';
import { Reactivation } from './Reactivation';
import { SignIn } from './SignIn';
import { SignUp } from './SignUp';

export function Dialogs({ dialog }: { dialog: AccountDialog }) {
  switch (dialog.kind) {
    case 'signIn':
      return <SignIn {...dialog} />;
    case 'signUp':
      return <SignUp {...dialog} />;
    case 'activation':
      return <Activation token={dialog.token} />;
    case 'reactivation':
      return <Reactivation />;
    case 'findClaim':
      return <FindClaim />;
  }
}
