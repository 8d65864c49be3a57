// One conversation on a terminal.
import type { Client } from '@millrace/client';
import type { ChatInterrupt } from './chat-interrupt.ts';
import type { CliIo, LineReader } from './cli-io.ts';

export type Chat = { io: CliIo; client: Client; lines: LineReader; interrupt: ChatInterrupt; trace: boolean };
