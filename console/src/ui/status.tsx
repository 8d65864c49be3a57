import type { RunStatus } from '@millrace/contracts';

export type Tone = 'ok' | 'bad' | 'wait' | 'run' | 'off';

const STATUS: Record<RunStatus, { text: string; tone: Tone }> = {
  queued: { text: 'Queued', tone: 'off' },
  running: { text: 'Running', tone: 'run' },
  suspended: { text: 'Waiting', tone: 'wait' },
  finished: { text: 'Finished', tone: 'ok' },
  aborted: { text: 'Blocked', tone: 'bad' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Cancelled', tone: 'off' },
  released: { text: 'Released', tone: 'off' },
};

export const RUN_STATUSES = Object.keys(STATUS).filter((name): name is RunStatus => name in STATUS);
export const describeStatus = (status: RunStatus): string => STATUS[status].text;

export const StatusBadge = ({ status }: { status: RunStatus }) => (
  <Badge tone={STATUS[status].tone}>{STATUS[status].text}</Badge>
);

/** `plain`: a label without the dot of a state. */
export function Badge({
  tone = 'off',
  plain = false,
  children,
}: {
  tone?: Tone;
  plain?: boolean;
  children: React.ReactNode;
}) {
  return (
    <span className={plain ? 'badge plain' : 'badge'} data-tone={tone}>
      {children}
    </span>
  );
}
