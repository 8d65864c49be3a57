import { useQueryClient } from '@tanstack/react-query';
import { LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { sessionQuery, signOut, type Session } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { applyTheme, readTheme, type Theme } from '../ui/theme.ts';

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

/** The identity of the session, the choice of the theme, and the sign-out. */
export function SideFoot({ session }: { session: Session }) {
  const client = useQueryClient();
  const leave = async () => {
    await signOut().catch(() => undefined);
    client.setQueryData(sessionQuery.queryKey, null);
    // The next session may have other rights.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  };
  return (
    <div className="side-foot">
      <div className="identity">
        <strong className="cut">{session.subject ?? 'Operator'}</strong>
        <span>
          {session.tenant === 'default'
            ? session.scopes.join(', ')
            : `${session.tenant} · ${session.scopes.join(', ')}`}
        </span>
      </div>
      <div className="side-actions">
        <ThemeButton />
        <Button variant="quiet" slim onClick={() => void leave()}>
          <LogOut size={14} aria-hidden /> Sign out
        </Button>
      </div>
    </div>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const Icon = ICONS[theme];
  const change = () => {
    const next = NEXT[theme];
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Button variant="quiet" slim icon aria-label={`Theme: ${theme}`} title={`Theme: ${theme}`} onClick={change}>
      <Icon size={14} />
    </Button>
  );
}
