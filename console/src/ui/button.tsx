import type { ButtonHTMLAttributes } from 'react';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: 'primary' | 'danger' | 'quiet';
  slim?: boolean;
  icon?: boolean;
};

/** `icon`: the button holds an icon alone and needs an aria-label. */
export function Button({ variant, slim = false, icon = false, className = '', type = 'button', ...rest }: ButtonProps) {
  const classes = ['button', variant, slim && 'slim', icon && 'icon', className].filter(Boolean).join(' ');
  return <button type={type} className={classes} {...rest} />;
}
