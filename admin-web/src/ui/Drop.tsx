import Menu from '@mui/material/Menu';
import type { ReactNode, RefObject } from 'react';

type Props = {
  anchor: RefObject<HTMLElement | null>;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
};

/** A menu that opens at its button. It stands beside it in the page, and so in the same landmark. */
export function Drop({ anchor, open, onClose, children }: Props) {
  return (
    <Menu
      anchorEl={anchor.current}
      container={() => anchor.current?.parentElement ?? null}
      open={open}
      onClose={onClose}
    >
      {children}
    </Menu>
  );
}
