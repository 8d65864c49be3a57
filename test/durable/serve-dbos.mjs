// DBOS Transact in the process of the client, with its steps in PostgreSQL. The pieces reach the client in the process; the
// answer is stored with its step. MODEL_URL, DATABASE_URL, DATABASE_PID.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import { numberedFetch, passInput, passPiece, servePeer } from './conversation.mjs';

const { MODEL_URL, DATABASE_URL, DATABASE_PID } = process.env;
const KEPT_MESSAGES = 10;
const model = createOpenAI({ apiKey: 'stand-in', baseURL: MODEL_URL, fetch: numberedFetch }).chat('stand-in');

/** Shows the pieces of a workflow; a recovered workflow has no client. */
const clients = new Map();
/** The messages of each thread: a workflow returns them, and the next one of the thread receives them. */
const threads = new Map();

const say = DBOS.registerWorkflow(
  async (messages) => {
    const passed = await passInput(messages.slice(-KEPT_MESSAGES));
    const show = clients.get(DBOS.workflowID);
    const text = await DBOS.runStep(
      async () => {
        let answer = '';
        for await (const piece of streamText({ model, messages: passed, maxRetries: 0 }).textStream) {
          const shown = await passPiece(piece);
          answer += shown;
          show?.(shown);
        }
        return answer;
      },
      { name: 'model' },
    );
    return [...passed, { role: 'assistant', content: text }].slice(-KEPT_MESSAGES);
  },
  { name: 'say' },
);

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: DATABASE_URL, logLevel: 'error', runAdminServer: false });
await DBOS.launch();
servePeer(
  async (thread, input, show) => {
    const workflowID = crypto.randomUUID();
    clients.set(workflowID, show);
    try {
      const messages = [...(threads.get(thread) ?? []), { role: 'user', content: input }];
      const handle = await DBOS.startWorkflow(say, { workflowID })(messages);
      threads.set(thread, await handle.getResult());
    } finally {
      clients.delete(workflowID);
    }
  },
  { pid: Number(DATABASE_PID), stop: () => DBOS.shutdown() },
);
