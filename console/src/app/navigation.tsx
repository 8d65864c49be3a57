import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  Bot,
  BrainCircuit,
  Cpu,
  Inbox,
  KeyRound,
  LibraryBig,
  MailWarning,
  MessagesSquare,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { isAdmin, isOperator, type Session } from '../api/session.ts';
import { suspendedQuery } from '../api/operations.ts';
import { Badge } from '../ui/status.tsx';
import { SideFoot } from './side-foot.tsx';

type Item = { to: string; text: string; icon: LucideIcon; needs?: 'operator' | 'admin' };
type NavigationGroup = { title: string; items: readonly Item[] };

const GROUPS: readonly NavigationGroup[] = [
  {
    title: 'Use',
    items: [
      { to: '/chat', text: 'Chat', icon: MessagesSquare },
      { to: '/runs', text: 'Runs', icon: Workflow },
      { to: '/threads', text: 'Threads and memory', icon: LibraryBig },
    ],
  },
  {
    title: 'Decide',
    items: [
      { to: '/suspended', text: 'Waiting runs', icon: Inbox, needs: 'operator' },
      { to: '/dead-letters', text: 'Dead letters', icon: MailWarning, needs: 'operator' },
    ],
  },
  {
    title: 'Build',
    items: [
      { to: '/agents', text: 'Agents', icon: Bot },
      { to: '/processors', text: 'Processors', icon: Cpu, needs: 'operator' },
      { to: '/models', text: 'Models', icon: BrainCircuit, needs: 'operator' },
      { to: '/keys', text: 'Keys', icon: KeyRound, needs: 'admin' },
    ],
  },
];

export function Navigation({ session }: { session: Session }) {
  const rights = { operator: isOperator(session), admin: isAdmin(session) };
  const groups = GROUPS.map(({ title, items }) => ({
    title,
    items: items.filter(({ needs }) => needs === undefined || rights[needs]),
  })).filter(({ items }) => items.length > 0);
  return (
    <>
      <nav className="nav" aria-label="Pages">
        {groups.map(({ title, items }) => (
          <div key={title}>
            <div className="nav-title">{title}</div>
            <ul>
              {items.map(({ to, text, icon: Icon }) => (
                <li key={to}>
                  <Link to={to} className="nav-link" activeOptions={{ includeSearch: false }}>
                    <Icon size={16} aria-hidden />
                    {text}
                    {to === '/suspended' && <WaitingCount />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <SideFoot session={session} />
    </>
  );
}

/** The number of runs that wait for an answer. */
function WaitingCount() {
  const { data = [] } = useQuery(suspendedQuery);
  if (data.length === 0) return null;
  return (
    <span className="count">
      <Badge tone="wait" plain>
        {data.length}
      </Badge>
    </span>
  );
}
