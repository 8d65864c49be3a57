// The frame of all pages: navigation beside the page, or behind a menu on a narrow screen. Without a session it is the
// sign-in.
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Menu } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { sessionQuery, type Session } from '../api/session.ts';
import icon from '../styles/icon.svg';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/feedback.tsx';
import { Navigation } from './navigation.tsx';
import { OfflineNotice } from './offline-notice.tsx';
import { SignIn } from './sign-in.tsx';

export function Shell() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  if (error && session === undefined)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={() => void refetch()} />
      </div>
    );
  if (session === undefined) return null;
  return session === null ? <SignIn /> : <Frame session={session} />;
}

function Frame({ session }: { session: Session }) {
  return (
    <div className="shell">
      <a href="#main" className="skip">
        Skip to the page
      </a>
      <aside className="side">
        <Brand />
        <Navigation session={session} />
      </aside>
      <TopBar session={session} />
      <main className="main" id="main" tabIndex={-1}>
        <OfflineNotice />
        <Outlet />
      </main>
    </div>
  );
}

const Brand = () => (
  <Link to="/chat" className="brand">
    <img src={icon} alt="" width={24} height={24} />
    Millrace
  </Link>
);

function TopBar({ session }: { session: Session }) {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [openedAt, setOpenedAt] = useState(path);
  if (isOpen && openedAt !== path) setOpen(false);
  const change = (open: boolean) => {
    setOpenedAt(path);
    setOpen(open);
  };
  return (
    <header className="top">
      <Dialog.Root open={isOpen} onOpenChange={change}>
        <Dialog.Trigger asChild>
          <Button variant="quiet" icon aria-label="Menu">
            <Menu size={18} />
          </Button>
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content className="drawer" aria-describedby={undefined}>
            <Dialog.Title className="sr-only">Menu</Dialog.Title>
            <div className="side">
              <Brand />
              <Navigation session={session} />
            </div>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
      <Brand />
      <span style={{ width: 34 }} />
    </header>
  );
}
