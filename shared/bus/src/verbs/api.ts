// Implements the public verbs over the bus at both ends: `askApi` for clients, `serveApi` for the service that owns the
// data.
import {
  API,
  API_VERBS,
  MillraceError,
  SUBMISSION_HEADER,
  PUBLIC_ANSWERS,
  apiReplySchema,
  fromWireError,
  hideAddresses,
  isIdempotent,
  isOperator,
  isOperatorVerb,
  isToken,
  toLoggedError,
  parseValue,
  showAnswer,
  toWireError,
  readApiAddress,
  type ApiAddress,
  type ApiAnswer,
  type ApiRequest,
  type ApiRequestInput,
  type ApiVerb,
  type ErrorCode,
  type PublicAnswer,
  type PublicVerb,
  type WireError,
} from '@millrace/contracts';
import type { z } from 'zod';
import type { Bus } from '../core/bus.ts';
import { REFUSED_CREDENTIALS } from '../core/follow-status.ts';
import { request } from '../core/request.ts';
import { serve, type Serving } from '../core/serve.ts';
import { VERB_BOUNDS, decode, encode, createMisfitError } from '../core/wire.ts';
import type { MicroEndpoint } from '../core/micro.ts';

const API_TIMEOUT_MS = 10_000;
/** A stopped replica keeps its share of the requests without answering: a repeated request may reach another one. */
const REPEAT_EVERY_MS = 1_000;

/** `submission`: names one submission of a run, also to the cancel that gives it up. */
type AskOptions = { timeoutMs?: number; signal?: AbortSignal; submission?: string | undefined };

/** @throws the coded error of the reply, or nobody-there, timeout, message-invalid, message-too-large */
export async function askApi<V extends ApiVerb>(
  bus: Bus,
  verb: V,
  address: ApiAddress,
  ask: ApiRequestInput<V>,
  options: AskOptions = {},
): Promise<ApiAnswer<V>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the verb's own schema
  return (await askVerb(bus, { verb, address, ask, answer: API[verb].answer }, options)) as ApiAnswer<V>;
}

/** Requests the form of an answer that every caller may read. @throws like askApi */
export async function askPublicApi<V extends PublicVerb>(
  bus: Bus,
  verb: V,
  address: ApiAddress,
  ask: ApiRequestInput<V>,
): Promise<PublicAnswer<V>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by the schema of that form
  return (await askVerb(bus, { verb, address, ask, answer: PUBLIC_ANSWERS[verb] })) as PublicAnswer<V>;
}

type VerbRequest = { verb: ApiVerb; address: ApiAddress; ask: unknown; answer: z.ZodType };

async function askVerb(bus: Bus, { verb, address, ask, answer: schema }: VerbRequest, options: AskOptions = {}) {
  const subject = bus.subjects.api(verb, address);
  const { timeoutMs = API_TIMEOUT_MS, signal, submission } = options;
  const headers = submission === undefined ? undefined : { [SUBMISSION_HEADER]: submission };
  const checked = parseValue<z.ZodType>(API[verb].request, ask);
  if ('issues' in checked) throw createMisfitError(`The ${verb} request`, checked.issues);
  const repeatEveryMs = isIdempotent(verb) ? REPEAT_EVERY_MS : undefined;
  const asked = { subject, payload: ask, headers, reply: apiReplySchema };
  const reply = await request(bus, { ...asked, timeoutMs, repeatEveryMs, signal });
  if ('error' in reply) throw explainUnanswered(bus, verb, reply.error, timeoutMs);
  if ('error' in reply.ok) throw fromWireError(reply.ok.error);
  const answer = decode(encode(reply.ok.ok), schema, `the answer of ${subject}`);
  if ('error' in answer) throw answer.error;
  return answer.ok;
}

/** Callers of the api are outside of the system: the message avoids subjects. */
function explainUnanswered(bus: Bus, verb: ApiVerb, error: MillraceError, timeoutMs: number): MillraceError {
  const service = API[verb].owner;
  const { prefix } = bus.subjects;
  if (error.code === 'nobody-there')
    return new MillraceError('nobody-there', `No service is subscribed to ${verb}, which the ${service} owns.`, {
      cause: error,
      remedy: `Start the ${service} (npm start, or docker compose up). If one is running, it has another NATS_URL than this client, or a MILLRACE_PREFIX other than ${prefix}.`,
    });
  const problem = error.code === 'timeout' ? bus.findProblem() : undefined;
  if (problem?.startsWith(REFUSED_CREDENTIALS))
    return new MillraceError('credentials-refused', `${verb} was not answered: ${problem}.`, {
      cause: error,
      remedy: 'The key or token has expired or is revoked: connect with another one.',
    });
  if (error.code === 'timeout')
    return new MillraceError('timeout', `No ${service} answered ${verb} within ${timeoutMs} ms.`, {
      cause: error,
      remedy: `Try again; if the error persists, read the ${service}'s log.`,
    });
  return error;
}

