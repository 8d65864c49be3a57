import './processors.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProcessorInfo, RefusedEndpoint } from '@millrace/contracts';
import { Cpu, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { processorsQuery } from '../api/processors.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { Filters, TextFilter } from '../ui/filters.tsx';
import { formatCount, formatMs } from '../ui/format.ts';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/status.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { sumLoads } from './sum-loads.ts';

/** The processors that running services advertise, with their load. */
export function ProcessorsPage() {
  const query = useQuery(processorsQuery);
  const [text, setText] = useState('');
  return (
    <Page
      title="Processors"
      about="What running services advertise now, and the load of every replica. Open one to see its options and to try it."
    >
      <Loaded query={query}>
        {({ processors, refused = [], refusedTotal = 0 }) =>
          processors.length === 0 ? (
            <Empty icon={Cpu} title="No processor is running">
              A processor appears here as soon as its service starts, without configuration.
            </Empty>
          ) : (
            <>
              {refused.length > 0 && <Refused refused={refused} total={refusedTotal} />}
              <Filters>
                <TextFilter
                  label="Find a processor"
                  type="search"
                  placeholder="Name, service or description"
                  value={text}
                  onCommit={setText}
                  isLive
                />
              </Filters>
              <Table
                columns={COLUMNS}
                rows={processors.filter((one) => matches(one, text)).map(addLoad)}
                getKey={({ service, id }) => `${service} ${id}`}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const matches = ({ id, service, description }: ProcessorInfo, text: string): boolean =>
  `${id} ${service} ${description}`.toLowerCase().includes(text.trim().toLowerCase());

type LoadedProcessor = ProcessorInfo & { load: ReturnType<typeof sumLoads> | undefined };
const addLoad = (processor: ProcessorInfo): LoadedProcessor => ({
  ...processor,
  load: processor.loads?.length ? sumLoads(processor.loads) : undefined,
});
const showCount = (count: number | undefined) => (count === undefined ? '–' : formatCount(count));

const COLUMNS: readonly Column<LoadedProcessor>[] = [
  {
    title: 'Processor',
    className: 'wide',
    show: ({ id, description }) => (
      <>
        <Link to="/processors/$processor" params={{ processor: id }} className="strong">
          {id}
        </Link>
        <div className="muted small clamp">{description}</div>
      </>
    ),
  },
  { title: 'Service', className: 'muted', show: ({ service }) => service },
  { title: 'Replicas', isEnd: true, className: 'number optional', show: ({ replicas }) => replicas.length },
  { title: 'In flight', isEnd: true, className: 'number', show: ({ load }) => showCount(load?.calls) },
  { title: 'Requests', isEnd: true, className: 'number optional', show: ({ load }) => showCount(load?.requests) },
  {
    title: 'Average',
    isEnd: true,
    className: 'number optional',
    show: ({ load }) => (load?.averageMs === undefined ? '–' : formatMs(load.averageMs)),
  },
  {
    title: 'Rejected',
    isEnd: true,
    className: 'number optional',
    show: ({ load }) => (load?.errors ? <Badge tone="bad">{formatCount(load.errors)}</Badge> : showCount(load?.errors)),
  },
];

const Refused = ({ refused, total }: { refused: readonly RefusedEndpoint[]; total: number }) => (
  <div className="notice" data-tone="wait">
    <TriangleAlert size={16} aria-hidden />
    <div>
      <strong>
        {total === 1 ? 'One advertisement is refused' : `${total} advertisements are refused`}: no agent can use it
      </strong>
      {refused.map(({ service, name, problem }) => (
        <div key={`${service} ${name} ${problem}`} className="small">
          {name} of {service}: {problem}
        </div>
      ))}
    </div>
  </div>
);
