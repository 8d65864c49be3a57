// A question before an action that cannot be undone.
import { useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './feedback.tsx';

type ConfirmProps = {
  title: string;
  about: ReactNode;
  action: string;
  run: () => Promise<unknown>;
  /** Text of the button that opens the question. */
  children: ReactNode;
  variant?: 'danger' | 'quiet';
  slim?: boolean;
};

export function Confirm({ title, about, action, run, children, variant = 'danger', slim = false }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      setOpen(false);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant={variant} slim={slim} onClick={() => setOpen(true)}>
        {children}
      </Button>
      <Dialog open={isOpen} onOpenChange={setOpen} title={title} about={about}>
        {error !== undefined && <ErrorNotice error={error} />}
        <div className="actions">
          <Button onClick={() => setOpen(false)}>Keep</Button>
          <Button variant="danger" disabled={isBusy} onClick={() => void confirm()}>
            {action}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
