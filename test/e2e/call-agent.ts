// Runs the agent "demo", prints its answer as it streams, then the status of the run.
import { connect } from '@millrace/client';

const client = await connect({ env: process.env });
const run = await client.start('demo', 'What is 17 * 23?', { threadId: 'ada-1', resourceId: 'ada' });
for await (const chunk of run.fullStream) {
  if (chunk.type === 'text-delta') process.stdout.write(chunk.payload.text);
  if (chunk.type === 'retract') process.stdout.write('\n(Text above is withdrawn.)\n');
}
const { status, error } = await run.result();
process.stdout.write(`\n${error ? `${status}: ${error.message}` : status}\n`);
await client.close();
