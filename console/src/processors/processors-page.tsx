import './processors.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProcessorInfo, RefusedEndpoint } from '@millrace/contracts';
import { Cpu, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { processorsQuery } from '../api/processors.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { formatCount, formatMs } from '../ui/format.ts';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/status.tsx';
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
              <input
                className="input"
                type="search"
                aria-label="Find a processor"
                placeholder="Find by name, service or description"
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
              <ProcessorTable processors={processors.filter((one) => matches(one, text))} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const matches = ({ id, service, description }: ProcessorInfo, text: string): boolean =>
  `${id} ${service} ${description}`.toLowerCase().includes(text.trim().toLowerCase());

const ProcessorTable = ({ processors }: { processors: readonly ProcessorInfo[] }) => (
  <div className="table-wrap">
    <table className="table fold">
      <thead>
        <tr>
          <th scope="col">Processor</th>
          <th scope="col">Service</th>
          <th scope="col" className="end">
            Replicas
          </th>
          <th scope="col" className="end">
            In flight
          </th>
          <th scope="col" className="end">
            Requests
          </th>
          <th scope="col" className="end">
            Average
          </th>
          <th scope="col" className="end">
            Rejected
          </th>
        </tr>
      </thead>
      <tbody>
        {processors.map((processor) => (
          <ProcessorRow key={`${processor.service} ${processor.id}`} processor={processor} />
        ))}
      </tbody>
    </table>
  </div>
);

function ProcessorRow({ processor: { id, description, service, replicas, loads = [] } }: { processor: ProcessorInfo }) {
  const { calls, requests, errors, averageMs } = sumLoads(loads);
  const hasLoads = loads.length > 0;
  return (
    <tr>
      <td className="wide">
        <Link to="/processors/$processor" params={{ processor: id }} className="strong">
          {id}
        </Link>
        <div className="muted small clamp">{description}</div>
      </td>
      <td className="muted">{service}</td>
      <td className="end number optional">{replicas.length}</td>
      <td className="end number">{hasLoads ? formatCount(calls) : '–'}</td>
      <td className="end number optional">{hasLoads ? formatCount(requests) : '–'}</td>
      <td className="end number optional">{averageMs === undefined ? '–' : formatMs(averageMs)}</td>
      <td className="end number optional">
        {errors > 0 ? <Badge tone="bad">{formatCount(errors)}</Badge> : hasLoads ? '0' : '–'}
      </td>
    </tr>
  );
}

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
