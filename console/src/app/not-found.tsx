import { Link } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { Empty } from '../ui/feedback.tsx';

export const NotFound = () => (
  <Empty
    icon={MapPinOff}
    title="There is no page at this address"
    action={
      <Link to="/chat" className="button">
        Open the chat
      </Link>
    }
  >
    The address may come from another version of the console.
  </Empty>
);
