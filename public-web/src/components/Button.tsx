import type { ComponentProps } from 'react';
import styles from './Button.module.css';
import { cx } from './cx';
import { Link, type LinkProps } from './Link';

interface Look {
  /** main: the main action; plain: any other; quiet: without a border. */
  look?: undefined | 'main' | 'plain' | 'quiet';
  size?: undefined | 'small' | 'normal' | 'big';
}

function classes({ look = 'plain', size = 'normal' }: Look, own: string | undefined): string {
  return cx(styles.button, look !== 'plain' && styles[look], size !== 'normal' && styles[size], own);
}

export function Button({ look, size, className, type = 'button', ...rest }: Look & ComponentProps<'button'>) {
  return <button type={type} className={classes({ look, size }, className)} {...rest} />;
}

/** A link to another site. */
export function ButtonAnchor({ look, size, className, children, ...rest }: Look & ComponentProps<'a'>) {
  return (
    <a className={classes({ look, size }, className)} rel="noreferrer" {...rest}>
      {children}
    </a>
  );
}

export function ButtonLink({ look, size, className, ...rest }: Look & LinkProps) {
  return <Link className={classes({ look, size }, className)} {...rest} />;
}
