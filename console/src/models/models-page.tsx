import { useQuery } from '@tanstack/react-query';
import type { ModelHealth, ProviderHealth } from '@millrace/contracts';
import { BrainCircuit, TriangleAlert } from 'lucide-react';
import { modelsQuery } from '../api/models.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { formatCount, formatTime } from '../ui/format.ts';
import { Page } from '../ui/page.tsx';
import { Badge, type Tone } from '../ui/status.tsx';
import { Table, type Column } from '../ui/table.tsx';

/** The configured providers, and the models of applied agents with their circuits. */
export function ModelsPage() {
  const query = useQuery(modelsQuery);
  return (
    <Page
      title="Models"
      about="The providers of this installation, and the models of applied agents. The orchestrators do not ask a model that fails repeatedly for a while."
    >
      <Loaded query={query}>
        {({ providers, unknown }) => (
          <>
            {unknown.length > 0 && <Unknown ids={unknown} />}
            {providers.length === 0 ? (
              <Empty icon={BrainCircuit} title="No provider is configured">
                Set the key of a provider, or PROVIDERS, for the orchestrators.
              </Empty>
            ) : (
              <Table
                columns={COLUMNS}
                rows={providers.flatMap(listRows)}
                getKey={({ provider, id }) => `${provider.name} ${id}`}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

type ModelRow = Partial<ModelHealth> & { provider: ProviderHealth };

/** A provider without a model has a row of its own. */
const listRows = (provider: ProviderHealth): ModelRow[] =>
  provider.models.length === 0 ? [{ provider }] : provider.models.map((model) => ({ provider, ...model }));

const STATES: Readonly<Record<ModelHealth['state'], { text: string; tone: Tone }>> = {
  ok: { text: 'Available', tone: 'ok' },
  trying: { text: 'One call tries it', tone: 'wait' },
  down: { text: 'Not asked', tone: 'bad' },
};

const COLUMNS: readonly Column<ModelRow>[] = [
  { title: 'Model', className: 'wide', show: ({ id }) => <span className="strong">{id ?? 'no agent uses one'}</span> },
  {
    title: 'Provider',
    className: 'muted',
    show: ({ provider: { name, hasKey } }) => (hasKey ? name : `${name}, no key`),
  },
  { title: 'Protocol', className: 'muted optional', show: ({ provider }) => provider.kind },
  {
    title: 'State',
    show: ({ state, cause, until }) =>
      state && (
        <>
          <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
          {until !== undefined && (
            <div className="muted small">
              until {formatTime(until)}, {cause}
            </div>
          )}
        </>
      ),
  },
  { title: 'Answered', isEnd: true, className: 'number', show: ({ succeeded }) => showCount(succeeded) },
  { title: 'Failed', isEnd: true, className: 'number', show: ({ failed }) => showCount(failed) },
];

const showCount = (count: number | undefined) => (count === undefined ? '–' : formatCount(count));

const Unknown = ({ ids }: { ids: readonly string[] }) => (
  <div className="notice" data-tone="wait">
    <TriangleAlert size={16} aria-hidden />
    <div>
      <strong>No provider is configured for these models of agents</strong>
      <div className="small">{ids.join(', ')}</div>
    </div>
  </div>
);
