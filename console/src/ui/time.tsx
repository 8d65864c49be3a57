import { formatAgo, formatTime } from './format.ts';

/** The age of a time, with the whole time as its title. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(Date.parse(at), Date.now())}
    </time>
  );
}