/** Address of a request, as its subject names it, and the submission of its header. */
export type ApiCall = ApiAddress & { submission?: string | undefined };
export type ApiHandler<V extends ApiVerb> = (request: ApiRequest<V>, call: ApiCall) => Promise<ApiAnswer<V>>;

/**
 * Replicas share a verb by queue group. A coded error of the handler becomes the reply. The caller is that of the subject:
 * an end client receives no operator's verb, no hidden member of an answer, no message of an error without a code, and no address of a
 * store or a provider.
 */
export function serveApi<V extends ApiVerb>(bus: Bus, verb: V, handle: ApiHandler<V>): Serving {
  const contract: { request: z.ZodType; run: boolean } = API[verb];
  return serve(bus, {
    subject: bus.subjects.apiOfAll(verb, contract.run),
    queue: `api-${verb}`,
    request: contract.request,
    bounds: VERB_BOUNDS,
    nameParty: (subject) => {
      const { tenant = '', caller = '' } = readApiAddress(bus.subjects.prefix, subject) ?? {};
      return `${tenant}.${caller}`;
    },
    handle: async (ask, { subject, readHeader }) => {
      const call = readApiAddress(bus.subjects.prefix, subject);
      if (!call) throw new MillraceError('token-invalid', `${subject} names no tenant and caller.`);
      const forOperator = isOperator(call.caller);
      try {
        if (!forOperator && isOperatorVerb(verb)) throw createOperatorVerbError(verb);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the verb's own schema
        const answer = await handle(ask as ApiRequest<V>, { ...call, submission: readSubmission(readHeader) });
        return { ok: forOperator ? answer : showAnswer(verb, answer) };
      } catch (error) {
        if (MillraceError.isInstance(error)) return { error: forOperator ? toWireError(error) : hideQuoted(error) };
        bus.log.error({ verb, ...toLoggedError(error) }, 'api handler threw');
        return { error: toWireError(forOperator ? error : createHiddenError(verb)) };
      }
    },
  });
}

function createOperatorVerbError(verb: ApiVerb): MillraceError {
  return new MillraceError('permission-denied', `${verb} is a verb of operators.`, {
    remedy: `Connect as an operator, or use a key with the scope ${API[verb].scope} on the gateway.`,
  });
}

/** Codes of errors that quote a store or a provider. Those of another service have no cause here. */
const QUOTING: ReadonlySet<string> = new Set<ErrorCode>(['store-unavailable', 'model-call-failed', 'internal']);

function hideQuoted(error: MillraceError): WireError {
  const shown = toWireError(error);
  const isQuoting = error.cause !== undefined || QUOTING.has(shown.code);
  return isQuoting ? { ...shown, message: hideAddresses(shown.message) } : shown;
}

/** An error without a code may quote a definition or other callers. */
const createHiddenError = (verb: ApiVerb): MillraceError =>
  new MillraceError('internal', `The ${API[verb].owner} failed to answer ${verb}.`, {
    remedy: `The log of the ${API[verb].owner} has the cause.`,
  });

/** Returns undefined for a value that names none: the request has no submission. */
function readSubmission(readHeader: (name: string) => string | undefined): string | undefined {
  const submission = readHeader(SUBMISSION_HEADER);
  return submission !== undefined && isToken(submission) ? submission : undefined;
}

export type ApiHandlers = { [V in ApiVerb]?: ApiHandler<V> };

/** Serves several public verbs as endpoints for discovery, with the handlers of a service that owns data. */
export function serveVerbs(bus: Bus, handlers: ApiHandlers): MicroEndpoint[] {
  return API_VERBS.flatMap((verb) => serveVerb(bus, verb, handlers));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- ties the handler that is looked up to its verb
function serveVerb<V extends ApiVerb>(bus: Bus, verb: V, handlers: ApiHandlers): MicroEndpoint[] {
  const handle: ApiHandlers[V] = handlers[verb];
  if (!handle) return [];
  const name = `api-${verb}`;
  return [{ name, queue: name, serving: serveApi(bus, verb, handle), metadata: { kind: 'api' } }];
}
