import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

type DialogProps = {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  about?: ReactNode;
  children: ReactNode;
};

export function Dialog({ open, onOpenChange, title, about, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content className="dialog" {...(!about && { 'aria-describedby': undefined })}>
          <div>
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            {about && <Radix.Description className="muted">{about}</Radix.Description>}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
