import './processors.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ProcessorInfo, ReplicaLoad } from '@millrace/contracts';
import { Cpu } from 'lucide-react';
import { processorsQuery } from '../api/processors.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { describeStage, formatCount, formatMs } from '../ui/format.ts';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/status.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { OptionTable } from './option-table.tsx';
import { TryPanel } from './try-panel.tsx';

export function ProcessorPage() {
  const { processor: id } = useParams({ from: '/processors/$processor' });
  const query = useQuery(processorsQuery);
  const crumb = <Link to="/processors">Processors</Link>;
  return (
    <Loaded query={query}>
      {({ processors }) => {
        const found = processors.find((one) => one.id === id);
        if (!found)
          return (
            <Page title={id} crumb={crumb}>
              <Empty icon={Cpu} title="No running service has this processor">
                Its service may be stopped. It appears again as soon as a replica starts.
              </Empty>
            </Page>
          );
        return (
          <Page title={id} about={found.description} crumb={crumb}>
            <Facts processor={found} />
            <TryPanel processor={found} />
            <section className="stack">
              <h2>Options</h2>
              <OptionTable schema={found.optionsSchema} />
            </section>
            {found.loads && found.loads.length > 0 && <Replicas loads={found.loads} />}
          </Page>
        );
      }}
    </Loaded>
  );
}

const Facts = ({
  processor: { service, version, stages, policy, replicas, aliases },
}: {
  processor: ProcessorInfo;
}) => (
  <dl className="facts card card-body">
    <Fact name="Service">
      {service} {version}
    </Fact>
    <Fact name="Replicas">{replicas.length}</Fact>
    <Fact name="Timeout">{formatMs(policy.timeoutMs)}</Fact>
    <Fact name="Attempts">{policy.attempts}</Fact>
    <Fact name="On failure">{policy.onFailure === 'fail' ? 'blocks the run' : 'skips the entry'}</Fact>
    {aliases.length > 0 && <Fact name="Aliases">{aliases.join(', ')}</Fact>}
    <div className="whole">
      <dt>Stages</dt>
      <dd className="row">
        {stages.map((stage) => (
          <Badge key={stage} plain>
            {describeStage(stage)}
          </Badge>
        ))}
      </dd>
    </div>
  </dl>
);

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const COLUMNS: readonly Column<ReplicaLoad>[] = [
  { title: 'Replica', className: 'mono', show: ({ replica }) => replica },
  {
    title: 'In flight',
    isEnd: true,
    className: 'number',
    show: ({ calls, maxCalls }) => (
      <>
        {formatCount(calls)}
        {maxCalls !== undefined && <span className="muted"> of {formatCount(maxCalls)}</span>}
      </>
    ),
  },
  { title: 'Requests', isEnd: true, className: 'number', show: ({ requests }) => formatCount(requests) },
  {
    title: 'Average',
    isEnd: true,
    className: 'number',
    show: ({ averageMs }) => (averageMs === undefined ? '–' : formatMs(averageMs)),
  },
  { title: 'Rejected', isEnd: true, className: 'number', show: ({ errors }) => formatCount(errors) },
  { title: 'Last error', className: 'muted small', show: ({ lastError }) => lastError ?? '' },
];

const Replicas = ({ loads }: { loads: readonly ReplicaLoad[] }) => (
  <section className="stack">
    <h2>Replicas</h2>
    <Table columns={COLUMNS} rows={loads} getKey={({ replica }) => replica} className="" />
  </section>
);
