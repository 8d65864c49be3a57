// Prints the answer to one request: as JSON with --json, otherwise as text.
import type { Client } from '@millrace/client';
import { withClient, type AddressArgs } from './cli-command.ts';
import { note, writeJson, writeLine, type CliIo } from './cli-io.ts';

export type ShownAnswer = {
  json: unknown;
  /** Returns undefined if the answer has no text. */
  text(): string | undefined;
  /** Printed on stderr after the answer. */
  notes?: readonly string[];
};

export async function showAnswer(
  io: CliIo,
  args: AddressArgs & { json?: boolean | undefined },
  request: (client: Client) => Promise<ShownAnswer>,
): Promise<void> {
  await withClient(io, args, async (client) => {
    const { json, text, notes = [] } = await request(client);
    const shown = args.json ? undefined : text();
    if (args.json) writeJson(io, json);
    else if (shown !== undefined) writeLine(io, shown);
    for (const line of notes) note(io, line);
  });
}
